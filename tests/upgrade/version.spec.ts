/** `svc version`: prints the version of the program and of a database, without starting or changing anything. */
import { expect } from 'chai'
import { readdir } from 'node:fs/promises'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { programVersion } from '../../adapters/kernel/project.ts'
import { versions } from '../../cli/server/version.ts'
import { runSvc } from '../support/service/processes.ts'
import { testDatabase } from '../support/service/postgres.ts'
import { freePort, recordingLog, testPlace, testService, type TestPlace } from '../support/service/service.ts'
import { embeddedPlace, openFolder } from '../support/upgrade/embedded.ts'
import { READ_MODELS } from '../../read-models/schema.ts'

const WORK_MIGRATIONS = new URL('../../adapters/engines/postgres/migrations/work/', import.meta.url)

describe('svc version', function () {
  this.timeout(120_000)
  let place: TestPlace
  before(async () => {
    place = await testPlace()
  })
  after(() => place.drop())
  const program = { version: programVersion(), node: process.version }

  it('prints the migrations of the database, its events and the release that it needs', async () => {
    const service = await testService(place)
    await service.person()
    await service.core.caughtUp()
    const { database, ...rest } = await versions(place.config, recordingLog())
    expect(rest).to.deep.equal({ ...program, noDatabase: null })
    const newest = (await readdir(WORK_MIGRATIONS)).sort().at(-1)?.replace('.sql', '')
    expect(database?.schemas.work).to.deep.equal({ name: newest, version: programVersion() })
    expect(database?.readModels).to.deep.equal({ schema: READ_MODELS, built: true, others: [] })
    expect(database?.needs).to.equal(null)
    if (place.config.eventStore.kind === 'database') expect(database?.head).to.be.greaterThan(3)

    await service.core.workPool.query(`insert into work.migration values ('9999_later', '', '0.10.0', now())`)
    await service.stop()
    const { code, output } = await runSvc(
      ['version'],
      { databaseUrl: place.databaseUrl, secretKey: place.config.secretKey ?? '' },
      { SVC_LOG_LEVEL: 'silent' },
    )
    expect(code).to.equal(0)
    expect(output)
      .to.match(/^svc {10}\d/)
      .and.to.contain('work         9999_later, by svc 0.10.0\n')
    expect(output).to.contain('needs        svc 0.10.0 or newer\n')
  })

  it('prints only the program if there is no database, if it is empty, or if it does not respond', async () => {
    const folder = await openFolder()
    const { config, drop } = await embeddedPlace(join(folder.path, 'data'))
    const none = await versions(config, recordingLog())
    expect(none).to.deep.equal({
      ...program,
      noDatabase: `${config.dataDir} contains no database`,
      database: null,
    })
    expect(await stat(config.dataDir).catch(() => 'missing')).to.equal('missing')

    const url = `postgres://nobody@127.0.0.1:${String(await freePort())}/none`
    const away = await versions({ ...config, database: { kind: 'postgres', url } }, recordingLog())
    expect(away.noDatabase).to.contain('the database is unavailable')
    const empty = await testDatabase()
    const { database } = await versions(
      { ...config, database: { kind: 'postgres', url: empty.url } },
      recordingLog(),
    )
    expect(database).to.deep.equal({
      schemas: { log: null, vault: null, work: null, proof: null },
      readModels: { schema: READ_MODELS, built: false, others: [] },
      head: null,
      treeSize: null,
      needs: null,
    })
    const client = new pg.Client({ connectionString: empty.url })
    await client.connect()
    const { rowCount } = await client.query(`select from pg_namespace where nspname ~ '^(log|work|rm)'`)
    await client.end()
    expect(rowCount, 'created').to.equal(0)
    await empty.drop()
    await drop()
    await folder.remove()
  })
})
