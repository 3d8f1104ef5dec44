/** The results for `?at=` equal those of a replay that stops at that time. */
import { expect } from 'chai'
import fc from 'fast-check'
import type pg from 'pg'
import type { Position } from '../../adapters/engines/event-log/event-log.ts'
import { applicationRecords } from '../../adapters/inbound/api/application-schemas.ts'
import { openPool } from '../../adapters/engines/postgres/pool.ts'
import { replayInto } from '../../cli/server/replay.ts'
import type { Instant } from '../../domain/time.ts'
import { accessOfUser, peopleWithAccess } from '../../read-models/queries/access.ts'
import { listApplications } from '../../read-models/queries/applications.ts'
import { listGroups } from '../../read-models/queries/groups.ts'
import { listMembers } from '../../read-models/queries/memberships.ts'
import { READ_MODELS } from '../../read-models/schema.ts'
import { beginning, cast, pastHistories, play, type Cast, type Step } from '../support/api/past-model.ts'
import { testDatabase } from '../support/service/postgres.ts'
import {
  recordingLog,
  testPlace,
  testService,
  type TestPerson,
  type TestPlace,
} from '../support/service/service.ts'
import type { TestService } from '../support/service/service.ts'

const RUNS = 3
const STEPS = [14, 22] as const
const ALL = 200
const FIRST = { limit: ALL, sort: 'name' } as const

/** Two users get access and still have it at the last check: random histories alone might grant none. */
const whoStays: [readonly Step[], [number, boolean][]] = [
  [
    { what: 0, person: 1, group: 0, application: 0, skew: 0 },
    { what: 8, person: 0, group: 0, application: 0, skew: 0 },
  ],
  [
    [0, false],
    [1, false],
  ],
]

describe('the past', function () {
  this.timeout(150_000)
  let place: TestPlace
  let service: TestService
  let admin: TestPerson
  const seen = { people: 0, paths: 0, gained: 0, lost: 0 }

  before(async () => {
    place = await testPlace()
    service = await testService(place)
    admin = await service.person({ name: 'Grantor' }, ['global_admin'])
  })
  after(async () => {
    await service.stop()
    await place.drop()
  })

  const ask = async (path: string): Promise<readonly Record<string, unknown>[]> => {
    const { status, body } = await service.api('GET', path, { as: admin })
    expect(status, path).to.equal(200)
    return body as readonly Record<string, unknown>[]
  }

  const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
  const by = <Row>(key: (row: Row) => string, rows: readonly Row[]): readonly Row[] =>
    [...rows].sort((a, b) => (key(a) < key(b) ? -1 : 1))

  /** Returns the results of all queries for a time. */
  const answersAt = async ({ people, groups, applications }: Cast, time: Instant) => ({
    applications: await Promise.all(
      applications.map((id) => ask(`/applications/${id}/access?at=${time}&limit=200`)),
    ),
    people: await Promise.all(people.map((id) => ask(`/users/${id}/access?at=${time}`))),
    groups: await Promise.all(groups.map((id) => ask(`/groups/${id}/members?at=${time}&limit=200`))),
    lists: await Promise.all(['/groups', '/applications'].map((path) => ask(`${path}?at=${time}&limit=200`))),
  })

  /** Returns the same for the current state of a replayed database. */
  const answersNow = async ({ people, groups, applications }: Cast, pool: pg.Pool, now: Instant) => ({
    applications: await Promise.all(
      applications.map(async (id) =>
        by(
          ({ userId }) => userId,
          (await peopleWithAccess(pool, id, now, ALL)).map(({ sortKey: _, ...row }) => row),
        ),
      ),
    ),
    people: await Promise.all(
      people.map(async (id) =>
        (await accessOfUser(pool, id, now)).map(({ applicationId, name, status, reaches, via }) => ({
          ...{ applicationId, name, status, reaches, via },
        })),
      ),
    ),
    groups: await Promise.all(
      groups.map(async (id) =>
        by(({ userId, position }) => `${userId} ${position}`, await listMembers(pool, id, {}, now, ALL)).map(
          ({ sortKey: _, position: __, ...row }) => row,
        ),
      ),
    ),
    lists: [
      by(({ id }) => id, await listGroups(pool, {}, FIRST, now)).map(({ sortKey: _, ...row }) => row),
      by(({ id }) => id, await listApplications(pool, {}, FIRST)).map(({ sortKey: _, ...row }) =>
        applicationRecords(service.publicUrl)(row),
      ),
    ],
  })

  const replayed = async <T>(time: Instant, work: (pool: pg.Pool) => Promise<T>): Promise<T> => {
    const database = await testDatabase()
    const pool = openPool(database.url, READ_MODELS, { max: 4 })
    try {
      await replayInto(place.config, recordingLog(), { until: { time }, into: database.url })
      return await work(pool)
    } finally {
      await pool.end()
      await database.drop()
    }
  }

  /** Returns the times of everything recorded since a log position. */
  const timesSince = async (position: string): Promise<readonly Instant[]> => {
    const now = service.core.services.clock.now()
    const events = await service.core.eventLog.readAll(position as Position, 5000)
    return events.map(({ metadata }) => metadata['time'] as Instant).filter((time) => time < now)
  }

  const justBefore = (time: Instant): Instant => {
    const micros = BigInt(Date.parse(`${time.slice(0, 23)}Z`)) * 1000n + BigInt(time.slice(23, 26)) - 1n
    return `${new Date(Number(micros / 1000n)).toISOString().slice(0, 23)}${String(micros % 1000n).padStart(3, '0')}Z`
  }

  const reaching = (rows: readonly Record<string, unknown>[]): readonly string[] =>
    rows.filter(({ reaches }) => reaches === true).map(({ userId }) => String(userId))

  it('EVT-05 the results for ?at= equal those of a replay that stops at that time', async () => {
    await fc.assert(
      fc.asyncProperty(
        pastHistories(...STEPS),
        fc.array(fc.tuple(fc.nat(), fc.boolean()), { minLength: 2, maxLength: 2 }),
        async (steps, moments) => {
          const those = await cast(service)
          const first = service.core.services.clock.now()
          await play(service, those, beginning, admin)
          const from = await service.core.eventLog.head()
          await play(service, those, steps, admin)
          const times = await timesSince(from)
          const sampled = moments
            .map(([n, before]) => {
              const time = times[n % times.length] ?? ''
              return before ? justBefore(time) : time
            })
            .sort()
          const answers = []
          for (const time of sampled) {
            const then = await answersAt(those, time)
            const now = await replayed(time, (pool) => answersNow(those, pool, time))
            expect(then, time).to.deep.equal(json(now))
            answers.push(then)
            seen.people += then.groups.flat().length
            seen.paths += then.applications.flat().length
          }
          const last = sampled.at(-1) ?? ''
          const had = await answersAt(those, first)
          for (const [n, id] of those.applications.entries()) {
            const [before, after] = [had, answers.at(-1)].map((then) => reaching(then?.applications[n] ?? []))
            const changes = await ask(`/applications/${id}/access/diff?from=${first}&to=${last}&limit=200`)
            const who = (change: string) =>
              changes.filter((row) => row['change'] === change).map(({ userId }) => String(userId))
            expect(who('gained')).to.have.members((after ?? []).filter((each) => !before?.includes(each)))
            expect(who('lost')).to.have.members((before ?? []).filter((each) => !after?.includes(each)))
            for (const { causes } of changes) expect(causes).to.not.have.length(0)
            seen.gained += who('gained').length
            seen.lost += who('lost').length
          }
        },
      ),
      { numRuns: RUNS + 1, plugins: [fc.interruptAfterTimeLimit(100_000)], examples: [whoStays] },
    )
    if (process.env['SVC_TEST_LOG'] === '1') process.stderr.write(`${JSON.stringify(seen)}\n`)
    // The property would also be true for histories in which no user ever gets access.
    expect(seen.people, JSON.stringify(seen)).to.be.greaterThan(0)
    expect(seen.paths, JSON.stringify(seen)).to.be.greaterThan(0)
    expect(seen.gained, JSON.stringify(seen)).to.be.greaterThan(0)
  })
})
