/** A separate process with the service, an application, and signed-in users. */
import { applicationCommands } from '../../adapters/application/commands/applications.ts'
import { groupCommands } from '../../adapters/application/commands/groups.ts'
import type { Services } from '../../adapters/application/services/services.ts'
import { startService } from '../../cli/server/service.ts'
import { systemActor } from '../../cli/server/setup-link.ts'
import { oidcOnly } from '../../read-models/queries/configuration.ts'
import { PEOPLE, REDIRECT_URI, type Client, type Target } from './oidc-target.ts'
import { signInPeople } from './people.ts'
import { enablePolicies } from './policies.ts'
import { benchConfig } from './place.ts'
import { serveAsTarget } from './processes.ts'

const actor = systemActor()

const register = async (
  services: Services,
  application: Parameters<ReturnType<typeof applicationCommands>['create']>[0],
): Promise<Client> => {
  const { applicationId, clientSecret = '' } = await applicationCommands(services).create(application, actor)
  const { applicationById } = await services.configuration.fresh()
  return { clientId: oidcOnly(applicationById.get(applicationId))?.clientId ?? '', clientSecret }
}

const [databaseUrl = '', givenKey] = process.argv.slice(2)
const silent = { debug: () => undefined, info: () => undefined, warn: console.warn, error: console.error }
const config = await benchConfig(databaseUrl)
const service = await startService({ ...config, secretKey: givenKey ?? config.secretKey }, silent)
const { services } = service.core
const { groupId } = await groupCommands(services).create({ name: 'Everyone', source: 'local' }, actor)
const web = await register(services, {
  applicationType: 'web',
  settings: { name: 'Bench', redirectUris: [REDIRECT_URI] },
  groupIds: [groupId],
})
const machine = await register(services, { applicationType: 'service', settings: { name: 'Machine' } })
await enablePolicies(services, Number(process.env['BENCH_POLICIES'] ?? 0), actor)
const cookies = await signInPeople(services, PEOPLE, [groupId], actor)
serveAsTarget<Target>({
  port: service.port,
  web,
  service: machine,
  redirectUri: REDIRECT_URI,
  refreshScope: 'offline_access',
  cookies,
})
