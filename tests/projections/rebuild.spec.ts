import { expect } from 'chai'
import fc from 'fast-check'
import pg from 'pg'
import { startCore } from '../../cli/server/core.ts'
import { rebuildReadModels } from '../../cli/server/rebuild.ts'
import { openStorage } from '../../cli/server/storage.ts'
import { apiResourceCommands } from '../../adapters/application/commands/api-resources.ts'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { deviceCommands } from '../../adapters/application/commands/devices.ts'
import { signInRecorder } from '../../adapters/application/commands/sign-ins.ts'
import { newId } from '../../adapters/kernel/ids.ts'
import { groupCommands } from '../../adapters/application/commands/groups.ts'
import { applicationCommands } from '../../adapters/application/commands/applications.ts'
import {
  recordingLog,
  system,
  testPlace,
  testService,
  type TestPlace,
  type TestService,
} from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { READ_MODELS } from '../../read-models/schema.ts'

/** Postgres' error code for a deadlock. */
const DEADLOCK = '40P01'

describe('projections rebuild', function () {
  this.timeout(120_000)
  let place: TestPlace
  let service: TestService
  let n = 0
  beforeEach(async () => {
    place = await testPlace()
    service = await testService(place)
  })
  afterEach(async () => {
    await service.stop()
    await place.drop()
  })

  const rebuild = (verify: boolean) => rebuildReadModels(place.config, recordingLog(), verify)
  const invite = () =>
    userCommands(service.core.services).invite(
      { profile: { email: `p${String(++n)}@example.com`, name: 'P', department: 'A' }, source: 'local' },
      system,
    )
  const query = (sql: string) => service.core.services.pool.query<Record<string, unknown>>(sql)

  /** Runs random commands on a few users, groups, memberships, applications and APIs. */
  const happen = async (choices: readonly (readonly [number, number, number])[]): Promise<void> => {
    const { services } = service.core
    const users = userCommands(services)
    const groups = groupCommands(services)
    const applications = applicationCommands(services)
    const people: string[] = []
    const teams: string[] = []
    const programs: string[] = []
    const resources = apiResourceCommands(services)
    const apis: string[] = []
    const devices = deviceCommands(services)
    const browsers: string[] = []
    const record = signInRecorder(services)
    const scope = (of: string, a: number) => `${of.toLowerCase()}:${String(a)}`
    for (const [what, a, b] of choices) {
      const person = people[a % people.length] ?? ''
      const team = teams[b % teams.length] ?? ''
      const program = programs[a % programs.length] ?? ''
      const api = apis[b % apis.length] ?? ''
      const browser = browsers[a % browsers.length] ?? ''
      const steps: readonly (() => Promise<unknown>)[] = [
        async () => people.push((await invite()).userId),
        async () =>
          teams.push((await groups.create({ name: `g${String(++n)}`, source: 'local' }, system)).groupId),
        async () =>
          programs.push(
            (
              await applications.create(
                {
                  applicationType: 'web',
                  settings: { name: `a${String(++n)}`, redirectUris: ['https://a.example/'] },
                },
                system,
              )
            ).applicationId,
          ),
        () => users.update(person, { department: `d${String(b)}` }, 'system', system),
        () => users.suspend(person, 'left', 'system', system),
        () => users.reactivate(person, 'system', system),
        () => users.setRoles(person, ['auditor'], system),
        () => groups.addMember(team, person, undefined, system),
        () => groups.removeMember(team, person, system),
        () =>
          groups.update(
            team,
            {},
            {
              match: 'all',
              conditions: [{ attribute: 'department', operator: 'eq', value: `d${String(a)}` }],
            },
            system,
          ),
        () => applications.assignGroup(program, team, system),
        () => applications.unassignGroup(program, team, system),
        () => applications.createSecret(program, undefined, system),
        () => applications.disable(program, system),
        () => service.signIn(person, 'p@example.com'),
        () => users.delete(person, 'system', system),
        () => users.erase(person, system),
        () => groups.delete(team, system),
        async () =>
          apis.push(
            (await resources.create({ identifier: `urn:a:${String(++n)}`, name: 'A' }, system)).apiResourceId,
          ),
        () =>
          resources.update(
            api,
            { description: `d${String(a)}` },
            [0, 1].map((i) => ({ name: scope(api, i), description: String(a) })),
            system,
          ),
        () => resources.update(api, {}, [{ name: scope(api, a) }], system),
        () => applications.setApiGrant(program, api, [scope(api, a % 2)], system),
        () => applications.setApiGrants(program, [{ apiResourceId: api, scopes: [scope(api, 1)] }], system),
        () => applications.removeApiGrant(program, api, system),
        () => resources.delete(api, system),
        () => applications.delete(program, system),
        async () => {
          const deviceId = newId('device')
          browsers.push(deviceId)
          await devices.register(
            {
              ...{
                deviceId,
                userId: person,
                kind: 'browser',
                cookieHash: `c${String(n)}`,
                name: 'n',
                ip: null,
              },
              ...{ platform: 'linux', browser: null, osVersion: null, userAgent: 'Firefox', location: null },
            },
            system,
          )
        },
        () => devices.trust(browser, null, system),
        () => devices.block(browser, system),
        () => devices.remove(browser, 'administrator', system),
        () =>
          record(
            {
              userId: person,
              email: 'p@example.com',
              appId: null,
              result: 'success',
              method: 'passkey',
              reason: null,
            },
            { ip: '192.0.2.1', userAgent: 'Firefox', correlationId: 'test' },
          ),
      ]
      // Rejected commands are part of a history, too.
      await steps[what % steps.length]?.().catch(() => undefined)
    }
  }

  it('EVT-03 finds the same rows after any history, erasure included', async () => {
    const step = fc.tuple(fc.nat(30), fc.nat(3), fc.nat(3))
    const [choices = []] = fc.sample(fc.array(step, { minLength: 200, maxLength: 250, size: 'max' }), 1)
    await happen([
      [0, 0, 0],
      [0, 0, 0],
      [1, 0, 0],
      [1, 0, 0],
      [2, 0, 0],
      [18, 0, 0],
      [19, 0, 0],
      [21, 0, 0],
      [26, 0, 0],
      [27, 0, 0],
      [30, 0, 0],
      ...choices,
      [0, 0, 0],
    ])
    const { userId } = await invite()
    await userCommands(service.core.services).delete(userId, 'system', system)
    await userCommands(service.core.services).erase(userId, system)
    const report = await rebuild(true)
    expect(report.differences, JSON.stringify(choices)).to.deep.equal([])
    expect(report.position).to.equal(await service.core.eventLog.head())
  })

  it('EVT-03 finds a row without an event, and repairs it', async () => {
    const { userId } = await invite()
    await query(`update users set name = 'Someone else' where id = '${userId}'`)
    expect((await rebuild(true)).differences).to.deep.equal([
      { table: 'users', onlyServing: 1, onlyReplayed: 1 },
    ])
    expect((await rebuild(false)).swapped).to.equal(true)
    expect((await rebuild(true)).differences).to.deep.equal([])
    expect((await query(`select name from users where id = '${userId}'`)).rows).to.deep.equal([{ name: 'P' }])
  })

  it('EVT-03 swaps the tables of a running instance under load, without losing anything', async () => {
    const acknowledged: string[] = []
    let going = true
    const load = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (going) acknowledged.push((await invite()).userId)
      }),
    )
    try {
      for (let round = 0; round < 6; round++) {
        expect((await rebuild(round % 2 === 0)).differences).to.deep.equal([])
        const seen = acknowledged.slice()
        const { rows } = await query('select id from users')
        expect(rows.map(({ id }) => id)).to.include.members(seen)
      }
    } finally {
      going = false
    }
    await load
    expect(acknowledged.length).to.be.greaterThan(20)
    const { rows } = await query('select id from users')
    expect(rows.map(({ id }) => id)).to.include.members(acknowledged)
    expect((await rebuild(true)).differences).to.deep.equal([])
  })

  it('EVT-03 works after a rebuild that crashed between its swap and its cleanup', async () => {
    await invite()
    await query(`create schema ${READ_MODELS}_old`)
    await query(`create table ${READ_MODELS}_old.users ()`)
    expect((await rebuild(false)).swapped).to.equal(true)
    expect((await rebuild(true)).differences).to.deep.equal([])
  })

  it('EVT-03 does not run twice concurrently', async () => {
    for (let i = 0; i < 20; i++) await invite()
    const outcomes = await Promise.allSettled([rebuild(false), rebuild(false)])
    const refused = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
    for (const { reason } of refused) expect(String(reason)).to.contain('another rebuild is running')
    expect((await rebuild(true)).differences).to.deep.equal([])
  })

  it('EVT-03 rebuilds missing read models, while the service keeps running', async () => {
    const { userId } = await invite()
    // The consumers may be writing to it at the same time.
    await until(
      () =>
        query(`drop schema ${READ_MODELS} cascade`).then(
          () => true,
          (error: unknown) => {
            if ((error as { code?: unknown }).code !== DEADLOCK) throw error
            return false
          },
        ),
      10_000,
      'the end of the schema',
    )
    expect((await rebuild(false)).rows['users']).to.equal(1)
    expect((await query(`select name from users where id = '${userId}'`)).rows).to.deep.equal([{ name: 'P' }])
    await invite()
    expect((await rebuild(true)).differences).to.deep.equal([])
  })

  it('CLI-01 leaves no connection open if a start fails midway', async () => {
    await service.stop()
    const open = async (): Promise<number> => {
      const client = new pg.Client({ connectionString: place.databaseUrl })
      await client.connect()
      const { rows } = await client.query<{ n: string }>(
        `select count(*) as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      )
      await client.end()
      return Number(rows[0]?.n)
    }
    const storage = await openStorage(place.config, recordingLog(), { attach: false })
    const unconfigured = async (sql: string): Promise<void> => {
      const client = new pg.Client({ connectionString: place.databaseUrl })
      await client.connect()
      await client.query(sql)
      await client.end()
    }
    await unconfigured(`alter table ${READ_MODELS}.organization rename to elsewhere`)
    const failed = await startCore(storage, place.config, recordingLog()).catch((error: unknown) => error)
    expect(failed).to.be.instanceOf(Error)
    await until(async () => (await open()) === 0, 5000, 'no connection')
    await unconfigured(`alter table ${READ_MODELS}.elsewhere rename to organization`)
    service = await testService(place)
  })
})
