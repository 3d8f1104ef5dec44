import { expect } from 'chai'
import { reused } from '../../adapters/kernel/reuse.ts'
import { serviceHealth } from '../../cli/server/health.ts'
import {
  freePort,
  recordingLog,
  testPlace,
  testService,
  type TestService,
} from '../support/service/service.ts'

const deferred = <T>() => {
  let resolve!: (value: T) => void
  let reject!: (error: Error) => void
  const promise = new Promise<T>((...both) => ([resolve, reject] = both))
  return { promise, resolve, reject }
}

describe('a result that is reused', () => {
  it('is queried once for all concurrent callers, and again once it is old', async () => {
    let now = 0
    let calls = 0
    let pending = deferred<number>()
    const ask = reused(
      () => {
        calls++
        return pending.promise
      },
      1000,
      () => now,
    )
    const first = [ask(), ask(), ask()]
    now = 5000
    first.push(ask())
    expect(calls).to.equal(1)
    pending.resolve(7)
    expect(await Promise.all(first)).to.deep.equal([7, 7, 7, 7])
    now = 5999
    expect(await ask()).to.equal(7)
    expect(calls).to.equal(1)
    now = 6000
    pending = deferred()
    const second = ask()
    pending.resolve(8)
    expect(await second).to.equal(8)
    expect(calls).to.equal(2)
  })

  it('is queried again after a failure', async () => {
    const outcomes = [Promise.reject(new Error('down')), Promise.resolve('up')]
    const ask = reused(
      () => outcomes.shift() ?? Promise.resolve('?'),
      1000,
      () => 0,
    )
    expect(await ask().catch((error: unknown) => String(error))).to.equal('Error: down')
    expect(await ask()).to.equal('up')
  })
})

describe('API-15 the health of the service', () => {
  let service: TestService
  let inside: string
  before(async () => {
    const port = await freePort()
    inside = `http://127.0.0.1:${String(port)}`
    service = await testService(await testPlace({ metricsListen: { host: '127.0.0.1', port } }))
  })
  after(() => service.stop())

  it('needs one query per second, for any number of requests', async () => {
    const { pool } = service.core.services
    const query = pool.query.bind(pool)
    let queries = 0
    const counting = Object.assign((...args: Parameters<typeof query>) => {
      if ((args[0] as unknown) === 'select 1') queries++
      return query(...args)
    }, query)
    Object.assign(pool, { query: counting })
    const started = performance.now()
    try {
      for (let round = 0; round < 10; round++)
        await Promise.all(
          Array.from({ length: 30 }, async () => {
            const answer = await fetch(`${service.publicUrl}/healthz`)
            expect(answer.status).to.equal(200)
            expect(answer.headers.get('content-type')).to.match(/^text\/plain/)
            expect(await answer.text()).to.equal('ok')
          }),
        )
    } finally {
      Object.assign(pool, { query })
    }
    expect(queries).to.be.within(1, 1 + Math.floor((performance.now() - started) / 1000))
  })

  it('reports readiness publicly, and its reasons only on the listener for metrics', async () => {
    const open = await fetch(`${service.publicUrl}/readyz`)
    expect([open.status, await open.text()]).to.deep.equal([200, 'ready'])
    const own = await fetch(`${inside}/readyz`)
    expect([own.status, await own.text()]).to.deep.equal([200, 'ready'])
    expect((await fetch(`${inside}/`)).status).to.equal(404)
  })

  it('logs why it is not ready when that changes, and not on every request', async () => {
    const log = recordingLog()
    const failed = { status: { failure: { eventId: 'event-1' } }, name: 'core' }
    const consumers: (typeof failed)[] = [failed]
    let now = 0
    let stopping = false
    const health = serviceHealth({
      core: { ...service.core, consumers: () => consumers as never },
      webhooks: { status: () => ({ heldUp: [] }) as never },
      provisioning: { status: () => ({ heldUp: [] }) as never },
      log,
      isStopping: () => stopping,
      now: () => now,
    })
    for (; now < 10_000; now += 400)
      expect(await health.notReady()).to.deep.equal(['core stopped at event event-1'])
    consumers.pop()
    for (; now < 20_000; now += 400) await health.notReady()
    expect(await health.notReady()).to.deep.equal([])
    expect(log.lines).to.deep.equal([
      'warn not ready {"reasons":["core stopped at event event-1"]}',
      'info ready again {}',
    ])
    stopping = true
    expect(await health.notReady()).to.deep.equal(['this instance is stopping'])
  })
})
