/** Two instances on one database, of which the one that provisions users hangs during the work. */
import { expect } from 'chai'
import type pg from 'pg'
import { storeLimits } from '../../cli/server/store-limits.ts'
import { provisionedApplication, type ProvisionedApplication } from '../support/scim/provisioning.ts'
import { serve, type ServeProcess } from '../support/service/processes.ts'
import { scimApp, type ScimApp } from '../support/scim/scim-app.ts'
import { testPlace, testService, type TestPlace, type TestService } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { READ_MODELS } from '../../read-models/schema.ts'

describe('Provisioning by two instances', function () {
  this.timeout(180_000)
  let place: TestPlace
  let app: ScimApp
  /** The instance that will hang; it pushes until then. */
  let one: ServeProcess
  let two: TestService
  let application: ProvisionedApplication
  let pool: pg.Pool

  const leader = async (): Promise<string | undefined> => {
    const { rows } = await pool.query<{ fence: string }>(
      `select fence from work.lease where name = 'provisioning' and expires_at > clock_timestamp()`,
    )
    return rows[0]?.fence
  }
  const isSynced = async (linked: number): Promise<boolean> => {
    const { counts, run, status } = (await application.own('GET')).body
    return status === 'ok' && run === null && counts.linked === linked && counts.pendingCreate === 0
  }
  const of = (line: RegExp) => app.requests.filter((request) => line.test(request.line))
  /** The hung instance continues, and has had the time to finish its step. */
  const wake = async (): Promise<void> => {
    one.child.kill('SIGCONT')
    let answers = 0
    await until(
      async () => {
        const answer = await fetch(`${one.url}/readyz`).catch(() => null)
        if (answer?.status === 200) answers++
        return answers === 20
      },
      20_000,
      'the sleeper',
    )
  }

  beforeEach(async () => {
    place = await testPlace()
    app = await scimApp()
    const setting = { databaseUrl: place.databaseUrl, secretKey: place.config.secretKey ?? '' }
    const preparing = await testService(place)
    await preparing.stop()
    one = await serve(setting)
    // The test checks how long a hung instance may hold the lease.
    two = await testService(place, { limits: storeLimits })
    pool = two.core.workPool
    application = await provisionedApplication(two)
    await until(async () => (await leader()) !== undefined)
  })
  afterEach(async () => {
    one.child.kill('SIGCONT')
    await one.kill('SIGKILL')
    await two.stop()
    await app.stop()
    await place.drop()
  })

  it('SCX-02 SCX-03 an instance hangs while it creates accounts: the other takes over, and each account is created once', async () => {
    const people = []
    for (let i = 0; i < 20; i++) people.push(await application.member())
    const before = await leader()
    let created = 0
    app.fault = (line) => {
      // The account is created, and the requesting instance never records it.
      if (line === 'POST /Users' && ++created === 6) one.child.kill('SIGSTOP')
      return null
    }
    await application.configure(app)
    await until(() => created >= 6, 20_000, 'the first accounts')
    const began = performance.now()
    await until(async () => ![before, undefined].includes(await leader()), 10_000, 'another leader')
    expect(performance.now() - began).to.be.lessThan(8000)
    await until(() => isSynced(20), 30_000, 'everybody')
    // A request that was half sent when the instance hung arrives afterwards, and is rejected.
    const names = of(/^POST/).map(({ body }) => body.userName as string)
    await wake()
    expect(await isSynced(20)).to.equal(true)
    expect(app.users.size).to.equal(20)
    expect(names.sort()).to.deep.equal(people.map(({ email }) => email).sort())
    for (const { email, userId } of people)
      expect(app.named(email)).to.include({ externalId: userId, active: true })
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::int as count from ${READ_MODELS}.audit_events where action = 'provisioning.user.create' group by other_id`,
    )
    expect(rows.map(({ count }) => count)).to.deep.equal(people.map(() => 1))
  })

  it('SCX-03 an instance hangs in a transaction that keeps the lease: the other still takes over', async () => {
    const before = await leader()
    // The connection of the hung instance, as far as the database can tell.
    const client = await two.core.services.pool.connect()
    client.on('error', () => undefined)
    try {
      await client.query('begin')
      await client.query(`select from work.lease where name = 'provisioning' for share`)
      one.child.kill('SIGSTOP')
      await until(async () => ![before, undefined].includes(await leader()), 8_000, 'another leader')
    } finally {
      client.release(true)
    }
  })

  it('SCX-02 an instance hangs between reading an account and writing it: its stale change is never written', async () => {
    const ada = await application.member({ name: 'Ada' })
    await application.configure(app)
    await until(() => isSynced(1), 20_000, 'the account')
    app.fault = (line) => {
      if (line.startsWith('GET /Users/')) {
        one.child.kill('SIGSTOP')
        app.fault = () => null
      }
      return null
    }
    const before = await leader()
    app.requests.length = 0
    await application.send('PATCH', `/users/${ada.userId}`, { name: 'Ada, first' })
    await until(() => of(/^GET/).length === 1, 20_000, 'the reading')
    await application.send('PATCH', `/users/${ada.userId}`, { name: 'Ada, second' })
    await until(async () => ![before, undefined].includes(await leader()), 10_000, 'another leader')
    await until(() => app.named(ada.email).displayName === 'Ada, second', 20_000, 'the second name')
    await wake()
    expect(of(/^PUT/).map(({ body }) => body.displayName as string)).to.deep.equal(['Ada, second'])
    expect(app.named(ada.email).displayName).to.equal('Ada, second')
  })
})
