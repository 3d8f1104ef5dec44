import {
  applicationCommands,
  CLIENT_SECRET_PREFIX,
} from '../../adapters/application/commands/applications.ts'
import type { Services } from '../../adapters/application/services/services.ts'
import { groupCommands } from '../../adapters/application/commands/groups.ts'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { nobodysKey } from '../../adapters/application/sign-in/webauthn/authentication.ts'
import { hashSecret, newSecret } from '../../adapters/engines/vault/hash.ts'
import { newId } from '../../adapters/kernel/ids.ts'
import type { GroupRule } from '../../domain/group/rule.ts'
import { roleKeys, type Role } from '../../domain/roles.ts'
import type { OwnMethod } from '../../domain/user/events.ts'
import { oidcOnly } from '../../read-models/queries/configuration.ts'
import { systemActor } from './setup-link.ts'

export const DEMO_REDIRECT_URI = 'http://localhost:8090/callback'

/** The settings that the demo application needs. */
export interface DemoApplication {
  readonly applicationId: string
  readonly clientId: string
  /** Null if it was rotated since the application was created */
  readonly clientSecret: string | null
}

/** Users who are active immediately; the others are invited. */
interface Active {
  readonly roles: readonly Role[]
}

type Person = readonly [name: string, department: string, title: string, active?: Active]

const EVERYONE = 'Everyone'
const APPLICATION_NAME = 'Demo application'

// A global administrator would invalidate the setup link, with which the first real administrator signs in.
const administrator: Active = { roles: roleKeys.filter((role) => role !== 'global_admin') }

const people: readonly Person[] = [
  ['Ada Lovelace', 'Engineering', 'Principal engineer', administrator],
  ['Grace Hopper', 'Engineering', 'Compiler engineer', { roles: [] }],
  ['Alan Turing', 'Research', 'Researcher'],
  ['Katherine Johnson', 'Research', 'Analyst'],
  ['Mary Jackson', 'Operations', 'Site reliability engineer'],
  ['Edsger Dijkstra', 'Operations', 'Release manager'],
  ['Barbara Liskov', 'Finance', 'Controller'],
  ['Radia Perlman', 'Finance', 'Payroll accountant'],
]

const byDepartment = (department: string): GroupRule => ({
  match: 'all',
  conditions: [{ attribute: 'department', operator: 'eq', value: department }],
})

const groups: readonly { readonly name: string; readonly description: string; readonly rule: GroupRule }[] = [
  {
    name: EVERYONE,
    description: 'All users of the organization',
    rule: { match: 'all', conditions: [{ attribute: 'kind', operator: 'eq', value: 'person' }] },
  },
  ...['Engineering', 'Research', 'Operations', 'Finance'].map((department) => ({
    name: department,
    description: `Users of the department ${department}`,
    rule: byDepartment(department),
  })),
]

const idOf = async (
  { pool }: Services,
  table: 'groups' | 'applications' | 'users',
  name: string,
): Promise<string | undefined> => {
  const column = table === 'users' ? 'email_key' : 'name_key'
  const { rows } = await pool.query<{ id: string }>(`select id from ${table} where ${column} = $1`, [
    name.toLowerCase(),
  ])
  return rows[0]?.id
}

/**
 * Creates a passkey that nobody can use, because its private key is not kept. It makes the user active, for `svc
 * dev-session`.
 */
const passkeyOfNobody = (random: Services['random']): OwnMethod => ({
  methodId: newId('method'),
  methodType: 'passkey',
  name: 'Demo passkey that nobody can use',
  credentialId: newSecret('', random),
  publicKey: nobodysKey(),
  signCount: 0,
  transports: [],
  aaguid: '00000000-0000-0000-0000-000000000000',
  backedUp: false,
})

const seedPerson = async (services: Services, [name, department, title, active]: Person): Promise<void> => {
  const email = `${name.toLowerCase().replace(' ', '.')}@example.com`
  if ((await idOf(services, 'users', email)) !== undefined) return
  const users = userCommands(services)
  const profile = { email, name, department, title }
  if (active === undefined) {
    await users.invite({ profile, source: 'local' }, systemActor())
    return
  }
  const { userId, enrollUrl } = await users.invite(
    { profile, source: 'local', roles: active.roles },
    systemActor(),
    false,
  )
  const token = enrollUrl.split('/').at(-1) ?? ''
  await users.enroll({ userId, token, method: passkeyOfNobody(services.random) }, systemActor())
}

/** The demo application's secret is derived from the service's own keys, so that repeated runs return the same one. */
const derivedBytes =
  ({ vault }: Services): Services['random'] =>
  (count) =>
    Buffer.from(vault.digest('demo-client-secret', APPLICATION_NAME), 'base64url').subarray(0, count)

const seedApplication = async (services: Services): Promise<DemoApplication> => {
  const applications = applicationCommands({ ...services, random: derivedBytes(services) })
  const everyone = await idOf(services, 'groups', EVERYONE)
  const applicationId =
    (await idOf(services, 'applications', APPLICATION_NAME)) ??
    (
      await applications.create(
        {
          applicationType: 'web',
          settings: {
            name: APPLICATION_NAME,
            redirectUris: [DEMO_REDIRECT_URI],
            launchUrl: 'http://localhost:8090/',
          },
          groupIds: everyone === undefined ? [] : [everyone],
        },
        systemActor(),
      )
    ).applicationId
  const application = oidcOnly((await services.configuration.fresh()).applicationById.get(applicationId))
  if (application === null) throw new Error('the demo application is not in the read models')
  const clientSecret = newSecret(CLIENT_SECRET_PREFIX, derivedBytes(services))
  const isCurrent = application.secrets.some(({ hash }) => hash === hashSecret(clientSecret))
  return { applicationId, clientId: application.clientId, clientSecret: isCurrent ? clientSecret : null }
}

/**
 * Loads demo users, groups by rule and an application that everyone may use. Seeding again adds what is missing and
 * changes nothing else.
 */
export const seedDemo = async (services: Services): Promise<DemoApplication> => {
  for (const { name, description, rule } of groups)
    if ((await idOf(services, 'groups', name)) === undefined)
      await groupCommands(services).create({ name, description, rule, source: 'local' }, systemActor())
  for (const person of people) await seedPerson(services, person)
  return seedApplication(services)
}
