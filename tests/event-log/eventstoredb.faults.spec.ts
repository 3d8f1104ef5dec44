/** Faults that only the stand-in can produce. */
import { expect } from 'chai'
import { EventLogUnavailable, START } from '../../adapters/engines/event-log/event-log.ts'
import type { EventLog } from '../../adapters/engines/event-log/event-log.ts'
import { openEventStoreLog } from '../../adapters/engines/event-log/eventstoredb.ts'
import { startStandIn } from '../support/event-log/eventstore-stand-in/server.ts'
import type { StandIn } from '../support/event-log/eventstore-stand-in/server.ts'
import { newEvent, newStream, readOn, rejection, until } from './helpers.ts'

describe('event log in EventStoreDB, under faults', function () {
  this.timeout(30_000)
  let server: StandIn
  let log: EventLog
  const stray: unknown[] = []
  const onStray = (error: unknown): void => void stray.push(error)

  beforeEach(async () => {
    server = await startStandIn()
    log = await openEventStoreLog({ connectionString: server.url, retention: () => null })
    await log.append(newStream(), 'no_stream', [newEvent()])
    stray.length = 0
    process.on('unhandledRejection', onStray)
  })
  afterEach(async () => {
    server.faults.hung = false
    server.faults.unavailable = false
    await log.close()
    await server.stop()
    process.removeListener('unhandledRejection', onStray)
    expect(stray).to.deep.equal([])
  })

  for (const stored of [true, false]) {
    it(`EVT-02 resolves an append whose connection was cut ${stored ? 'after' : 'before'} it was stored`, async () => {
      const [fresh, grown, any] = [newStream(), newStream(), newStream()]
      await log.append(grown, 'no_stream', [newEvent(), newEvent()])
      for (const [stream, expected, revision] of [
        [fresh, 'no_stream', 1],
        [grown, 1, 3],
        [any, 'any', 1],
      ] as const) {
        server.faults.cutAppends = { count: 1, stored }
        const events = [newEvent(), newEvent()]
        expect(await log.append(stream, expected, events)).to.include({ revision })
        const read = await log.readStream(stream)
        expect(read.map(({ id }) => id).slice(-2)).to.deep.equal(events.map(({ id }) => id))
        expect(read).to.have.length(revision + 1)
      }
    })
  }

  it('EVT-02 resolves a repeated append after a restart of the server', async () => {
    const stream = newStream()
    await log.append(stream, 'no_stream', [newEvent()])
    for (const expected of ['any', 'stream_exists', 'no_stream', 0] as const) {
      const events = [newEvent(), newEvent()]
      const { revision } = await log.append(stream, 'any', events)
      server.store.forgetIds()
      expect(await log.append(stream, expected, events), String(expected)).to.include({ revision })
    }
    expect(await log.readStream(stream)).to.have.length(9)
  })

  it('EVT-02 resolves each of many appends when their common connection is cut again and again', async () => {
    const streams = Array.from({ length: 100 }, () => newStream())
    server.faults.cutAppends = { count: 3, stored: true }
    const results = await log.appendMany(
      streams.map((stream) => ({ stream, expected: 'no_stream' as const, events: [newEvent()] })),
    )
    for (const [at, stream] of streams.entries()) {
      const read = await log.readStream(stream)
      const result = results[at]
      if (result instanceof Error) expect(result).to.be.instanceOf(EventLogUnavailable)
      else expect(read).to.have.length(1)
      expect(read.length).to.be.at.most(1)
    }
  })

  it('EVT-02 follows the leader', async () => {
    server.faults.notLeader = 2
    const stream = newStream()
    expect(await log.append(stream, 'no_stream', [newEvent()])).to.include({ revision: 0 })
    expect(server.faults.notLeader).to.equal(0)
    expect(await log.readStream(stream)).to.have.length(1)
  })

  it('EVT-02 fails within 2 s while the server is unavailable, and recovers', async () => {
    server.faults.unavailable = true
    const began = performance.now()
    expect(await rejection(log.append(newStream(), 'no_stream', [newEvent()]))).to.be.instanceOf(
      EventLogUnavailable,
    )
    expect(await rejection(log.check())).to.be.instanceOf(EventLogUnavailable)
    expect(performance.now() - began).to.be.below(4_000)
    server.faults.unavailable = false
    await until(async () => (await rejection(log.check())) === undefined)
    expect(await log.append(newStream(), 'no_stream', [newEvent()])).to.include({ revision: 0 })
  })

  it('EVT-02 reports an unknown outcome when the server hangs, and repeating the append is safe', async () => {
    server.faults.hung = true
    const stream = newStream()
    const events = [newEvent()]
    const began = performance.now()
    const error = await rejection(log.append(stream, 'no_stream', events))
    expect(performance.now() - began).to.be.below(2_000)
    expect(error).to.be.instanceOf(EventLogUnavailable)
    expect(error).to.include({ outcomeUnknown: true })
    server.faults.hung = false
    expect(await log.append(stream, 'no_stream', events)).to.include({ revision: 0 })
    expect(await log.readStream(stream)).to.have.length(1)
  })

  it('EVT-02 never appends later what was still queued when it failed', async () => {
    server.faults.hung = true
    // Appends in flight may be cancelled early enough for a few queued ones to be sent.
    const streams = Array.from({ length: 100 }, () => newStream())
    const results = await log.appendMany(
      streams.map((stream) => ({ stream, expected: 'no_stream' as const, events: [newEvent()] })),
    )
    server.faults.hung = false
    await log.append(newStream(), 'no_stream', [newEvent()])
    const notSent = streams.filter((_, at) => {
      const result = results[at]
      return result instanceof EventLogUnavailable && !result.outcomeUnknown
    })
    expect(notSent.length).to.be.at.least(20)
    for (const stream of notSent) expect(await log.readStream(stream)).to.deep.equal([])
  })

  it('EVT-04 continues from an event that was scavenged without skipping the next one', async () => {
    const short = await openEventStoreLog({ connectionString: server.url, retention: () => 1 })
    const stream = newStream()
    const first = await short.append(stream, 'no_stream', [newEvent()])
    const second = await short.append(stream, 0, [newEvent()])
    await short.append(stream, 1, [newEvent()])
    const kept = newEvent()
    await log.append(newStream(), 'no_stream', [kept])
    await new Promise((resolve) => setTimeout(resolve, 1_200))
    server.store.scavenge()
    for (const { position } of [first, second]) {
      const reader = readOn(log, position)
      await until(() => reader.batches.some(({ caughtUp }) => caughtUp))
      expect(reader.events.map(({ revision }) => revision)).to.deep.equal([2, 0])
      expect(reader.events.at(-1)?.id).to.equal(kept.id)
      reader.stop()
    }
    await short.close()
  })

  it('EVT-04 drops events that a subscription delivers twice', async () => {
    const after = await log.head()
    const reader = readOn(log, after)
    const stream = newStream()
    for (let n = 0; n < 30; n++) await log.append(stream, n === 0 ? 'no_stream' : n - 1, [newEvent({ n })])
    await until(() => reader.events.length === 30)
    server.faults.redeliver = 10
    server.cutSubscriptions()
    await until(() => server.faults.redeliver === 0)
    await log.append(stream, 29, [newEvent({ n: 30 })])
    await until(() => reader.events.length >= 31)
    expect(reader.events.map(({ data }) => data['n'])).to.deep.equal(Array.from({ length: 31 }, (_, n) => n))
    reader.stop()
    await until(() => server.subscriptions() === 0)
  })

  it('EVT-04 reports when it has caught up with a server that does not report it', async () => {
    const older = await startStandIn({ saysCaughtUp: false })
    const olderLog = await openEventStoreLog({ connectionString: older.url, retention: () => null })
    await olderLog.append(newStream(), 'no_stream', [newEvent(), newEvent()])
    const reader = readOn(olderLog, START)
    await until(() => reader.batches.some(({ caughtUp }) => caughtUp))
    expect(reader.events).to.have.length(2)
    reader.stop()
    await olderLog.close()
    await older.stop()
  })

  it('EVT-04 moves its position past events that are not delivered', async () => {
    const reader = readOn(log, await log.head())
    await until(() => reader.batches.some(({ caughtUp }) => caughtUp))
    const before = reader.batches.at(-1)?.position ?? ''
    for (let n = 0; n < 1_100; n++) {
      const id = `10000000-0000-4000-8000-${String(n).padStart(12, '0')}`
      const own = {
        id,
        type: '$own',
        contentType: 'application/json',
        data: Buffer.from('{}'),
        metadata: new Uint8Array(),
      }
      server.store.append('$own', 'any', [own])
    }
    await until(() => (reader.batches.at(-1)?.position ?? '') > before)
    expect(reader.events).to.deep.equal([])
    reader.stop()
  })

  it('EVT-02 reports the limit of the server immediately if an append is too large', async () => {
    const small = await startStandIn({ maxAppendSize: 1_000 })
    const smallLog = await openEventStoreLog({ connectionString: small.url, retention: () => null })
    const stream = newStream()
    const error = await rejection(
      smallLog.append(stream, 'no_stream', [newEvent({ text: 'x'.repeat(1_000) })]),
    )
    expect(error).to.be.instanceOf(EventLogUnavailable).and.include({ outcomeUnknown: false })
    expect((error as Error).message).to.match(/maximum of 1000 bytes/)
    expect(await smallLog.append(stream, 'no_stream', [newEvent()])).to.include({ revision: 0 })
    await smallLog.close()
    await small.stop()
  })

  it('EVT-02 never repeats the credentials of a URL that is not well-formed', async () => {
    const open = async (): Promise<EventLog> =>
      openEventStoreLog({ connectionString: 'esdb://admin:hunter2@', retention: () => null })
    expect(String(await rejection(open())))
      .to.match(/not well-formed/)
      .and.not.include('hunter2')
  })
})
