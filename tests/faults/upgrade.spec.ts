/** A version starts on read models of another version. */
import { expect } from 'chai'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startingServer } from '../../cli/server/starting-server.ts'
import { describeUpgrade, upgradeProgress } from '../../cli/server/upgrade-progress.ts'
import { READ_MODELS, UNVERSIONED } from '../../read-models/schema.ts'
import { freePort, recordingLog, testPlace, testService, type TestPlace } from '../support/service/service.ts'

const ofAnotherVersion = async (databaseUrl: string): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(`alter schema ${READ_MODELS} rename to ${UNVERSIONED}`)
  await client.end()
}

describe('Read models of an earlier version', function () {
  this.timeout(240_000)
  let place: TestPlace
  before(async () => {
    place = await testPlace()
  })
  after(() => place.drop())

  for (const kind of ['embedded', 'shared'] as const)
    it(`EVT-03 are replaced at the start of the service, once (${kind} database)`, async function () {
      if (kind === 'embedded' && place.config.eventStore.kind === 'eventstoredb') this.skip()
      const dataDir = await mkdtemp(join(tmpdir(), 'svc-upgrade-'))
      // If root starts Postgres, it runs as another OS user, who needs access to this folder.
      await chmod(dataDir, 0o711)
      const secretKey = randomBytes(32).toString('base64url')
      const here: TestPlace =
        kind === 'shared'
          ? place
          : { ...place, config: { ...place.config, database: { kind: 'embedded' }, dataDir, secretKey } }
      try {
        const first = await testService(here)
        const { userId, email } = await first.person({ name: 'Ada' }, ['global_admin'])
        const { databaseUrl } = first.storage
        if (kind === 'embedded') await ofAnotherVersion(databaseUrl)
        await first.stop()
        if (kind === 'shared') await ofAnotherVersion(databaseUrl)

        const again = await testService(here)
        const said = again.log.lines.filter((line) => line.startsWith('info'))
        expect(said.join('\n')).to.match(
          /building the read models of this version .*"percent":100[^]*read models of this version built .*"events":/,
        )
        const admin = await again.signIn(userId, email)
        expect((await again.api('GET', `/users/${userId}`, { as: admin })).body).to.include({
          name: 'Ada',
          email,
        })
        const { rows } = await again.core.services.pool.query('select from user_history where user_id = $1', [
          userId,
        ])
        expect(rows).not.to.have.length(0)
        await again.stop()

        const third = await testService(here)
        expect(third.log.lines.join('\n'), 'once').not.to.contain('read models of this version')
        await third.stop()
      } finally {
        await rm(dataDir, { recursive: true, force: true })
      }
    })
})

describe('The progress of an upgrade', () => {
  it('EVT-03 shows the share, the rate and the remaining time, in the log and on a terminal', () => {
    let now = 0
    const log = recordingLog()
    let shown = ''
    const terminal = { write: (text: string) => (shown += text) }
    for (const progress of [
      upgradeProgress(log, { now: () => now }),
      upgradeProgress(log, { terminal, now: () => now }),
    ]) {
      for (now = 0; now <= 100_000; now += 1000)
        progress.progressed({ step: 'replaying', done: now / 100_000, events: now * 15 })
      for (now = 100_000; now <= 110_000; now += 1000)
        progress.progressed({ step: 'copying', done: (now - 100_000) / 10_000, events: 1_500_000 })
      expect(progress.status()).to.deep.equal({
        step: 'copying',
        percent: 100,
        eventsPerSecond: 0,
        secondsLeft: 0,
      })
    }
    expect(log.lines).to.include(
      'info building the read models of this version {"step":"replaying","percent":20,"eventsPerSecond":15000,"secondsLeft":80}',
    )
    expect(log.lines).to.have.length.lessThan(30)
    expect(shown).to.contain(
      '[######                        ] building the read models of this version: replaying, 20 %, 15000 events/s, 80 s left',
    )
    expect(shown.endsWith('copying, 100 %, 0 s left\n')).to.equal(true)
  })

  it('EVT-03 determines the responses meanwhile: alive, not ready, and retry later', async () => {
    const [port, inside] = [await freePort(), await freePort()]
    const progress = upgradeProgress(recordingLog())
    const host = '127.0.0.1'
    const server = await startingServer(
      { listen: { host, port }, metricsListen: { host, port: inside } },
      progress,
      recordingLog(),
    )
    try {
      progress.progressed({ step: 'replaying', done: 0.4, events: 10 })
      const status = progress.status()
      const get = async (at: number, path: string) => {
        const response = await fetch(`http://${host}:${String(at)}${path}`)
        return [response.status, await response.text(), response.headers.get('retry-after')]
      }
      expect(await get(port, '/healthz')).to.deep.equal([200, 'ok', null])
      expect(await get(port, '/readyz')).to.deep.equal([503, 'not ready', null])
      expect(await get(port, '/oauth2/token')).to.deep.equal([
        503,
        'This service is being upgraded. Try again soon.',
        '5',
      ])
      expect(await get(inside, '/readyz')).to.deep.equal([503, status && describeUpgrade(status), null])
      expect((await get(inside, '/metrics'))[1]).to.contain('svc_upgrade_done_ratio 0.4')
    } finally {
      await server.close()
    }
  })
})
