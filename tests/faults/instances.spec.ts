/** Two instances on one database. */
import { expect } from 'chai'
import pg from 'pg'
import { ask, expectNothingLost, startLoad } from '../support/service/load.ts'
import { serve, type ServeProcess } from '../support/service/processes.ts'
import { seededPlace, type SeededPlace } from '../support/service/seeded.ts'
import { until } from '../support/until.ts'
import { READ_MODELS } from '../../read-models/schema.ts'

describe('two svc serve on one database', function () {
  this.timeout(120_000)
  let place: SeededPlace
  let one: ServeProcess
  let two: ServeProcess
  let admin: pg.Client
  beforeEach(async () => {
    place = await seededPlace()
    one = await serve(place.setting)
    two = await serve(place.setting)
    admin = new pg.Client({ connectionString: place.setting.databaseUrl })
    await admin.connect()
  })
  afterEach(async () => {
    await Promise.all([one.kill('SIGKILL'), two.kill('SIGKILL')])
    await admin.end()
    await place.drop()
  })

  const fence = async (): Promise<number> => {
    const { rows } = await admin.query<{ fence: string }>(
      `select fence from work.lease where name = '${READ_MODELS}.core'`,
    )
    return Number(rows[0]?.fence)
  }
  const invite = (on: ServeProcess, email: string) =>
    ask(on.url, place.cookie, 'POST', '/users', { email, name: 'P' })

  it('EVT-01 one instance shows immediately what the other has acknowledged', async () => {
    for (let n = 0; n < 40; n++) {
      const [writer, reader] = n % 2 === 0 ? [one, two] : [two, one]
      const { status, body } = await invite(writer, `p${String(n)}@example.com`)
      expect(status).to.equal(201)
      const read = await ask(reader.url, place.cookie, 'GET', `/users/${String(body['id'])}`)
      expect(read.status).to.equal(200)
    }
  })

  // The first instance to start runs the projections, because the second finds the lease taken.
  for (const [how, signal] of [
    ['is killed', 'SIGKILL'],
    ['sleeps', 'SIGSTOP'],
  ] as const)
    it(`EVT-01 the other takes over within five seconds when the projecting instance ${how}, and nothing is lost`, async () => {
      const load = startLoad({ urls: () => [two.url], cookie: place.cookie })
      await until(() => load.counts.acknowledged > 20, 20_000)
      const before = await fence()
      one.child.kill(signal)
      const began = performance.now()
      await until(async () => (await fence()) > before, 10_000, 'another holder of the lease')
      const goal = load.counts.acknowledged + 5
      await until(() => load.counts.acknowledged > goal, 10_000, 'acknowledged requests')
      const took = performance.now() - began
      const after = await fence()
      one.child.kill('SIGCONT')
      const more = load.counts.acknowledged + 20
      await until(() => load.counts.acknowledged > more, 20_000, 'acknowledged requests')
      await load.stop()
      expect(await fence()).to.equal(after)
      expect(took).to.be.lessThan(5000)
      await until(async () => (await fetch(`${two.url}/readyz`)).ok)
      await expectNothingLost(place.setting.databaseUrl, load)
    })
})
