import { expect } from 'chai'
import fc from 'fast-check'
import type { Position, RecordedEvent } from '../../adapters/engines/event-log/event-log.ts'
import { recentEvents } from '../../adapters/engines/event-log/postgres/recent-events.ts'
import { padPosition } from '../../adapters/engines/event-log/postgres/writer.ts'
import { SEED } from '../support/random.ts'

const eventAt = (place: number, size = 1): RecordedEvent => ({
  ...{ stream: 'user-1', revision: place, position: padPosition(String(place)), id: String(place) },
  ...{ type: 'user.suspended', data: { text: 'x'.repeat(size) }, metadata: {}, recorded: '0' },
})

/** A log in memory, whose queries are counted, and readers of it. */
const memoryLog = (pageLimit = Infinity) => {
  const events: RecordedEvent[] = []
  let queries = 0
  let notifications = 0
  const sizeOf = ({ data }: RecordedEvent): number => (data['text'] as string).length
  return {
    events,
    queries: () => queries,
    append: (count: number, size?: number) => {
      for (let i = 0; i < count; i++) events.push(eventAt(events.length + 1, size))
    },
    notify: () => void notifications++,
    now: () => notifications,
    query: (after: Position, limit: number) => {
      queries++
      const following = events.filter(({ position }) => position > after)
      const page = following.slice(0, Math.min(limit, pageLimit))
      const size = page.reduce((total, event) => total + sizeOf(event), 0)
      return Promise.resolve({ events: page, last: page.length === following.length, size })
    },
  }
}

const step = fc.oneof(
  fc.record({ kind: fc.constant('append' as const), count: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ kind: fc.constant('notify' as const) }),
  fc.record({
    kind: fc.constant('read' as const),
    reader: fc.nat({ max: 2 }),
    limit: fc.integer({ min: 1, max: 12 }),
  }),
)

describe('Recent events of the Postgres log', () => {
  it('EVT-01 give every reader every event once, in order, and its end only once it has been reached', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.integer({ min: 1, max: 8 }),
        fc.array(step, { maxLength: 60 }),
        async (scheduler, pageLimit, steps) => {
          const log = memoryLog(pageLimit)
          const read = recentEvents(
            scheduler.scheduleFunction((after: Position, limit: number) => log.query(after, limit)),
            log,
          )
          const readers = [0, 1, 2].map(() => ({
            seen: [] as string[],
            position: '' as Position,
            busy: false,
          }))
          let notified = 0
          const readPage = async (reader: (typeof readers)[number], limit: number): Promise<boolean> => {
            const known = notified
            reader.busy = true
            const { events, last } = await read(reader.position, limit)
            reader.busy = false
            expect(events.length).to.be.at.most(limit)
            reader.seen.push(...events.map(({ id }) => id))
            reader.position = events.at(-1)?.position ?? reader.position
            if (last) expect(reader.seen.length).to.be.at.least(known)
            return last
          }
          const running: Promise<unknown>[] = []
          for (const one of steps) {
            if (one.kind === 'append') log.append(one.count)
            else if (one.kind === 'notify') {
              log.notify()
              notified = log.events.length
            } else {
              const reader = readers[one.reader]
              if (reader !== undefined && !reader.busy) running.push(readPage(reader, one.limit))
            }
          }
          await scheduler.waitFor(Promise.all(running))
          log.notify()
          notified = log.events.length
          for (const reader of readers) {
            while (!(await scheduler.waitFor(readPage(reader, 12))));
            expect(reader.seen).to.deep.equal(log.events.map(({ id }) => id))
          }
        },
      ),
      { seed: SEED, numRuns: 300 },
    )
  })

  it('EVT-01 are fetched once, and are the same objects for all readers', async () => {
    const log = memoryLog()
    const read = recentEvents(log.query, log)
    log.append(3)
    const [first, second] = await Promise.all([read('' as Position, 500), read('' as Position, 500)])
    log.append(2)
    log.notify()
    await read(padPosition('3'), 500)
    const third = await read(padPosition('1'), 500)
    expect(log.queries()).to.equal(2)
    expect(second.events[1]).to.equal(first.events[1])
    expect(third.events.map(({ id }) => id)).to.deep.equal(['2', '3', '4', '5'])
    expect(third.events[0]).to.equal(first.events[1])
    expect(third.last).to.equal(true)
  })

  it('EVT-01 take a bounded amount of memory: older events are read from the database again', async () => {
    for (const { count, size } of [
      { count: 500, size: 1 },
      { count: 1, size: 5_000_000 },
    ]) {
      const log = memoryLog()
      const read = recentEvents(log.query, log)
      for (let page = 0; page < 6; page++) {
        log.append(count, size)
        log.notify()
        await read(page === 0 ? ('' as Position) : padPosition(String(page * count)), 500)
      }
      const before = log.queries()
      await read(padPosition(String(6 * count - 1)), 500)
      expect(log.queries(), 'recent').to.equal(before)
      await read(padPosition('0'), 500)
      expect(log.queries(), 'old').to.be.greaterThan(before)
    }
  })

  it('EVT-01 a failed query fails its readers, and the next one is made again', async () => {
    let fails = true
    const log = memoryLog()
    log.append(1)
    const read = recentEvents(
      (after, limit) => (fails ? Promise.reject(new Error('no connection')) : log.query(after, limit)),
      log,
    )
    const failed = await Promise.allSettled([read('' as Position, 5), read('' as Position, 5)])
    expect(failed.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected'])
    fails = false
    expect((await read('' as Position, 5)).events).to.have.length(1)
  })
})
