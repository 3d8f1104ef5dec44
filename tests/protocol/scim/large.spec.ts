import { expect } from 'chai'
import pg from 'pg'
import {
  groupsBy,
  groupsCount,
  groupsPage,
  peopleBy,
  peopleCount,
  peoplePage,
  type Statement,
} from '../../../read-models/queries/scim.ts'
import { directory, type Directory } from '../../support/scim.ts'
import { testService, type TestService } from '../../support/service.ts'

const PEOPLE = 10_000

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly Plan[]
}

const nodes = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)]

/** Rows as the projection would have made them, in one statement. */
const fill = async (service: TestService): Promise<void> => {
  const client = new pg.Client({ connectionString: service.databaseUrl })
  await client.connect()
  await client.query('set search_path to rm')
  await client.query(
    `insert into users (id, source, status, email, email_key, name, user_name, user_name_key, external_id,
                        given_name, family_name, title, department, phone, locale, time_zone, invited_at, created_at, updated_at, version)
     select 'usr_01J' || lpad(n::text, 23, '0'), 'scim', 'invited', 'p' || n || '@example.com',
            'p' || n || '@example.com', 'Person ' || n, 'user' || n, 'user' || n, 'ext-' || n,
            'Given ' || n, 'Family ' || n, 'Senior clerk of the office', 'Department of ' || n % 40,
            '+44 20 7946 ' || n, 'en-GB', 'Europe/London', now(), now(), now(), 1
     from generate_series(1, ${String(PEOPLE)}) n`,
  )
  await client.query(
    `insert into groups (id, status, name, name_key, description, external_id, owner_ids,
                         source, created_at, updated_at, version)
     select 'grp_01J' || lpad(n::text, 23, '0'), 'exists', 'Group ' || n, 'group ' || n, repeat('what it is for ', 16), 'ext-' || n, '{}', 'scim',
            now(), now(), 1
     from generate_series(1, 5000) n`,
  )
  for (const table of ['users', 'groups', 'memberships']) await client.query(`vacuum analyze ${table}`)
  await client.end()
}

describe('A large directory', function () {
  this.timeout(180_000)
  let service: TestService
  let scim: Directory
  before(async () => {
    service = await testService()
    await fill(service)
    scim = await directory(service)
  })
  after(() => service.stop())

  it('SCIM-03 SCIM-04 is listed, filtered and paged by index alone', async () => {
    const now = service.core.services.clock.now()
    const statements: Record<string, Statement> = {
      'users by userName': peopleBy({ by: 'userName', value: 'user77' }),
      'users by address': peopleBy({ by: 'email', value: 'p77@example.com' }),
      'users by externalId': peopleBy({ by: 'externalId', value: 'ext-77' }),
      'first page of users': peoplePage({ startIndex: 1, count: 200 }),
      'last page of users': peoplePage({ startIndex: PEOPLE - 200, count: 200 }),
      'number of users': peopleCount,
      'groups by displayName': groupsBy({ by: 'displayName', value: 'Group 77' }, now),
      'groups by externalId': groupsBy({ by: 'externalId', value: 'ext-77' }, now),
      'membership probe': groupsBy({ by: 'membership', groupId: 'grp_1', userId: 'usr_1' }, now),
      'first page of groups': groupsPage({ startIndex: 1, count: 200 }),
      'number of groups': groupsCount,
    }
    for (const [what, { text, values }] of Object.entries(statements)) {
      const { rows } = await service.core.services.pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `explain (format json) ${text}`,
        [...values],
      )
      const plan = rows[0]?.['QUERY PLAN'][0].Plan
      const scans =
        plan === undefined
          ? []
          : nodes(plan).filter(
              (node) => node['Node Type'] === 'Seq Scan' && node['Relation Name'] !== 'memberships',
            )
      expect(scans, what).to.deep.equal([])
    }
  })

  it('SCIM-01 takes 10 000 members in one PATCH, and lets them go in another', async () => {
    const group = await scim.group('Everybody')
    const path = `/Groups/${String(group.id)}?excludedAttributes=members`
    const { rows } = await service.core.services.pool.query<{ id: string }>(
      `select id from users where source = 'scim' order by id limit ${String(PEOPLE)}`,
    )
    const value = rows.map(({ id }) => ({ value: id, display: `Person ${id}` }))
    const added = await scim.patch(path, { op: 'Add', path: 'members', value })
    expect(added.status, JSON.stringify(added.body)).to.equal(204)
    const count = async () =>
      (await scim.scim('GET', `/Groups/${String(group.id)}`)).body.members.length as number
    expect(await count()).to.equal(PEOPLE)
    const fewer = await scim.patch(path, { op: 'replace', path: 'members', value: value.slice(0, 10) })
    expect(fewer.status, JSON.stringify(fewer.body)).to.equal(204)
    expect(await count()).to.equal(10)
  })
})
