/** A separate process with the service, a SAML application, and signed-in users in eight groups. */
import { applicationCommands } from '../../adapters/application/commands/applications.ts'
import { groupCommands } from '../../adapters/application/commands/groups.ts'
import { startService } from '../../cli/server/service.ts'
import { systemActor } from '../../cli/server/setup-link.ts'
import { signInPeople } from './people.ts'
import { benchConfig } from './place.ts'
import { serveAsTarget } from './processes.ts'
import type { SamlTarget } from './saml-target.ts'

const PEOPLE = 16
const GROUPS = 8

const actor = systemActor()
const [databaseUrl = ''] = process.argv.slice(2)
const silent = { debug: () => undefined, info: () => undefined, warn: console.warn, error: console.error }
const service = await startService(await benchConfig(databaseUrl), silent)
const { services } = service.core
const groups = groupCommands(services)

const groupIds: string[] = []
for (let n = 0; n < GROUPS; n++)
  groupIds.push((await groups.create({ name: `Group ${String(n)}`, source: 'local' }, actor)).groupId)

const entityId = 'https://app.example.com/saml'
await applicationCommands(services).createSaml(
  {
    fields: { name: 'Bench' },
    saml: { entityId, acsUrls: ['https://app.example.com/saml/acs'] },
    groupIds: groupIds.slice(0, 1),
  },
  actor,
)
const cookies = await signInPeople(services, PEOPLE, groupIds, actor)
serveAsTarget<SamlTarget>({ port: service.port, entityId, cookies })
