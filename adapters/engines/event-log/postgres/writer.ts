/**
 * Group commit: sends all waiting appends to the database as one statement with one commit; each append gets its own
 * result.
 */
import type pg from 'pg'
import { EventIdTaken, EventLogUnavailable, WrongExpectedRevision } from '../event-log.ts'
import type { Append, AppendResult, ExpectedRevision, Position } from '../event-log.ts'
import { createPace } from '../../../kernel/pace.ts'
import { backOff } from '../../../kernel/back-off.ts'
import { destroy, meaningOf } from './connection.ts'

export interface WriterOptions {
  readonly connect: () => Promise<pg.Client>
  /** Maximum milliseconds from call to result. */
  readonly appendTimeout: number
  /** Maximum number of waiting appends; further ones are rejected. */
  readonly maxWaiting: number
  /** Called after each commit. */
  readonly onCommitted: () => void
  readonly random: () => number
}

export interface Writer {
  readonly append: (append: Append) => Promise<AppendResult>
  /** Accepts no more appends and waits for the results of all accepted ones. */
  readonly close: () => Promise<void>
}

interface Waiting {
  readonly append: Append
  readonly data: readonly string[]
  readonly metadata: readonly string[]
  readonly bytes: number
  readonly deadline: number
  readonly answer: (result: AppendResult) => void
  /** True while a statement with the append was sent and its outcome is unknown. */
  inDoubt: boolean
  answered: boolean
}

interface Row {
  request: number
  outcome: 'appended' | 'repeated' | 'conflict' | 'taken'
  revision: string | null
  position: string | null
}

const BATCH_REQUESTS = 1_000
const BATCH_EVENTS = 4_000
const BATCH_BYTES = 8_000_000
const WAITING_BYTES = 128_000_000
const SWEEP_MS = 25
/** An append with less time left is not sent, so that overload does not make the outcome of its whole batch unknown. */
const LEAST_LEFT_MS = 300
/** Pause between statements under load: a commit costs the same for any number of appends. */
const PACE_MS = 4
const RETRY_FIRST_MS = 25
const RETRY_MOST_MS = 400

/**
 * Separates JSON texts, which escape every control character, in one parameter. As elements of an array, each quotation
 * mark in them would have to be escaped here and parsed by the database.
 */
const RECORD_SEPARATOR = '\x1e'

const expectation = (expected: ExpectedRevision): number =>
  typeof expected === 'number' ? expected : { no_stream: -1, any: -2, stream_exists: -4 }[expected]

export const padPosition = (position: string): Position => position.padStart(19, '0') as Position

const resultOf = ({ append }: Waiting, row: Row): AppendResult => {
  if (row.outcome === 'taken') return new EventIdTaken(append.stream)
  if (row.outcome === 'conflict') {
    return new WrongExpectedRevision(
      append.stream,
      append.expected,
      row.revision === null ? null : Number(row.revision),
    )
  }
  return { revision: Number(row.revision), position: padPosition(row.position ?? '') }
}

const refused = (cause: unknown): EventLogUnavailable =>
  new EventLogUnavailable(
    `Postgres rejected the append: ${cause instanceof Error ? cause.message : 'unknown'}`,
    { cause },
  )

const statementOf = (batch: readonly Waiting[]): pg.QueryConfig => {
  const turns = new Map<string, number>()
  const turnOf = (stream: string): number => {
    const turn = (turns.get(stream) ?? -1) + 1
    turns.set(stream, turn)
    return turn
  }
  const events = batch.flatMap(({ append }, at) =>
    append.events.map((event, place) => ({ event, request: at + 1, place: place + 1 })),
  )
  return {
    name: 'log-append',
    text: `select * from log.append($1, $2, $3, $4, $5, $6, $7, $8,
      string_to_array($9, E'\\x1e'), string_to_array($10, E'\\x1e'))`,
    values: [
      batch.map(({ append }) => append.stream),
      batch.map(({ append }) => expectation(append.expected)),
      batch.map(({ append }) => append.events.length),
      batch.map(({ append }) => turnOf(append.stream)),
      events.map(({ request }) => request),
      events.map(({ place }) => place),
      events.map(({ event }) => event.id),
      events.map(({ event }) => event.type),
      batch.flatMap(({ data }) => data).join(RECORD_SEPARATOR),
      batch.flatMap(({ metadata }) => metadata).join(RECORD_SEPARATOR),
    ],
  }
}

export const createWriter = (options: WriterOptions): Writer => {
  let waiting: Waiting[] = []
  let waitingBytes = 0
  let client: pg.Client | undefined
  let running: Promise<void> | undefined
  let sweeper: NodeJS.Timeout | undefined
  let abandon: (() => void) | undefined
  let inFlight: readonly Waiting[] = []
  const pace = createPace(PACE_MS)
  let gathered: (() => void) | undefined
  let closed = false

  const finish = (one: Waiting, how: () => void): void => {
    if (one.answered) return
    one.answered = true
    waitingBytes -= one.bytes
    how()
  }

  const giveUp = (one: Waiting): void => {
    const unknown = one.inDoubt
    const said = unknown ? 'the outcome of the append is unknown' : 'nothing was appended'
    finish(one, () =>
      one.answer(
        new EventLogUnavailable(`Postgres did not answer in time: ${said}`, { outcomeUnknown: unknown }),
      ),
    )
  }

  const sweep = (): void => {
    const now = performance.now()
    if (inFlight.some((one) => one.deadline <= now)) abandon?.()
    for (const one of waiting) if (one.deadline - LEAST_LEFT_MS <= now) giveUp(one)
    waiting = waiting.filter((one) => !one.answered)
  }

  /** An id appears once in a statement: a repeated append waits until the first is recorded. */
  const take = (most: number): Waiting[] => {
    const batch: Waiting[] = []
    const ids = new Set<string>()
    let events = 0
    let bytes = 0
    for (const one of waiting) {
      events += one.append.events.length
      bytes += one.bytes
      const full = batch.length >= most || events > BATCH_EVENTS || bytes > BATCH_BYTES
      if (batch.length > 0 && (full || one.append.events.some(({ id }) => ids.has(id)))) break
      for (const { id } of one.append.events) ids.add(id)
      batch.push(one)
    }
    waiting.splice(0, batch.length)
    return batch
  }

  const send = async (connected: pg.Client, batch: readonly Waiting[]): Promise<Row[]> => {
    const abandoned = new Promise<never>((_, reject) => {
      abandon = () => reject(new Error('the statement took too long'))
    })
    inFlight = batch
    try {
      return (await Promise.race([connected.query<Row>(statementOf(batch)), abandoned])).rows
    } finally {
      inFlight = []
      abandon = undefined
    }
  }

  const pause = (attempt: number): Promise<void> =>
    new Promise((resolve) =>
      setTimeout(resolve, backOff(attempt, RETRY_FIRST_MS, RETRY_MOST_MS, options.random)),
    )

  const gather = async (): Promise<void> => {
    const left = pace.left(waiting.length)
    if (left === 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, left)
      gathered = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    gathered = undefined
  }

  const run = async (): Promise<void> => {
    let failures = 0
    let alone = 0
    for (;;) {
      // Collects all appends of this turn of the event loop into one statement.
      await new Promise((resolve) => setImmediate(resolve))
      if (waiting.length === 0) return
      await gather()
      try {
        client ??= await options.connect()
      } catch {
        await pause(failures++)
        continue
      }
      sweep()
      const batch = take(alone > 0 ? 1 : BATCH_REQUESTS)
      if (batch.length === 0) return
      if (alone > 0) alone--
      pace.begins(batch.length)
      try {
        const rows = await send(client, batch)
        failures = 0
        options.onCommitted()
        for (const row of rows) {
          const one = batch[row.request - 1]
          if (one !== undefined) finish(one, () => one.answer(resultOf(one, row)))
        }
      } catch (error) {
        const meaning = meaningOf(error)
        if (meaning === 'broken') {
          for (const one of batch) one.inDoubt = true
          destroy(client)
          client = undefined
        }
        if (meaning === 'wrong' && batch.length === 1) {
          for (const one of batch) finish(one, () => one.answer(refused(error)))
          continue
        }
        if (meaning === 'wrong') alone = batch.length
        waiting.unshift(...batch)
        sweep()
        if (meaning !== 'wrong') await pause(failures++)
      }
    }
  }

  const start = (): void => {
    sweeper ??= setInterval(sweep, SWEEP_MS)
    running ??= run().finally(() => {
      running = undefined
      clearInterval(sweeper)
      sweeper = undefined
      if (waiting.length > 0) start()
    })
  }

  return {
    append: (append) =>
      new Promise((answer) => {
        if (closed) return answer(new EventLogUnavailable('the log is closed: nothing was appended'))
        const data = append.events.map((event) => JSON.stringify(event.data))
        const metadata = append.events.map((event) => JSON.stringify(event.metadata))
        let bytes = 0
        for (const text of data) bytes += text.length
        for (const text of metadata) bytes += text.length
        if (
          waiting.length >= options.maxWaiting ||
          (waitingBytes > 0 && waitingBytes + bytes > WAITING_BYTES)
        ) {
          return answer(new EventLogUnavailable('too many appends are waiting: nothing was appended'))
        }
        const deadline = performance.now() + options.appendTimeout
        waiting.push({
          append,
          data,
          metadata,
          bytes,
          deadline,
          answer,
          inDoubt: false,
          answered: false,
        })
        waitingBytes += bytes
        if (pace.left(waiting.length) === 0) gathered?.()
        start()
      }),
    close: async () => {
      closed = true
      while (running !== undefined) await running
      // No query runs on it, and a hanging server would not respond to a close.
      if (client !== undefined) destroy(client)
    },
  }
}
