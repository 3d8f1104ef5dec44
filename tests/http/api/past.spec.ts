import { expect } from 'chai'
import { replayInto } from '../../../cli/server/replay.ts'
import { CliError } from '../../../cli/server/exit-codes.ts'
import { testDatabase } from '../../support/service/postgres.ts'
import pg from 'pg'
import {
  recordingLog,
  testPlace,
  testService,
  type TestPerson,
  type TestPlace,
  type TestService,
} from '../../support/service/service.ts'
import { until } from '../../support/until.ts'
import { payroll } from './support.ts'
import { READ_MODELS } from '../../../read-models/schema.ts'

/** The risk of a user is not known for a past time. */
const inThePast = (row: object): object => ('riskLevel' in row ? { ...row, riskLevel: null } : row)

describe('querying the past', function () {
  this.timeout(120_000)
  let place: TestPlace
  let service: TestService
  let admin: TestPerson
  let n = 0

  before(async () => {
    place = await testPlace()
    service = await testService(place)
    admin = await service.person({ name: 'Grace' }, ['global_admin'])
  })
  after(async () => {
    await service.stop()
    await place.drop()
  })

  const now = (): string => service.core.services.clock.now()
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await service.api(method, path, { as: admin, ...(body === undefined ? {} : { body }) })
    expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).to.be.lessThan(300)
    return answer
  }
  const refused = async (path: string): Promise<unknown> => {
    const { status, body } = await service.api('GET', path, { as: admin })
    return [status, body.error.code, body.error.field]
  }

  /** Creates a user in a group that is assigned to an application. */
  const somebody = async () => {
    const name = String(++n)
    const person = await service.person({ name: `Ada ${name}` })
    const { id: group } = (await send('POST', '/groups', { name: `Wages ${name}` })).body
    const { id: application } = (await send('POST', '/applications', payroll(`Payroll ${name}`))).body
    const before = now()
    await send('PUT', `/applications/${application}/groups/${group}`)
    await send('PUT', `/groups/${group}/members/${person.userId}`, {})
    return { name, person, group, application, before }
  }

  it('EVT-05 names and states are those at that time, and every access path has its actors and audit entries', async () => {
    const { name, person, group, application } = await somebody()
    const then = now()
    await send('PATCH', `/groups/${group}`, { name: `Salaries ${name}` })
    await send('PATCH', `/applications/${application}`, { name: `Paydesk ${name}` })
    await send('PATCH', `/users/${person.userId}`, { name: `Countess ${name}` })
    await send('PATCH', `/users/${admin.userId}`, { name: 'Admiral' })
    await send('POST', `/users/${person.userId}/suspend`, {})

    const { body } = await send('GET', `/applications/${application}/access?at=${then}`)
    expect(body).to.have.length(1)
    expect(body[0]).to.include({
      userId: person.userId,
      name: `Ada ${name}`,
      status: 'active',
      reaches: true,
    })
    const [way] = body[0].via
    expect(way).to.include({ groupId: group, groupName: `Wages ${name}`, via: 'assigned', until: null })
    expect(way.grantedBy).to.deep.equal({ id: admin.userId, name: 'Grace' })
    expect(way.assignedBy).to.deep.equal({ id: admin.userId, name: 'Grace' })
    await until(
      async () => (await service.api('GET', `/audit/${String(way.eventId)}`, { as: admin })).status === 200,
    )
    expect((await send('GET', `/audit/${String(way.eventId)}`)).body.action).to.equal('group.member.add')
    expect((await send('GET', `/audit/${String(way.assignmentEventId)}`)).body.action).to.equal(
      'application.group.assign',
    )
    const [reached] = (await send('GET', `/users/${person.userId}/access?at=${then}`)).body
    expect(reached).to.include({ applicationId: application, name: `Payroll ${name}`, reaches: true })
    const [member] = (await send('GET', `/groups/${group}/members?at=${then}`)).body
    expect(member).to.include({
      name: `Ada ${name}`,
      status: 'active',
      addedByName: 'Grace',
      eventId: way.eventId,
    })

    const [today] = (await send('GET', `/applications/${application}/access`)).body
    expect(today).to.include({ name: `Countess ${name}`, status: 'suspended', reaches: false })
    expect(today.via[0]).to.include({ groupName: `Salaries ${name}` })
    expect(today.via[0].grantedBy.name).to.equal('Grace')
    await send('PATCH', `/users/${admin.userId}`, { name: 'Grace' })
  })

  it('EVT-05 users, groups and applications can be read at a past time', async () => {
    const { name, person, group, application, before } = await somebody()
    const then = now()
    const [user, team, program] = [
      `/users/${person.userId}`,
      `/groups/${group}`,
      `/applications/${application}`,
    ]
    const was = await Promise.all([user, team, program].map(async (path) => (await send('GET', path)).body))
    await send('PATCH', user, { name: `Countess ${name}`, department: 'Sums' })
    await send('POST', `${user}/reset-methods`, {})
    await send('PATCH', team, { description: 'Paid monthly' })
    await send('PATCH', program, { redirectUris: ['https://other.example.com/cb'], groupIds: [] })
    for (const [i, path] of [user, team, program].entries())
      expect((await send('GET', `${path}?at=${then}`)).body, path).to.deep.equal(inThePast(was[i]))
    expect((await send('GET', `${team}?at=${before}`)).body).to.include({
      memberCount: 0,
      applicationCount: 0,
    })
    expect(await refused(`${team}?at=2020-01-01T00:00:00Z`)).to.deep.equal([404, 'ERR_NOT_FOUND', undefined])
    await send('DELETE', program)
    expect((await send('GET', `${program}?at=${then}`)).body.name).to.equal(`Payroll ${name}`)
    expect((await service.api('GET', program, { as: admin })).status).to.equal(404)
  })

  it('EVT-05 data that was erased since is also missing in the past', async () => {
    const { person, group, application } = await somebody()
    const then = now()
    await send('DELETE', `/users/${person.userId}`)
    await send('POST', `/users/${person.userId}/erase`)
    for (const path of [`/applications/${application}/access`, `/groups/${group}/members`]) {
      const [row] = (await send('GET', `${path}?at=${then}`)).body
      expect(row).to.include({ userId: person.userId, name: 'Erased user', status: 'active' })
      expect(row.email).to.match(/@invalid$/)
    }
  })

  it('EVT-05 a membership ends when it expired, even if its duration was changed later', async () => {
    const { person, group } = await somebody()
    await send('DELETE', `/groups/${group}/members/${person.userId}`)
    const soon = service.core.services.clock.in(0.4)
    await send('PUT', `/groups/${group}/members/${person.userId}`, { expiresAt: soon })
    const during = now()
    await until(() => now() > soon)
    const gone = now()
    await send('PUT', `/groups/${group}/members/${person.userId}`, {
      expiresAt: service.core.services.clock.in(60),
    })
    const back = now()
    const members = async (at: string): Promise<number> =>
      (await send('GET', `/groups/${group}/members?at=${at}`)).body.length as number
    expect([await members(during), await members(gone), await members(back)]).to.deep.equal([1, 0, 1])
    const [change] = (await send('GET', `/groups/${group}/members/diff?from=${during}&to=${gone}`)).body
    expect(change).to.include({ userId: person.userId, change: 'lost' })
    expect(change.causes.map(({ what }: { what: string }) => what)).to.deep.equal(['membership_ran_out'])
    expect(change.before).to.have.length(1)
    expect(change.after).to.deep.equal([])
  })

  it('EVT-05 lists users who gained or lost access between two times, with paths and actors', async () => {
    const { person, group, application, before } = await somebody()
    const other = await service.person({ name: 'Bob' })
    const during = now()
    await send('PUT', `/groups/${group}/members/${other.userId}`, {})
    await send('POST', `/users/${person.userId}/suspend`, {})
    const end = now()
    await send('DELETE', `/applications/${application}/groups/${group}`)

    const path = `/applications/${application}/access/diff`
    const first = (await send('GET', `${path}?from=${before}&to=${during}`)).body
    expect(first).to.have.length(1)
    expect(first[0]).to.include({ userId: person.userId, change: 'gained' })
    expect(first[0].before).to.deep.include({ reaches: false, via: [] })
    expect(first[0].after.via[0].groupId).to.equal(group)
    expect(first[0].causes.map(({ what }: { what: string }) => what)).to.deep.equal([
      'group_assigned',
      'member_added',
    ])
    expect(first[0].causes[1].by).to.deep.equal({ id: admin.userId, name: 'Grace' })

    const second = (await send('GET', `${path}?from=${during}&to=${end}`)).body
    expect(second.map(({ change }: { change: string }) => change)).to.have.members(['gained', 'lost'])
    const lost = second.find(({ change }: { change: string }) => change === 'lost')
    expect(lost.after).to.deep.include({ reaches: false, personStatus: 'suspended' })
    expect(lost.causes.map(({ what }: { what: string }) => what)).to.deep.equal(['person_suspended'])

    const one = await send('GET', `${path}?from=${during}&to=${end}&limit=1`)
    const next = /<([^>]+)>; rel="next"/.exec(one.headers.get('link') ?? '')?.[1] ?? ''
    const two = await send('GET', next.slice(next.indexOf('/applications')))
    expect([...one.body, ...two.body]).to.deep.equal(second)
    expect(two.headers.get('link')).to.equal(null)

    const [his] = (await send('GET', `/users/${other.userId}/access/diff?from=${end}`)).body
    expect(his).to.include({ applicationId: application, change: 'lost' })
    expect(his.causes.map(({ what }: { what: string }) => what)).to.deep.equal(['group_unassigned'])
    expect((await send('GET', `${path}?from=${before}&to=${before}`)).body).to.deep.equal([])
    expect(await refused(`${path}?from=${end}&to=${before}`)).to.deep.equal([422, 'ERR_INVALID', '/from'])
    expect(await refused(`${path}?to=${before}`)).to.deep.equal([422, 'ERR_INVALID', '/from'])
  })

  it('EVT-05 pages of a past state list every user once', async () => {
    const { group, application } = await somebody()
    for (let i = 0; i < 4; i++) {
      const { userId } = await service.person({ name: 'Same name' })
      await send('PUT', `/groups/${group}/members/${userId}`, {})
    }
    const at = now()
    for (const path of [`/groups/${group}/members`, `/applications/${application}/access`]) {
      const seen: string[] = []
      for (let next = `${path}?at=${at}&limit=2`; next !== '';) {
        const answer = await send('GET', next)
        seen.push(...(answer.body as { userId: string }[]).map(({ userId }) => userId))
        const link = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? ''
        next = link === '' ? '' : link.slice(link.indexOf(path))
      }
      expect(seen, path).to.have.length(5)
      expect(new Set(seen).size).to.equal(5)
      expect(await refused(`${path}?at=${at}&cursor=abc`)).to.deep.equal([422, 'ERR_INVALID', '/cursor'])
    }
  })

  it('EVT-05 lists of users, groups and applications are of that time, in pages of one state', async () => {
    const { name, person, group, application } = await somebody()
    await send('PUT', `/users/${person.userId}/roles`, { roles: ['auditor'] })
    const filtered = [
      '/users?include=roles&status=active',
      `/users?groupId=${group}`,
      `/users?q=ada%20${name}&role=auditor`,
      `/users?email=${person.email.toUpperCase()}`,
      `/groups?userId=${person.userId}`,
      `/groups?applicationId=${application}&q=wages`,
      `/users/${person.userId}/groups?q=wages`,
      `/applications?groupId=${group}`,
      '/applications?protocol=oidc&type=web&status=active&q=payroll',
    ]
    const lists = ['/users?include=roles', '/groups?limit=200', '/applications?limit=200', ...filtered]
    const rows = async (path: string) => (await send('GET', path)).body as { id: string }[]
    const byId = (all: { id: string }[]) => all.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    const then = now()
    const were = await Promise.all(lists.map(async (path) => byId(await rows(path))))
    for (const list of were) expect(list).not.to.be.empty

    await send('PATCH', `/users/${person.userId}`, { name: `Countess ${name}`, department: 'Sums' })
    await send('PATCH', `/users/${person.userId}`, { email: `countess${name}@example.com` })
    await send('PUT', `/users/${person.userId}/roles`, { roles: [] })
    await send('POST', `/users/${person.userId}/suspend`, {})
    await send('PATCH', `/groups/${group}`, { name: `Salaries ${name}` })
    await send('DELETE', `/groups/${group}/members/${person.userId}`)
    await send('PATCH', `/applications/${application}`, { redirectUris: ['https://other.example.com/cb'] })
    await send('DELETE', `/applications/${application}`)
    await send('DELETE', `/groups/${group}`)
    await somebody()
    for (const [i, path] of lists.entries())
      expect(await rows(`${path}&at=${then}`), path).to.deep.equal(were[i]?.map(inThePast))

    const paged: { id: string }[] = []
    for (let next = `/users?include=roles&limit=2&at=${then}`; next !== '';) {
      const { body, headers } = await send('GET', next)
      paged.push(...(body as { id: string }[]))
      expect(body.length).to.be.at.most(2)
      expect(headers.get('x-log-position')).to.be.a('string').that.is.not.equal('')
      const link = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? ''
      next = link === '' ? '' : link.slice(link.indexOf('/users'))
    }
    expect(paged).to.deep.equal(were[0]?.map(inThePast))
    // Asked without an end, or of a time to come, every page is of the time of the first.
    const first = await send('GET', '/users?limit=1&at=9999-01-01T00:00:00Z')
    expect(decodeURIComponent(first.headers.get('link') ?? '')).to.match(/[?&]at=20\d\d-/)

    for (const filter of ['sort=name', 'department=Sums', `managerId=${person.userId}`, 'riskLevel=high'])
      expect(await refused(`/users?at=${then}&${filter}`)).to.deep.equal([
        422,
        'ERR_INVALID',
        `/${filter.split('=')[0] ?? ''}`,
      ])
    for (const path of ['/groups', '/applications', `/users/${person.userId}/groups`])
      expect(await refused(`${path}?at=${then}&sort=-name`)).to.deep.equal([422, 'ERR_INVALID', '/sort'])
    expect(await refused(`/users?at=${then}&cursor=abc`)).to.deep.equal([422, 'ERR_INVALID', '/cursor'])
    expect(await rows('/users?at=2020-01-01T00:00:00Z')).to.deep.equal([])
  })

  it('EVT-05 responses contain the log position and its root', async () => {
    const { application } = await somebody()
    const at = now()
    let answer = await send('GET', `/applications/${application}/access?at=${at}`)
    await until(async () => {
      answer = await send('GET', `/applications/${application}/access?at=${at}`)
      return answer.headers.has('x-log-root')
    })
    const { body: checkpoint } = await send('GET', '/audit/checkpoint')
    expect(answer.headers.get('x-log-position')).to.be.a('string').that.is.not.equal('')
    expect(answer.headers.get('x-log-root')).to.equal(checkpoint.rootHash)
    expect((await send('GET', `/applications/${application}/access`)).headers.has('x-log-root')).to.equal(
      false,
    )
  })

  it('EVT-05 svc replay fills an empty database alone, stops at a time or position, and leaves it read-only', async () => {
    const { application, person } = await somebody()
    const then = now()
    await send('DELETE', `/users/${person.userId}`)
    const database = await testDatabase()
    try {
      const replay = (until: { time: string } | { position: string }, into = database.url) =>
        replayInto(place.config, recordingLog(), { until, into })
      const refusal = async (work: Promise<unknown>): Promise<CliError> => {
        try {
          await work
        } catch (error) {
          if (error instanceof CliError) return error
          throw error
        }
        throw new Error('expected a refusal')
      }
      expect((await refusal(replay({ position: '~' }))).message).to.match(/^--until: expected/)
      expect((await refusal(replay({ time: then }, place.databaseUrl))).message).to.match(
        /^--into: expected an empty/,
      )
      const report = await replay({ time: then })
      expect(report.events).to.be.greaterThan(10)
      expect(report.rootHash).to.match(/^[A-Za-z0-9+/]{43}=$/)
      expect((await refusal(replay({ time: then }))).message).to.contain(`contains ${READ_MODELS}.`)
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      try {
        const { rows } = await client.query<{ status: string }>('select status from users where id = $1', [
          person.userId,
        ])
        expect(rows).to.deep.equal([{ status: 'active' }])
        const { rows: programs } = await client.query('select id from applications where id = $1', [
          application,
        ])
        expect(programs).to.have.length(1)
        const error = await client.query('delete from users').then(
          () => null,
          (reason: unknown) => reason as { code: string },
        )
        expect(error?.code).to.equal('25006')
      } finally {
        await client.end()
      }
      const again = await testDatabase()
      try {
        const same = await replay({ position: report.position }, again.url)
        expect(same).to.include({
          position: report.position,
          events: report.events,
          rootHash: report.rootHash,
        })
      } finally {
        await again.drop()
      }
    } finally {
      await database.drop()
    }
  })
})
