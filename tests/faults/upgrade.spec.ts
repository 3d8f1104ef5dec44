/** A version starts on read models that only a replay of the log can bring to its shape. */
import { expect } from 'chai'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startService } from '../../cli/server/service.ts'
import { recordingLog, testPlace, testService, type TestPlace } from '../support/service/service.ts'

/** A migration that wants a replay. */
const HISTORY = '0011_history.sql'

const forget = async (databaseUrl: string): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('delete from rm.migration where name >= $1', [HISTORY])
  await client.query('drop table rm.user_history')
  await client.end()
}

describe('Read models of an earlier version', function () {
  this.timeout(240_000)
  let place: TestPlace
  before(async () => {
    place = await testPlace()
  })
  after(() => place.drop())

  it('EVT-03 are replayed by the service itself at its start where the database is embedded', async function () {
    if (place.config.eventStore.kind === 'eventstoredb') this.skip()
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-upgrade-'))
    // Started by root, Postgres runs as another OS user, who has to come by here.
    await chmod(dataDir, 0o711)
    const secretKey = randomBytes(32).toString('base64url')
    const embedded: TestPlace = {
      ...place,
      config: { ...place.config, database: { kind: 'embedded' }, dataDir, secretKey },
    }
    try {
      const first = await testService(embedded)
      const { userId, email } = await first.person({ name: 'Ada' }, ['global_admin'])
      await forget(first.storage.databaseUrl)
      await first.stop()

      const again = await testService(embedded)
      const said = again.log.lines.filter((line) => line.startsWith('info'))
      expect(said.join('\n')).to.match(
        new RegExp(`replaying the log .*${HISTORY}[^]*log replayed .*"events":`),
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

      const third = await testService(embedded)
      expect(third.log.lines.join('\n'), 'once').not.to.contain('replay')
      await third.stop()
    } finally {
      await rm(dataDir, { recursive: true, force: true })
    }
  })

  it('EVT-03 keep it from starting while other instances may use them, and it prints what to run', async () => {
    const service = await testService(place)
    await service.stop()
    await forget(place.databaseUrl)
    const refused = await startService(place.config, recordingLog()).then(
      () => 'started',
      (error: unknown) => (error as Error).message,
    )
    expect(refused).to.contain(HISTORY).and.to.contain('svc projections rebuild')
  })
})
