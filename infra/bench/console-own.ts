/** A separate process with the service on a filled log, and a signed-in administrator. */
import { startService } from '../../cli/server/service.ts'
import { startDevSession } from '../../cli/server/dev-session.ts'
import { systemActor } from '../../cli/server/setup-link.ts'
import type { ConsoleTarget } from './console-rows.ts'
import { enrolled } from './people.ts'
import { benchConfig } from './place.ts'
import { serveAsTarget } from './processes.ts'

const [databaseUrl = '', secretKey = ''] = process.argv.slice(2)
const silent = { debug: () => undefined, info: () => undefined, warn: console.warn, error: console.error }
const config = await benchConfig(databaseUrl)
const service = await startService({ ...config, secretKey }, silent)
const { services } = service.core
const email = 'administrator@example.com'
await enrolled(services, email, 'Administrator', systemActor(), ['global_admin'])
serveAsTarget<ConsoleTarget>({
  url: service.publicUrl,
  cookie: await startDevSession(services, email),
})
