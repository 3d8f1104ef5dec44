/** The contract of every engine of the event log: one suite for any engine. */
import { expect } from 'chai'
import { EventIdTaken, START, WrongExpectedRevision } from '../../adapters/engines/event-log/event-log.ts'
import type {
  Batch,
  EventLog,
  ExpectedRevision,
  NewEvent,
  Position,
  RecordedEvent,
  RetentionPolicy,
} from '../../adapters/engines/event-log/event-log.ts'
import type { Engine } from './engine.ts'
import { retentionContract } from './contract-retention.ts'
import { expectOrdered, newEvent, newStream, readOn, rejection, until } from './helpers.ts'

const keepForEver: RetentionPolicy = () => null

const readEverything = async (log: EventLog, after: Position): Promise<RecordedEvent[]> => {
  const events: RecordedEvent[] = []
  for (;;) {
    const page = await log.readAll(events.at(-1)?.position ?? after, 300)
    if (page.length === 0) return events
    events.push(...page)
  }
}

export const contract = (start: () => Promise<Engine>): void => {
  let engine: Engine
  let log: EventLog

  before(async function () {
    this.timeout(120_000)
    engine = await start()
    log = await engine.open((category) => (category === 'shortlived' ? 1 : null))
  })
  after(async function () {
    this.timeout(60_000)
    await log.close()
    await engine.close()
  })

  describe('append', () => {
    it('EVT-02 records events with revisions from 0 and increasing positions', async () => {
      const stream = newStream()
      const [first, second, third] = [newEvent({ n: 1 }), newEvent({ n: 2 }), newEvent({ n: 3 })]
      const one = await log.append(stream, 'no_stream', [first, second])
      const two = await log.append(stream, 1, [third])
      expect([one.revision, two.revision]).to.deep.equal([1, 2])
      expect(two.position > one.position).to.equal(true)
      const read = await log.readStream(stream)
      expect(
        read.map(({ id, type, data, metadata, revision }) => ({ id, type, data, metadata, revision })),
      ).to.deep.equal([first, second, third].map((event, revision) => ({ ...event, revision })))
      expect(read[1]?.position).to.equal(one.position)
      expect(read[2]?.position).to.equal(two.position)
      expect(one.position).to.match(/^\d{19}$/)
      expectOrdered(read)
    })

    const onNone: [ExpectedRevision, boolean][] = [
      ['no_stream', true],
      ['any', true],
      ['stream_exists', false],
      [0, false],
    ]
    for (const [expected, fits] of onNone) {
      it(`EVT-02 ${fits ? 'accepts' : 'rejects'} ${String(expected)} for a missing stream`, async () => {
        const stream = newStream()
        const error = await rejection(log.append(stream, expected, [newEvent()]))
        expect(error === undefined).to.equal(fits)
        if (!fits) {
          expect(error).to.be.instanceOf(WrongExpectedRevision)
          expect(error).to.include({ stream, expected, actual: null })
        }
        expect(await log.readStream(stream)).to.have.length(fits ? 1 : 0)
      })
    }

    const onTwo: [ExpectedRevision, boolean][] = [
      ['no_stream', false],
      ['any', true],
      ['stream_exists', true],
      [0, false],
      [1, true],
      [2, false],
    ]
    for (const [expected, fits] of onTwo) {
      it(`EVT-02 ${fits ? 'accepts' : 'rejects'} ${String(expected)} on a stream of two events`, async () => {
        const stream = newStream()
        await log.append(stream, 'no_stream', [newEvent(), newEvent()])
        const error = await rejection(log.append(stream, expected, [newEvent()]))
        expect(error === undefined).to.equal(fits)
        if (!fits) {
          expect(error).to.be.instanceOf(WrongExpectedRevision)
          expect(error).to.include({ stream, expected, actual: 1 })
        }
        expect(await log.readStream(stream)).to.have.length(fits ? 3 : 2)
      })
    }

    it('EVT-02 returns the first result for a repeated append, whatever revision is expected', async () => {
      const stream = newStream()
      await log.append(stream, 'no_stream', [newEvent()])
      const events = [newEvent(), newEvent()]
      const first = await log.append(stream, 0, events)
      for (const expected of [0, 2, 'any', 'stream_exists', 'no_stream'] as const) {
        expect(await log.append(stream, expected, events), String(expected)).to.deep.equal(first)
      }
      await log.append(stream, 2, [newEvent()])
      for (const expected of [0, 2, 3, 'any', 'no_stream'] as const) {
        expect(await log.append(stream, expected, events), String(expected)).to.deep.equal(first)
      }
      expect(await log.readStream(stream)).to.have.length(4)
    })

    it('EVT-02 rejects an append if only some of its events exist', async () => {
      const stream = newStream()
      const old = newEvent()
      await log.append(stream, 'no_stream', [old])
      const error = await rejection(log.append(stream, 'any', [old, newEvent()]))
      expect(error).to.be.instanceOf(EventIdTaken)
      expect(await log.readStream(stream)).to.have.length(1)
    })

    it('EVT-02 reports malformed input immediately', async () => {
      const event = newEvent()
      for (const [stream, events] of [
        ['', [event]],
        ['a\u0000b', [event]],
        ['a\ud800b', [event]],
        ['thing-1', []],
        ['thing-1', [{ ...event, id: 'one' }]],
        ['thing-1', [{ ...event, type: '$own' }]],
        ['thing-1', [event, event]],
      ] as [string, NewEvent[]][]) {
        expect(await rejection(log.append(stream, 'any', events))).to.be.instanceOf(TypeError)
      }
    })

    it('EVT-02 gives each of many appends its own outcome', async () => {
      const [existing, fresh] = [newStream(), newStream()]
      const repeated = [newEvent()]
      const first = await log.append(existing, 'no_stream', repeated)
      const results = await log.appendMany([
        { stream: fresh, expected: 'no_stream', events: [newEvent(), newEvent()] },
        { stream: existing, expected: 7, events: [newEvent()] },
        { stream: existing, expected: 'no_stream', events: repeated },
        { stream: newStream(), expected: 'any', events: [newEvent()] },
      ])
      expect(results[0]).to.include({ revision: 1 })
      expect(results[1]).to.be.instanceOf(WrongExpectedRevision)
      expect(results[2]).to.deep.equal(first)
      expect(results[3]).to.include({ revision: 0 })
    })

    it('EVT-02 lets one of many concurrent appends succeed', async () => {
      const stream = newStream()
      const results = await log.appendMany(
        Array.from({ length: 30 }, () => ({ stream, expected: 'no_stream' as const, events: [newEvent()] })),
      )
      expect(results.filter((result) => !(result instanceof Error))).to.have.length(1)
      expect(await log.readStream(stream)).to.have.length(1)
    })

    it('EVT-02 keeps any JSON exactly', async () => {
      const stream = newStream()
      const data = {
        nul: 'a\u0000b',
        lone: '\ud800 \udfff',
        pair: '😀 é ي 中',
        quotes: '"\\{}\'\n\t,NULL',
        numbers: [0, 1.5, -2e-7, 9007199254740991],
        nested: { list: [null, true, false, [], {}], '': 'empty key', 'k\u0000': 1 },
      }
      await log.append(stream, 'no_stream', [{ ...newEvent(data), metadata: data }])
      const [read] = await log.readStream(stream)
      expect(read?.data).to.deep.equal(data)
      expect(read?.metadata).to.deep.equal(data)
    })

    it('EVT-02 accepts a payload of 2 MiB', async function () {
      this.timeout(20_000)
      const stream = newStream()
      const text = 'é'.repeat(1024 * 1024)
      await log.append(stream, 'no_stream', [newEvent({ text })])
      expect((await log.readStream(stream))[0]?.data['text']).to.equal(text)
    })

    it('EVT-02 reads a stream of 10,000 events whole and in part', async function () {
      this.timeout(60_000)
      const stream = newStream()
      for (let n = 0; n < 10_000; n += 500) {
        const events = Array.from({ length: 500 }, (_, i) => newEvent({ n: n + i }))
        await log.append(stream, n === 0 ? 'no_stream' : n - 1, events)
      }
      const all = await log.readStream(stream)
      expect(all.map(({ data }) => data['n'])).to.deep.equal(Array.from({ length: 10_000 }, (_, n) => n))
      const part = await log.readStream(stream, { from: 9_990, limit: 5 })
      expect(part.map(({ revision }) => revision)).to.deep.equal([9_990, 9_991, 9_992, 9_993, 9_994])
      expect(await log.readStream(stream, { from: 10_000 })).to.deep.equal([])
    })
  })

  describe('order', () => {
    it('EVT-01 shows every reader every event once and in order, under 16 writers in two instances', async function () {
      this.timeout(90_000)
      const other = await engine.open(keepForEver)
      const after = await log.head()
      const readers = [readOn(log, after), readOn(other, after, 50)]
      const shared = newStream()
      const written = new Set<string>()
      await Promise.all(
        Array.from({ length: 16 }, async (_, writer) => {
          const mine = writer % 2 === 0 ? log : other
          const stream = newStream()
          for (let n = 0; n < 40; n++) {
            const own = n % 3 === 0 ? [newEvent(), newEvent()] : [newEvent()]
            const last = (await log.readStream(stream, { from: 0 })).length - 1
            await mine.append(stream, last < 0 ? 'no_stream' : last, own)
            const common = newEvent()
            await mine.append(shared, 'any', [common])
            for (const { id } of [...own, common]) written.add(id)
          }
        }),
      )
      await until(() => readers.every(({ events }) => events.length >= written.size), 30_000)
      const page = await readEverything(log, after)
      for (const events of [page, ...readers.map((reader) => reader.events)]) {
        expectOrdered(events)
        expect(events).to.have.length(written.size)
        expect(events.every(({ id }) => written.has(id))).to.equal(true)
        const revisions = new Map<string, number>()
        for (const { stream, revision } of events) {
          expect(revision).to.equal((revisions.get(stream) ?? -1) + 1)
          revisions.set(stream, revision)
        }
      }
      for (const reader of readers) reader.stop()
      await other.close()
    })

    it('EVT-01 returns the position of the last event as its head', async () => {
      const { position } = await log.append(newStream(), 'no_stream', [newEvent(), newEvent()])
      expect(await log.head()).to.equal(position)
      expect(await log.readAll(position, 10)).to.deep.equal([])
    })
  })

  describe('subscribe', () => {
    it('EVT-04 delivers existing events, reports when it has caught up, then delivers new ones', async () => {
      const after = await log.head()
      const stream = newStream()
      await log.append(
        stream,
        'no_stream',
        Array.from({ length: 25 }, () => newEvent()),
      )
      const reader = readOn(log, after, 10)
      await until(() => reader.batches.some(({ caughtUp }) => caughtUp))
      expect(reader.events).to.have.length(25)
      expect(reader.batches.every(({ events }) => events.length <= 10)).to.equal(true)
      const { position } = await log.append(stream, 24, [newEvent()])
      await until(() => reader.events.length === 26)
      await until(() => reader.batches.at(-1)?.caughtUp === true)
      expect((reader.batches.at(-1)?.position ?? START) >= position).to.equal(true)
      reader.stop()
    })

    it('EVT-04 reports that it has caught up if nothing is new', async () => {
      const reader = readOn(log, await log.head())
      await until(() => reader.batches.some(({ caughtUp }) => caughtUp))
      expect(reader.events).to.deep.equal([])
      reader.stop()
    })

    it('EVT-04 continues from any position', async () => {
      const after = await log.head()
      await log.append(
        newStream(),
        'no_stream',
        Array.from({ length: 10 }, (_, n) => newEvent({ n })),
      )
      const all = await log.readAll(after, 10)
      const reader = readOn(log, all[3]?.position ?? START)
      await until(() => reader.events.length === 6)
      expect(reader.events.map(({ data }) => data['n'])).to.deep.equal([4, 5, 6, 7, 8, 9])
      reader.stop()
    })

    it('EVT-04 reconnects after its connection was cut, and neither skips nor repeats an event', async function () {
      if (engine.cutSubscriptions === undefined) this.skip()
      this.timeout(30_000)
      const reader = readOn(log, await log.head())
      const stream = newStream()
      for (let n = 0; n < 60; n++) {
        await log.append(stream, n === 0 ? 'no_stream' : n - 1, [newEvent({ n })])
        if (n % 20 === 10) await engine.cutSubscriptions()
      }
      await until(() => reader.events.length >= 60)
      expect(reader.events.map(({ data }) => data['n'])).to.deep.equal(
        Array.from({ length: 60 }, (_, n) => n),
      )
      reader.stop()
    })

    it('EVT-04 waits for slow processing instead of reading ahead', async function () {
      this.timeout(30_000)
      const after = await log.head()
      const count = 2_000
      for (let n = 0; n < count; n += 500) {
        await log.append(
          newStream(),
          'no_stream',
          Array.from({ length: 500 }, () => newEvent()),
        )
      }
      let working = 0
      let done = 0
      const emitted: number[] = []
      const handle = async (batch: Batch): Promise<void> => {
        expect(++working, 'one at a time').to.equal(1)
        expect(batch.events.length).to.be.at.most(100)
        await new Promise((resolve) => setTimeout(resolve, 2))
        done += batch.events.length
        working--
      }
      const subscription = log
        .subscribe(after, { batchSize: 100, handle })
        .subscribe(() => emitted.push(done))
      await until(() => done >= count)
      subscription.unsubscribe()
      expect(done).to.equal(count)
      expect(emitted.length).to.be.at.least(20)
    })

    it('EVT-04 ends with the error of its handler', async () => {
      const after = await log.head()
      await log.append(newStream(), 'no_stream', [newEvent()])
      const failure = new Error('the work failed')
      const error = await new Promise((resolve) => {
        const handle = (batch: Batch): Promise<void> =>
          batch.events.length > 0 ? Promise.reject(failure) : Promise.resolve()
        log.subscribe(after, { handle }).subscribe({ error: resolve, complete: () => resolve('completed') })
      })
      expect(error).to.equal(failure)
    })
  })

  retentionContract(() => ({ engine, log }))

  it('EVT-02 waits for running appends when it is closed, and accepts no more', async () => {
    const other = await engine.open(keepForEver)
    await other.check()
    const stream = newStream()
    let completed = false
    other.subscribe(await other.head()).subscribe({ complete: () => (completed = true) })
    const running = Array.from({ length: 20 }, () => other.append(stream, 'any', [newEvent()]))
    await other.close()
    await Promise.all(running)
    await until(() => completed)
    expect(await log.readStream(stream)).to.have.length(20)
    expect(await rejection(other.append(stream, 'any', [newEvent()]))).to.include({ outcomeUnknown: false })
  })
}
