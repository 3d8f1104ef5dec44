import { expect } from 'chai'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import pg from 'pg'
import { ask, expectNothingLost, startLoad } from '../support/service/load.ts'
import { runSvc, serve } from '../support/service/processes.ts'
import { STRANGER } from '../support/service/postgres.ts'
import { seededPlace, type SeededPlace } from '../support/service/seeded.ts'
import { freePort } from '../support/service/service.ts'
import { until } from '../support/until.ts'

describe('svc serve, started and stopped', function () {
  this.timeout(120_000)
  let place: SeededPlace
  before(async () => {
    place = await seededPlace()
  })
  after(() => place.drop())

  const refused = async (
    others: Readonly<Record<string, string>>,
    code: number,
    ...words: readonly string[]
  ): Promise<void> => {
    const ended = await runSvc(['serve'], place.setting, others)
    for (const word of words) expect(ended.output).to.contain(word)
    expect(ended.output).not.to.match(/^\s+at /m)
    expect(ended.code).to.equal(code)
  }

  it('CLI-01 stops on SIGTERM under load: exit code 0, nothing lost, port free', async () => {
    const service = await serve(place.setting)
    const load = startLoad({ urls: () => [service.url], cookie: place.cookie })
    await until(() => load.counts.acknowledged > 30, 20_000)
    const began = performance.now()
    expect(await service.kill('SIGTERM')).to.equal(0)
    const took = performance.now() - began
    await load.stop()
    expect(load.counts.unexpected).to.deep.equal([])
    await expectNothingLost(place.setting.databaseUrl, load)
    expect(took).to.be.lessThan(8000)
    const again = createServer()
    await new Promise<void>((done, fail) => {
      again.once('error', fail).listen(service.port, '127.0.0.1', done)
    })
    await new Promise((done) => again.close(done))
  })

  it('CLI-01 reports the variable whose port is in use', async () => {
    const taken = createServer()
    const port = await freePort()
    await new Promise<void>((done) => taken.listen(port, '127.0.0.1', done))
    try {
      await refused({ SVC_LISTEN: `127.0.0.1:${String(port)}` }, 2, 'SVC_LISTEN', String(port), 'in use')
    } finally {
      await new Promise((done) => taken.close(done))
    }
  })

  it('CLI-01 reports a wrong secret key', () =>
    refused({ SVC_SECRET_KEY: randomBytes(32).toString('base64url') }, 2, 'SVC_SECRET_KEY'))

  it('CLI-01 reports that the database is unavailable', async () => {
    const port = String(await freePort())
    for (const host of ['127.0.0.1', 'localhost'])
      await refused(
        { SVC_DATABASE_URL: `postgres://svc:x@${host}:${port}/none` },
        5,
        'SVC_DATABASE_URL',
        'ECONNREFUSED',
      )
    const wrong = new URL(place.setting.databaseUrl)
    wrong.username = STRANGER
    wrong.password = 'wrong'
    await refused({ SVC_DATABASE_URL: wrong.href }, 5, 'SVC_DATABASE_URL', 'password')
  })

  it('API-04 a request sent again with its Idempotency-Key takes effect once, even if the service crashed in between', async () => {
    const body = { email: 'once@example.com', name: 'Once' }
    const headers = { 'Idempotency-Key': randomBytes(8).toString('hex') }
    let service = await serve(place.setting)
    const unanswered = ask(service.url, place.cookie, 'POST', '/users', body, headers)
    await Promise.race([unanswered, service.kill('SIGKILL')])
    await service.kill('SIGKILL')
    service = await serve(place.setting)
    try {
      // The dead instance's claim on the key would last a minute.
      const client = new pg.Client({ connectionString: place.setting.databaseUrl })
      await client.connect()
      await client.query(`update work.idempotency set leased_until = '-infinity'`)
      await client.end()
      await until(
        async () => (await ask(service.url, place.cookie, 'POST', '/users', body, headers)).status === 201,
        20_000,
      )
      const { body: users } = await ask(service.url, place.cookie, 'GET', '/users?email=once@example.com')
      expect(users).to.have.length(1)
    } finally {
      await service.kill('SIGTERM')
    }
  })
})
