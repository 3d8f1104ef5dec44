/** A process of its own with the service, a SAML application, and people in eight groups who are signed in. */
import { applicationCommands } from '../../adapters/commands/applications.ts'
import { groupCommands } from '../../adapters/commands/groups.ts'
import { userCommands } from '../../adapters/commands/users.ts'
import { newId } from '../../adapters/ids.ts'
import { hashSecret, newSecret } from '../../adapters/vault/hash.ts'
import { startDevSession } from '../../cli/dev-session.ts'
import { startService } from '../../cli/service.ts'
import { systemActor } from '../../cli/setup-link.ts'
import { userDecider, userStream } from '../../domain/user/decider.ts'
import { benchConfig } from './place.ts'
import { CPU_QUESTION, type SamlTarget } from './saml-target.ts'

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

const signedIn = async (n: number): Promise<string> => {
  const email = `person${String(n)}@example.com`
  const { userId, enrollUrl } = await userCommands(services).invite(
    { profile: { email, name: `Person ${String(n)}` }, source: 'local' },
    actor,
  )
  const method = {
    methodId: newId('method'),
    methodType: 'passkey',
    name: 'Bench',
    credentialId: newSecret('', services.random),
    publicKey: 'AA',
    signCount: 0,
    transports: [],
    aaguid: '00000000-0000-0000-0000-000000000000',
    backedUp: false,
  } as const
  const tokenHash = hashSecret(enrollUrl.split('/').at(-1) ?? '')
  const now = services.clock.now()
  await services.handle(
    userDecider,
    userStream(userId),
    { type: 'enroll', userId, tokenHash, now, method },
    actor,
  )
  for (const groupId of groupIds) await groups.addMember(groupId, userId, undefined, actor)
  return startDevSession(services, email)
}

// One after the other: on a busy machine a crowd at the beginning would wait for connections until it gave up.
const cookies: string[] = []
for (let n = 0; n < PEOPLE; n++) cookies.push(await signedIn(n))
process.on('message', (question) => {
  const { user, system } = process.cpuUsage()
  if (question === CPU_QUESTION) process.send?.(user + system)
})
process.once('disconnect', () => process.exit(0))
process.send?.({ port: service.port, entityId, cookies } satisfies SamlTarget)
