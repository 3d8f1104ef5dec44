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
import { directory, type Directory } from '../../support/scim/scim.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'
import { READ_MODELS } from '../../../read-models/schema.ts'

const PEOPLE = 10_000
const GROUPS = 5000

interface Plan {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly Plans?: readonly Plan[]
}

const nodes = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)]

/** Inserts rows as the projection would write them, in one statement. */
const fill = async (service: TestService): Promise<void> => {
  const client = new pg.Client({ connectionString: service.databaseUrl })
  await client.connect()
  await client.query(`set search_path to ${READ_MODELS}`)
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
     from generate_series(1, ${String(GROUPS)}) n`,
  )
  await client.query(
    `update directory_size set total = total + case of when 'users' then ${String(PEOPLE)} else ${String(GROUPS)} end`,
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

  it('SCIM-03 SCIM-04 is listed, filtered and paged only by index', async () => {
    const { clock, lookups } = service.core.services
    const now = clock.now()
    const statements: Record<string, Statement> = {
      'users by userName': peopleBy({ by: 'userName', value: 'user77' }),
      'users by address': peopleBy({ by: 'email', value: 'p77@example.com' }),
      'users by externalId': peopleBy({ by: 'externalId', value: 'ext-77' }),
      'first page of users': peoplePage({ startIndex: 1, count: 200 }, PEOPLE),
      'middle page of users': peoplePage({ startIndex: PEOPLE / 2, count: 200 }, PEOPLE),
      'last page of users': peoplePage({ startIndex: PEOPLE - 200, count: 200 }, PEOPLE),
      'number of users': peopleCount,
      'groups by displayName': groupsBy({ by: 'displayName', value: 'Group 77' }, now),
      'groups by externalId': groupsBy({ by: 'externalId', value: 'ext-77' }, now),
      'membership probe': groupsBy({ by: 'membership', groupId: 'grp_1', userId: 'usr_1' }, now),
      'first page of groups': groupsPage({ startIndex: 1, count: 200 }, GROUPS),
      'last page of groups': groupsPage({ startIndex: GROUPS - 200, count: 200 }, GROUPS),
      'number of groups': groupsCount,
    }
    for (const [what, { text, values }] of Object.entries(statements)) {
      const { rows } = await lookups.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        `explain (analyze, buffers, format json) ${text}`,
        [...values],
      )
      const plan = rows[0]?.['QUERY PLAN'][0].Plan
      expect(plan, what).not.to.equal(undefined)
      if (plan === undefined) return
      const all = nodes(plan)
      expect(
        all.filter((node) => node['Node Type'] === 'Seq Scan'),
        what,
      ).to.deep.equal([])
      // Skipped rows are read only from the index; only the rows of the page are read from the table.
      const walked = all.filter((node) => node['Actual Rows'] > 200)
      expect(
        walked.map((node) => node['Node Type']),
        what,
      ).to.satisfy((types: readonly string[]) => types.every((type) => type === 'Index Only Scan'))
      for (const { 'Actual Rows': passed } of walked) expect(passed, what).to.be.at.most(PEOPLE / 2 + 200)
    }
  })

  it('SCIM-04 gives the same pages from either end, each user once', async () => {
    const { pool } = service.core.services
    const { rows } = await pool.query<{ id: string }>(
      `select id from users where status <> 'deleted' order by id`,
    )
    const seen: string[] = []
    for (let startIndex = 1; ; startIndex += 200) {
      const { body } = await scim.scim(
        'GET',
        `/Users?startIndex=${String(startIndex)}&count=200&attributes=id`,
      )
      expect(body.totalResults).to.equal(rows.length)
      if (body.itemsPerPage === 0) break
      seen.push(...body.Resources.map(({ id }: { id: string }) => id))
    }
    expect(seen).to.deep.equal(rows.map(({ id }) => id))
    for (const startIndex of [rows.length - 1, rows.length, rows.length + 1, 999_999_999_999_999]) {
      const { body } = await scim.scim('GET', `/Users?startIndex=${String(startIndex)}&count=5&attributes=id`)
      expect(body.Resources.map(({ id }: { id: string }) => id)).to.deep.equal(
        rows.slice(startIndex - 1, startIndex + 4).map(({ id }) => id),
      )
    }
  })

  it('SCIM-04 counts users who join and leave', async () => {
    const total = async (what: string) =>
      (await scim.scim('GET', `/${what}?count=0`)).body.totalResults as number
    const [people, groups] = [await total('Users'), await total('Groups')]
    const person = await scim.user()
    const group = await scim.group('Passing')
    expect([await total('Users'), await total('Groups')]).to.deep.equal([people + 1, groups + 1])
    await scim.patch(`/Users/${String(person.id)}`, { op: 'replace', path: 'active', value: false })
    expect(await total('Users')).to.equal(people + 1)
    await scim.scim('DELETE', `/Users/${String(person.id)}`)
    await scim.scim('DELETE', `/Groups/${String(group.id)}`)
    expect([await total('Users'), await total('Groups')]).to.deep.equal([people, groups])
  })

  it('SCIM-01 adds 10 000 members in one PATCH, and removes a thousand in another', async () => {
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
    await until(async () => (await count()) === PEOPLE, 90_000, 'every member shown')
    const fewer = await scim.patch(path, { op: 'replace', path: 'members', value: value.slice(1000) })
    expect(fewer.status, JSON.stringify(fewer.body)).to.equal(204)
    expect(await count()).to.equal(PEOPLE - 1000)
  })
})
