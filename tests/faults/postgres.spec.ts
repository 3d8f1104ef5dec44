/** The database fails under a running service: it responds in time, keeps running, recovers and loses nothing. */
import { expect } from 'chai'
import pg from 'pg'
import { ask, expectNothingLost, startLoad, type Load } from '../support/service/load.ts'
import { ownPostgres, serve, type OwnPostgres, type ServeProcess } from '../support/service/processes.ts'
import { seededPlace, type SeededPlace } from '../support/service/seeded.ts'
import { until } from '../support/until.ts'

describe('svc serve, with a failing Postgres', function () {
  this.timeout(120_000)
  let postgres: OwnPostgres
  let place: SeededPlace
  let service: ServeProcess
  let load: Load
  before(async () => {
    postgres = await ownPostgres()
    place = await seededPlace(postgres.url)
    service = await serve(place.setting)
  })
  after(async () => {
    await service.kill('SIGKILL')
    await postgres.remove()
    await place.drop()
  })
  beforeEach(async () => {
    load = startLoad({ urls: () => [service.url], cookie: place.cookie })
    await progress()
  })
  afterEach(() => load.stop())

  const progress = async (limitMs = 20_000): Promise<void> => {
    const goal = load.counts.acknowledged + 20
    await until(() => load.counts.acknowledged >= goal, limitMs, 'acknowledged requests')
  }

  const connections = async (): Promise<number> => {
    const client = new pg.Client({ connectionString: postgres.url })
    await client.connect()
    const { rows } = await client.query<{ n: string }>(
      `select count(*) as n from pg_stat_activity where backend_type = 'client backend'`,
    )
    await client.end()
    return Number(rows[0]?.n)
  }

  const answers = (): Promise<boolean> => {
    const client = new pg.Client({ connectionString: postgres.url, connectionTimeoutMillis: 1000 })
    client.on('error', () => undefined)
    return client
      .connect()
      .then(() => client.query('select 1'))
      .then(
        () => client.end().then(() => true),
        () => false,
      )
  }

  const recovers = async (): Promise<void> => {
    await until(answers, 30_000, 'Postgres')
    const back = performance.now()
    await until(
      async () => (await ask(service.url, place.cookie, 'GET', '/users?limit=1')).status === 200,
      5000,
    )
    await progress()
    const took = performance.now() - back
    console.log(`      writes again ${String(Math.round(took))} ms after Postgres`)
    await load.stop()
    expect(service.child.exitCode).to.equal(null)
    expect(load.counts.unexpected).to.deep.equal([])
    await until(async () => (await fetch(`${service.url}/readyz`)).ok)
    await expectNothingLost(postgres.url, load)
    expect(await connections()).to.be.lessThan(60)
  }

  for (const [how, signal] of [
    ['killed', 'SIGKILL'],
    ['restarted', 'SIGINT'],
  ] as const)
    it(`EVT-01 recovers after Postgres is ${how}, and nothing acknowledged is lost`, async () => {
      const before = postgres.pid()
      postgres.signal(signal)
      await until(() => postgres.pid() !== undefined && postgres.pid() !== before, 30_000, 'another Postgres')
      await recovers()
    })

  it('EVT-01 responds in time while Postgres hangs, and continues afterwards', async () => {
    postgres.signal('SIGSTOP')
    const end = performance.now() + 5000
    const slowest = { health: 0, read: 0, write: 0 }
    const timed = async (what: keyof typeof slowest, work: () => Promise<{ status: number }>) => {
      const began = performance.now()
      const { status } = await work()
      slowest[what] = Math.max(slowest[what], performance.now() - began)
      expect(status, what).to.equal(503)
    }
    try {
      while (performance.now() < end)
        await Promise.all([
          timed('health', () => fetch(`${service.url}/healthz`)),
          timed('read', () => ask(service.url, place.cookie, 'GET', '/users?limit=1')),
          timed('write', () =>
            ask(service.url, place.cookie, 'POST', '/users', { email: 'hang@example.com', name: 'H' }),
          ),
        ])
    } finally {
      postgres.signal('SIGCONT')
    }
    console.log(`      slowest answers: ${JSON.stringify(slowest)}`)
    for (const ms of Object.values(slowest)) expect(ms).to.be.lessThan(7000)
    await recovers()
  })

  it('EVT-01 survives the loss of any of its connections', async () => {
    const client = new pg.Client({ connectionString: postgres.url })
    client.on('error', () => undefined)
    await client.connect()
    for (let n = 0; n < 25; n++) {
      await client.query(
        `select pg_terminate_backend(pid) from (select pid from pg_stat_activity
         where backend_type = 'client backend' and pid <> pg_backend_pid() order by random() limit 2) victims`,
      )
      const goal = load.counts.acknowledged + 3
      await until(() => load.counts.acknowledged >= goal, 20_000, 'acknowledged requests')
    }
    await client.end()
    await recovers()
  })
})
