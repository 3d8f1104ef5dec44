/** A process of its own with the service, an application, and people who are signed in. */
import { applicationCommands } from '../../adapters/commands/applications.ts'
import { groupCommands } from '../../adapters/commands/groups.ts'
import type { Services } from '../../adapters/commands/deps.ts'
import { userCommands } from '../../adapters/commands/users.ts'
import { newId } from '../../adapters/ids.ts'
import { hashSecret, newSecret } from '../../adapters/vault/hash.ts'
import { startDevSession } from '../../cli/dev-session.ts'
import { startService } from '../../cli/service.ts'
import { systemActor } from '../../cli/setup-link.ts'
import { userDecider, userStream } from '../../domain/user/decider.ts'
import { oidcOnly } from '../../read-models/queries/configuration.ts'
import { PEOPLE, REDIRECT_URI, serveAsTarget, type Client } from './oidc-target.ts'
import { benchConfig } from './place.ts'

const actor = systemActor()

const register = async (
  services: Services,
  application: Parameters<ReturnType<typeof applicationCommands>['create']>[0],
): Promise<Client> => {
  const { applicationId, clientSecret = '' } = await applicationCommands(services).create(application, actor)
  const { applicationById } = await services.configuration.fresh()
  return { clientId: oidcOnly(applicationById.get(applicationId))?.clientId ?? '', clientSecret }
}

const signedIn = async (services: Services, groupId: string, n: number): Promise<string> => {
  const email = `person${String(n)}@example.com`
  const { userId, enrollUrl } = await userCommands(services).invite(
    { profile: { email, name: `Person ${String(n)}` }, source: 'local' },
    actor,
  )
  const command = {
    type: 'enroll',
    userId,
    tokenHash: hashSecret(enrollUrl.split('/').at(-1) ?? ''),
    now: services.clock.now(),
    emailed: false,
    method: {
      methodId: newId('method'),
      methodType: 'passkey',
      name: 'Bench',
      credentialId: newSecret('', services.random),
      publicKey: 'AA',
      signCount: 0,
      transports: [],
      aaguid: '00000000-0000-0000-0000-000000000000',
      backedUp: false,
    },
  } as const
  await services.handle(userDecider, userStream(userId), command, actor)
  await groupCommands(services).addMember(groupId, userId, undefined, actor)
  return startDevSession(services, email)
}

const [databaseUrl = ''] = process.argv.slice(2)
const silent = { debug: () => undefined, info: () => undefined, warn: console.warn, error: console.error }
const service = await startService(await benchConfig(databaseUrl), silent)
const { services } = service.core
const { groupId } = await groupCommands(services).create({ name: 'Everyone', source: 'local' }, actor)
const web = await register(services, {
  applicationType: 'web',
  settings: { name: 'Bench', redirectUris: [REDIRECT_URI] },
  groupIds: [groupId],
})
const machine = await register(services, { applicationType: 'service', settings: { name: 'Machine' } })
const cookies = await Promise.all(Array.from({ length: PEOPLE }, (_, n) => signedIn(services, groupId, n)))
serveAsTarget({
  port: service.port,
  web,
  service: machine,
  redirectUri: REDIRECT_URI,
  refreshScope: 'offline_access',
  cookies,
})
