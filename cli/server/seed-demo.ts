import { applicationCommands } from '../../adapters/application/commands/applications.ts'
import type { Services } from '../../adapters/application/services/services.ts'
import { groupCommands } from '../../adapters/application/commands/groups.ts'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { DomainError } from '../../domain/errors.ts'
import type { GroupRule } from '../../domain/group/rule.ts'
import { oidcOnly } from '../../read-models/queries/configuration.ts'
import { systemActor } from './setup-link.ts'

export const DEMO_REDIRECT_URI = 'http://localhost:8090/callback'

/** What the demo application needs to know of itself. */
export interface DemoApplication {
  readonly clientId: string
  readonly clientSecret: string
}

const people = [
  ['Ada Lovelace', 'Engineering', 'Principal engineer'],
  ['Grace Hopper', 'Engineering', 'Compiler engineer'],
  ['Alan Turing', 'Research', 'Researcher'],
  ['Katherine Johnson', 'Research', 'Analyst'],
  ['Mary Jackson', 'Operations', 'Site reliability engineer'],
  ['Edsger Dijkstra', 'Operations', 'Release manager'],
  ['Barbara Liskov', 'Finance', 'Controller'],
  ['Radia Perlman', 'Finance', 'Payroll accountant'],
] as const

const byDepartment = (department: string): GroupRule => ({
  match: 'all',
  conditions: [{ attribute: 'department', operator: 'eq', value: department }],
})

const groups: readonly { readonly name: string; readonly description: string; readonly rule: GroupRule }[] = [
  {
    name: 'Everyone',
    description: 'All users of the organization',
    rule: { match: 'all', conditions: [{ attribute: 'kind', operator: 'eq', value: 'person' }] },
  },
  ...['Engineering', 'Research', 'Operations', 'Finance'].map((department) => ({
    name: department,
    description: `Users of the department ${department}`,
    rule: byDepartment(department),
  })),
]

/** Runs a creation that may have happened in an earlier seeding. */
const unlessThere = async <T>(create: () => Promise<T>): Promise<T | null> => {
  try {
    return await create()
  } catch (error) {
    if (error instanceof DomainError && error.code === 'ERR_CONFLICT') return null
    throw error
  }
}

const idByName = async (
  services: Services,
  table: 'groups' | 'applications',
  name: string,
): Promise<string> => {
  const { rows } = await services.pool.query<{ id: string }>(`select id from ${table} where name_key = $1`, [
    name.toLowerCase(),
  ])
  const id = rows[0]?.id
  if (id === undefined) throw new Error(`${table}: ${name} not found`)
  return id
}

/**
 * Loads demo users, groups by rule and an application that everyone may use. Seeding again adds what is missing and
 * gives the application a new secret.
 */
export const seedDemo = async (services: Services): Promise<DemoApplication> => {
  const users = userCommands(services)
  const groupsOf = groupCommands(services)
  const applications = applicationCommands(services)
  for (const { name, description, rule } of groups)
    await unlessThere(() => groupsOf.create({ name, description, rule, source: 'local' }, systemActor()))
  for (const [name, department, title] of people) {
    const email = `${name.toLowerCase().replace(' ', '.')}@example.com`
    await unlessThere(() =>
      users.invite({ profile: { email, name, department, title }, source: 'local' }, systemActor()),
    )
  }
  const name = 'Demo application'
  const everyone = await idByName(services, 'groups', 'Everyone')
  const created = await unlessThere(() =>
    applications.create(
      {
        applicationType: 'web',
        settings: { name, redirectUris: [DEMO_REDIRECT_URI], launchUrl: 'http://localhost:8090/' },
        groupIds: [everyone],
      },
      systemActor(),
    ),
  )
  const applicationId = created?.applicationId ?? (await idByName(services, 'applications', name))
  const clientSecret =
    created?.clientSecret ?? (await applications.rotateSecret(applicationId, 0, systemActor())).clientSecret
  const application = oidcOnly((await services.configuration.fresh()).applicationById.get(applicationId))
  if (application === null) throw new Error('the demo application is not in the read models')
  return { clientId: application.clientId, clientSecret }
}
