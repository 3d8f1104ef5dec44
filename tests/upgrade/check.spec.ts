/** `svc upgrade --check`: what an upgrade would do, without doing it. */
import { expect } from 'chai'
import { join } from 'node:path'
import { checkUpgrade } from '../../cli/server/upgrade-check.ts'
import { fingerprints, READ_MODELS } from '../../read-models/schema.ts'
import { runSvc } from '../support/service/processes.ts'
import { recordingLog } from '../support/service/service.ts'
import { embeddedPlace, openFolder } from '../support/upgrade/embedded.ts'
import { olderPlace, OTHER, type OlderPlace } from '../support/upgrade/older-place.ts'

describe('svc upgrade --check', function () {
  this.timeout(120_000)
  let place: OlderPlace
  before(async () => {
    place = await olderPlace({ events: 1, changed: ['groups'] })
  })
  after(() => place.drop())

  const schemas = async (): Promise<readonly unknown[]> =>
    (await place.sql(`select nspname from pg_namespace where nspname !~ '^pg_' order by nspname`)).map(
      ({ nspname }) => nspname,
    )

  it('EVT-03 prints tables, events, time and disk, and changes nothing', async () => {
    const before = await schemas()
    const { code, output } = await runSvc(['upgrade', '--check'], place.setting)
    expect(code, output).to.equal(0)
    expect(output).to.contain('Tables to rebuild: 1 (groups)\n')
    const copied = String(Object.keys(fingerprints).length - 1)
    expect(output).to.match(new RegExp(`Tables to copy: ${copied}, in about \\d+ s\n`))
    expect(output).to.match(new RegExp(`Events to replay: ${String(place.events)}, in about \\d+ s\n`))
    expect(output).to.match(/Disk: about \d+\.\d MiB needed\n/)
    expect(await schemas()).to.deep.equal(before)
  })

  it('EVT-03 gives the same as JSON', async () => {
    const { code, output } = await runSvc(['upgrade', '--check', '--json'], place.setting)
    expect(code, output).to.equal(0)
    const { migrations, build } = JSON.parse(output) as Awaited<ReturnType<typeof checkUpgrade>>
    expect(migrations).to.deep.equal([])
    expect(build).to.include({ source: OTHER, events: place.events, diskFree: null })
    expect(build?.replayed).to.deep.equal(['groups'])
    expect(build?.secondsToReplay).to.be.greaterThan(0)
    expect(build?.secondsToCopy).to.be.greaterThan(0)
    expect(build?.diskNeeded).to.be.greaterThan(100_000)
  })

  it('EVT-03 infers the time of a long log from its first 2,000 events', async () => {
    const long = await olderPlace({ events: 3000 })
    try {
      const { build } = await checkUpgrade(long.config, recordingLog())
      expect(build?.events).to.equal(long.events)
      expect(build?.replayed).to.have.members(Object.keys(fingerprints))
    } finally {
      await long.drop()
    }
  })

  it('EVT-03 names the migrations that are missing', async () => {
    await place.sql('begin; create table kept as select * from work.migration; commit')
    await place.sql(`delete from work.migration where name > '0002'`)
    try {
      const { migrations } = await checkUpgrade(place.config, recordingLog())
      expect(migrations).to.include('work/0003_event_types')
    } finally {
      await place.sql('insert into work.migration select * from kept on conflict do nothing; drop table kept')
    }
  })

  it('EVT-03 reports that nothing is to be upgraded, even if there is no database', async () => {
    expect((await runSvc(['migrate'], place.setting)).code).to.equal(0)
    const { code, output } = await runSvc(['upgrade', '--check'], place.setting)
    expect([code, output]).to.deep.equal([0, 'Nothing to upgrade.\n'])
    expect(await schemas()).to.include(READ_MODELS)
    await place.forgetBuilt()
    const folder = await openFolder()
    const { config, drop } = await embeddedPlace(join(folder.path, 'data'))
    expect(await checkUpgrade(config, recordingLog())).to.deep.equal({ migrations: [], build: null })
    await drop()
    await folder.remove()
  })

  it('CLI-01 needs --check, because every start upgrades', async () => {
    const { code, output } = await runSvc(['upgrade'], place.setting)
    expect(code).to.equal(2)
    expect(output).to.contain('svc upgrade --check')
  })
})
