/** A separate process with the service, without rate limits, to measure the cost of each request. */
import { applicationCommands } from '../../adapters/application/commands/applications.ts'
import { startService } from '../../cli/server/service.ts'
import { systemActor } from '../../cli/server/setup-link.ts'
import { oidcOnly } from '../../read-models/queries/configuration.ts'
import type { HostileTarget } from './hostile-target.ts'
import { benchConfig } from './place.ts'
import { serveAsTarget } from './processes.ts'

const actor = systemActor()
const [databaseUrl = ''] = process.argv.slice(2)
const silent = { debug: () => undefined, info: () => undefined, warn: console.warn, error: console.error }
const service = await startService(await benchConfig(databaseUrl), silent)
const { services } = service.core
const applications = applicationCommands(services)
const entityId = 'https://app.example.com/saml'
await applications.createSaml(
  {
    fields: { name: 'Bench' },
    saml: { entityId, acsUrls: ['https://app.example.com/saml/acs'] },
    groupIds: [],
  },
  actor,
)
const { applicationId } = await applications.create(
  { applicationType: 'spa', settings: { name: 'Pages', redirectUris: ['https://app.example.com/callback'] } },
  actor,
)
const { applicationById } = await services.configuration.fresh()
const clientId = oidcOnly(applicationById.get(applicationId))?.clientId ?? ''
serveAsTarget<HostileTarget>({ port: service.port, entityId, clientId })
