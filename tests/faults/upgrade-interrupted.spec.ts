/**
 * A process that builds the read models of its version is killed, loses its Postgres, or finds the disk full:
 * incomplete tables are never read, and the next start completes them. SVC_CAMPAIGN_EVENTS kills at every hundredth
 * event of a longer log.
 */
import { expect } from 'chai'
import type { ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { rebuildReadModels } from '../../cli/server/rebuild.ts'
import { BUILDING, READ_MODELS } from '../../read-models/schema.ts'
import { limitedDisk } from '../support/upgrade/limited-disk.ts'
import { olderPlace, OTHER, type OlderPlace } from '../support/upgrade/older-place.ts'
import { ownPostgres, runSvc, startSvc, type OwnPostgres } from '../support/service/processes.ts'
import { freePort, recordingLog } from '../support/service/service.ts'
import { until } from '../support/until.ts'

const killer = new URL('../support/secret-key/kill-at-statement.mjs', import.meta.url).href
const atStatement = (text: string, signal: 'SIGKILL' | 'SIGSTOP' = 'SIGKILL') => ({
  NODE_OPTIONS: `--import=${killer}`,
  KILL_AT: text,
  KILL_SIGNAL: signal,
})

/** Number of events per page, which is one transaction. */
const PAGE = 100
const MIGRATE = ['migrate', '--page-size', String(PAGE)]
/** The last statement of each page */
const PAGE_WRITTEN = 'update checkpoint set position'

/** A statement before each page, at which the process holds no lock yet */
const PAGE_BEGINS = 'set local synchronous_commit to off'

const campaignEvents = Number(process.env['SVC_CAMPAIGN_EVENTS'] ?? 0)

const schemas = async ({ sql }: OlderPlace): Promise<readonly unknown[]> =>
  (await sql(`select nspname from pg_namespace where nspname ~ '^rm' order by nspname`)).map(
    ({ nspname }) => nspname,
  )

/** Checks that the next start produces the same rows as a replay from the beginning. */
const expectFinishes = async (place: OlderPlace): Promise<string> => {
  expect(await schemas(place), 'half built').not.to.include(READ_MODELS)
  const { code, output } = await runSvc(MIGRATE, place.setting)
  expect(code, output).to.equal(0)
  expect(await schemas(place)).to.deep.equal([OTHER, READ_MODELS].sort())
  const { differences } = await rebuildReadModels(place.config, recordingLog(), true)
  expect(differences).to.deep.equal([])
  return output
}

const killedAt = async (place: OlderPlace, statement: string): Promise<string> => {
  await place.forgetBuilt()
  const { code, output } = await runSvc(MIGRATE, place.setting, atStatement(statement))
  expect(code, `${statement}: ${output}`).to.equal('SIGKILL')
  return expectFinishes(place)
}

/** Processes that a failed test may leave behind. */
const stopped = new Set<ChildProcess>()

/** A process that has stopped before a statement. */
const stoppedAt = async (
  place: OlderPlace,
  args: readonly string[],
  statement: string,
  others: Readonly<Record<string, string>> = {},
) => {
  const started = startSvc(args, place.setting, { ...atStatement(statement, 'SIGSTOP'), ...others })
  const isStopped = async (): Promise<boolean> =>
    / T /.test(await readFile(`/proc/${String(started.child.pid)}/stat`, 'utf8').catch(() => ''))
  stopped.add(started.child)
  await until(isStopped, 60_000, `svc stopped before ${statement}`)
  return started
}

const DISK_FULL =
  /^svc: The disk of the database is full\. Free some space and start again: the upgrade continues where it stopped\./m

describe('An upgrade that is killed', function () {
  this.timeout(campaignEvents === 0 ? 120_000 : 3_600_000)
  describe('while it replays', () => {
    let place: OlderPlace
    after(() => place.drop())
    before(async () => {
      place = await olderPlace({ events: Math.max(1, campaignEvents) })
    })

    it('EVT-03 continues at the last complete page, with the same result', async () => {
      const all = Array.from({ length: 2 * Math.ceil(place.events / PAGE) }, (_, n) => n + 1)
      // Between the tables of the core and those of the audit trail.
      const few = [Math.ceil(place.events / PAGE)]
      for (const page of campaignEvents === 0 ? few : all) {
        const output = await killedAt(place, `${PAGE_WRITTEN}#${String(page)}`)
        const replayed = Number(/replayed (\d+) events/.exec(output)?.[1])
        expect(replayed, `page ${String(page)}`).to.be.at.most(2 * place.events - (page - 2) * PAGE)
        if (campaignEvents > 0)
          console.log(`      killed before page ${String(page)} was written: then ${String(replayed)} events`)
      }
    })
  })

  describe('while it copies or finishes', () => {
    let place: OlderPlace
    after(() => place.drop())
    before(async () => {
      place = await olderPlace({ events: 1, changed: ['groups', 'audit_events'] })
    })

    const fewMoments = [
      ['while it copies', `insert into users select * from ${OTHER}`],
      ['right before the tables get their name', `rename to ${READ_MODELS}`],
    ] as const
    const otherMoments = [
      ['when it has built nothing', `create schema ${BUILDING}`],
      ['when everything is copied', 'update build set copied_at'],
      ['when it finishes', 'drop table build'],
    ] as const
    for (const [moment, statement] of [...fewMoments, ...(campaignEvents === 0 ? [] : otherMoments)])
      it(`EVT-03 has the same result: ${moment}`, () => killedAt(place, statement))
  })
})

describe('An upgrade whose database fails', function () {
  this.timeout(120_000)
  let postgres: OwnPostgres
  let place: OlderPlace
  before(async () => {
    postgres = await ownPostgres()
    place = await olderPlace({ events: 1, databaseUrl: postgres.url })
  })
  after(async () => {
    await place.drop()
    await postgres.remove()
  })
  beforeEach(() => place.forgetBuilt())
  afterEach(() => {
    for (const child of stopped) child.kill('SIGKILL')
    stopped.clear()
  })

  /** Kills Postgres, which then restarts. */
  const killPostgres = async (): Promise<void> => {
    const before = postgres.pid()
    postgres.signal('SIGKILL')
    await until(() => postgres.pid() !== undefined && postgres.pid() !== before, 30_000, 'another Postgres')
  }
  const answers = (): Promise<boolean> =>
    place.sql('select').then(
      () => true,
      () => false,
    )

  it('EVT-03 ends with exit code 5 when Postgres is killed, and the next start completes the upgrade', async () => {
    const { child, exited, output } = await stoppedAt(place, MIGRATE, `${PAGE_WRITTEN}#5`)
    await killPostgres()
    child.kill('SIGCONT')
    expect(await exited, output()).to.equal(5)
    expect(output()).to.match(/^svc: A store is unavailable: .*$/m)
    await until(answers, 30_000, 'Postgres')
    await expectFinishes(place)
  })

  it('EVT-03 continues in svc serve once a killed Postgres responds again', async () => {
    const port = await freePort()
    const { child, exited, output } = await stoppedAt(place, ['serve'], `${PAGE_WRITTEN}#1`, {
      SVC_LISTEN: `127.0.0.1:${String(port)}`,
    })
    await killPostgres()
    await until(answers, 30_000, 'Postgres')
    child.kill('SIGCONT')
    await until(() => output().includes('Serving ') || child.exitCode !== null, 60_000, 'svc serve')
    expect(output()).to.contain('not started, will retry').and.to.contain('Serving ')
    child.kill('SIGTERM')
    expect(await exited).to.equal(0)
    const { differences } = await rebuildReadModels(place.config, recordingLog(), true)
    expect(differences).to.deep.equal([])
  })

  it('EVT-03 reports in one line that the disk is full, and the next start completes the upgrade', async () => {
    const { child, exited, output } = await stoppedAt(place, MIGRATE, `${PAGE_BEGINS}#5`)
    await place.sql(`create function full_disk() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`)
    await place.sql(
      `create trigger full_disk before insert on ${BUILDING}.memberships execute function full_disk()`,
    )
    child.kill('SIGCONT')
    expect(await exited, output()).to.equal(1)
    expect(output()).to.match(DISK_FULL)
    expect(output().trim().split('\n'), 'lines').to.have.length(1)
    await place.sql('drop function full_disk cascade')
    await expectFinishes(place)
  })

  // Only root may mount a small disk.
  if (campaignEvents === 0) return
  it('EVT-03 does the same on a really full disk', async () => {
    const disk = await limitedDisk(64)
    if (disk === null) throw new Error('run this campaign as root: it mounts a small disk')
    const database = new URL(postgres.url).pathname.slice(1)
    try {
      await place.sql(`create tablespace limited location '${disk.path}'`)
      await place.sql(`alter database ${database} set default_tablespace = limited`)
      const { child, exited, output } = await stoppedAt(place, MIGRATE, `${PAGE_WRITTEN}#2`)
      await disk.fill()
      child.kill('SIGCONT')
      expect(await exited, output()).to.equal(1)
      expect(output()).to.match(DISK_FULL)
      await disk.free()
      await expectFinishes(place)
    } finally {
      await place.forgetBuilt()
      await place.sql(`alter database ${database} reset default_tablespace`)
      await place.sql('drop tablespace if exists limited')
      await disk.remove()
    }
  })
})
