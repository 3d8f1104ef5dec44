/** Read models of another version, when this version starts. */
import { expect } from 'chai'
import pg from 'pg'
import { groupCommands } from '../../adapters/application/commands/groups.ts'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { migrate } from '../../cli/server/migrate.ts'
import { rebuildReadModels } from '../../cli/server/rebuild.ts'
import { openStorage, type Storage } from '../../cli/server/storage.ts'
import { openPool } from '../../adapters/engines/postgres/pool.ts'
import { buildReadModels, type BuildProgress } from '../../projections/build.ts'
import type { EventSource } from '../../projections/source.ts'
import { BUILDING, fingerprints, READ_MODELS, UNVERSIONED } from '../../read-models/schema.ts'
import { recordingLog, system, testPlace, testService, type TestPlace } from '../support/service/service.ts'

/** The name of the schema of another version. */
const OTHER = 'rm_0123456789'

const build = async (...args: Parameters<typeof migrate>) => (await migrate(...args)).built

describe('Read models of another version', function () {
  this.timeout(120_000)
  let place: TestPlace
  let storage: Storage
  beforeEach(async () => {
    place = await testPlace()
    storage = await openStorage(place.config, recordingLog(), { attach: false })
  })
  afterEach(() => place.drop())

  const sql = async (statement: string): Promise<readonly Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: place.databaseUrl })
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows
    } finally {
      await client.end()
    }
  }

  /** Creates users and groups, and renames their read models to those of another version. */
  const history = async (name: string, people = 12): Promise<readonly string[]> => {
    const service = await testService(place)
    const { services } = service.core
    const ids: string[] = []
    for (let n = 0; n < people; n++) {
      const profile = { email: `p${String(n)}@example.com`, name: `P${String(n)}` }
      ids.push((await userCommands(services).invite({ profile, source: 'local' }, system)).userId)
      const { groupId } = await groupCommands(services).create(
        { name: `g${String(n)}`, source: 'local' },
        system,
      )
      await groupCommands(services).addMember(groupId, ids.at(-1) ?? '', undefined, system)
    }
    await service.stop()
    await sql(`alter schema ${READ_MODELS} rename to ${name}`)
    return ids
  }

  const expectIdentical = async (): Promise<void> => {
    const { differences } = await rebuildReadModels(place.config, recordingLog(), true)
    expect(differences).to.deep.equal([])
  }

  it('EVT-03 are not changed, and those of this version are built next to them', async () => {
    const ids = await history(UNVERSIONED)
    const steps: BuildProgress[] = []
    const built = await build(storage, recordingLog(), { progressed: (step) => steps.push(step) })
    expect(built).to.include({ source: null })
    expect(built?.replayed).to.have.members(Object.keys(fingerprints))
    expect(steps.map(({ done }) => done)).to.deep.equal(steps.map(({ done }) => done).sort((a, b) => a - b))
    expect(steps.at(-1)).to.include({ step: 'replaying', done: 1 })
    expect(await build(storage, recordingLog()), 'once').to.equal(null)
    expect(await sql(`select count(*)::int as n from ${UNVERSIONED}.users`)).to.deep.equal([
      { n: ids.length },
    ])
    await expectIdentical()
  })

  it('EVT-03 provide the tables that are filled in the same way, and only the others are replayed', async () => {
    await history(OTHER)
    await sql(`update ${OTHER}.fingerprint set fingerprint = jsonb_set(fingerprint, '{projection}', '"other"')
      where name = 'groups'`)
    await sql(`update ${OTHER}.groups set name = 'made differently'`)
    await sql(`update ${OTHER}.users set name = 'copied' where name = 'P3'`)
    const built = await build(storage, recordingLog())
    expect(built).to.include({ source: OTHER })
    expect(built?.replayed).to.deep.equal(['groups'])
    expect(await sql(`select name from ${READ_MODELS}.groups where name not like 'g%'`)).to.deep.equal([])
    expect(await sql(`select name from ${READ_MODELS}.users where name = 'copied'`)).to.have.length(1)
  })

  it('EVT-03 provide a table that knows fewer event types, unless the log has such an event', async () => {
    await history(OTHER)
    // Simulates the release before these types; for the second table the log has such events.
    await sql(`update ${OTHER}.fingerprint set fingerprint = fingerprint #- '{events,user.locked_out}'
      where name = 'audit_events'`)
    await sql(`update ${OTHER}.fingerprint set fingerprint = fingerprint #- '{events,group.created}'
      where name = 'groups'`)
    const built = await build(storage, recordingLog())
    expect(built?.replayed).to.deep.equal(['groups'])
    await expectIdentical()
  })

  it('EVT-03 provide all tables if none differs', async () => {
    await history(OTHER)
    const built = await build(storage, recordingLog())
    expect(built).to.deep.include({ source: OTHER, replayed: [], events: 0 })
    await expectIdentical()
  })

  it('EVT-03 an interrupted build continues where it stopped, with the same result', async () => {
    await history(UNVERSIONED, 40)
    let interrupted = 0
    let events = 0
    for (;;) {
      const stopping = new AbortController()
      const before = events
      const outcome = await build(storage, recordingLog(), {
        signal: stopping.signal,
        progressed: ({ events: read }) => {
          events = before + read
          // The next page is the last of this attempt.
          stopping.abort(new Error('interrupted'))
        },
      }).then(
        () => 'built',
        (error: unknown) => (error as Error).message,
      )
      if (outcome === 'built') break
      expect(outcome).to.equal('interrupted')
      interrupted++
      expect(interrupted).to.be.lessThan(50)
    }
    expect(interrupted).to.be.greaterThan(0)
    await expectIdentical()
  })

  it('EVT-03 a build rests after each page, when the page is committed', async () => {
    await sql(`alter schema ${READ_MODELS} rename to ${UNVERSIONED}`)
    const read: string[] = []
    const positionOf = (n: number): string => String(n).padStart(3, '0')
    const length = 25
    const source: EventSource = {
      subscribe: () => {
        throw new Error('a build reads pages')
      },
      head: () => Promise.resolve(positionOf(length)),
      read: (after, limit) => {
        read.push(after)
        const end = Math.min(length, Number(after) + limit)
        const leftOut = end - Number(after)
        const position = positionOf(end)
        return Promise.resolve({ events: [], position, caughtUp: end === length, unknown: 0, leftOut })
      },
    }
    const groups = { name: 'core', source, tables: [{ name: 'groups', key: ['id'], on: {} }] }
    const committed: unknown[] = []
    const pool = openPool(place.databaseUrl, BUILDING, {
      max: 2,
      connectTimeout: 10_000,
      statementTimeout: 10_000,
      idleTransactionTimeout: 10_000,
    })
    await buildReadModels({
      consumers: () => [groups],
      pool,
      page: 10,
      rest: async (workedMs) => {
        expect(workedMs).to.be.above(0)
        expect(read.splice(0), 'pages read before the rest').to.have.length.at.most(
          committed.length === 0 ? 2 : 1,
        )
        committed.push(...(await sql(`select position from ${BUILDING}.checkpoint`)))
        return true
      },
    })
    await pool.end()
    expect(committed).to.deep.equal([{ position: '010' }, { position: '020' }, { position: '025' }])
  })

  it('EVT-03 a build whose source tables are gone starts from the beginning', async () => {
    await history(OTHER)
    await build(storage, recordingLog())
    await sql(`alter schema ${READ_MODELS} rename to ${BUILDING}`)
    await sql(`create table ${BUILDING}.build (plan jsonb not null, copied_at jsonb)`)
    await sql(`insert into ${BUILDING}.build (plan)
      values ('{"source": "rm_9999999999", "copied": ["users"], "replayed": []}')`)
    await sql(`update ${BUILDING}.users set name = 'half'`)
    await sql(`drop schema ${OTHER} cascade`)
    expect(await build(storage, recordingLog())).to.include({ source: null })
    await expectIdentical()
  })

  it('EVT-03 two instances that start together build once', async () => {
    await history(UNVERSIONED)
    const built = await Promise.all([build(storage, recordingLog()), build(storage, recordingLog())])
    expect(built.filter((report) => report !== null)).to.have.length(1)
    await expectIdentical()
  })
})
