/**
 * Appends to EventStoreDB. The server recognizes a repeated append by its ids only at the expected revision, and a
 * broken connection leaves the outcome unknown. Both are resolved here by repeating the append and by reading the
 * stream.
 */
import {
  AccessDeniedError,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  WrongExpectedVersionError,
  jsonEvent,
} from '@eventstore/db-client'
import type { EventStoreDBClient } from '@eventstore/db-client'
import { EventIdTaken, EventLogUnavailable, WrongExpectedRevision, categoryOf } from '../event-log.ts'
import type { Append, AppendResult, Appended, RecordedEvent, RetentionPolicy } from '../event-log.ts'
import { backOff } from '../../../kernel/back-off.ts'
import { createGate } from './gate.ts'
import { positionOf, readHead, readStreamEnd } from './reads.ts'

export interface AppenderOptions {
  readonly client: EventStoreDBClient
  readonly retention: RetentionPolicy
  /** Maximum milliseconds from call to result. */
  readonly appendTimeout: number
  readonly maxWaiting: number
  readonly random: () => number
  readonly log: (message: string, error: unknown) => void
}

export interface Appender {
  readonly append: (append: Append) => Promise<AppendResult>
  /** Changes the `$maxAge` of existing streams to that of the policy. */
  readonly setRetention: (streams: readonly string[]) => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * The client sends all appends over one stream with a buffer of 16. If more are pending when that stream breaks, the
 * client causes rejections that cannot be caught. So fewer run in parallel.
 */
const AT_ONCE = 12
/** How many events of a stream are searched for the ids of an append */
const LOOK_BACK = 1_000
const LOOK_BACK_BEFORE = 16
/** Streams whose retention is changed in parallel; appends have the other places. */
const CHANGED_AT_ONCE = 4
const METADATA_MS = 2_000
const RETRY_FIRST_MS = 25
const RETRY_MOST_MS = 400

const within = async <T>(promise: Promise<T>, ms: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no response in time')), Math.max(0, ms))
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Returns the state of an append in the stream: complete, partial or in another order, or (undefined) missing. */
const repeatOf = (
  { stream, events }: Append,
  recorded: readonly RecordedEvent[],
): Appended | EventIdTaken | undefined => {
  const byId = new Map(recorded.map((event) => [event.id, event]))
  const recordedEvents = events.map(({ id }) => byId.get(id))
  const first = recordedEvents[0]
  const last = recordedEvents.at(-1)
  if (recordedEvents.every((event) => event === undefined)) return undefined
  if (first === undefined || last === undefined) return new EventIdTaken(stream)
  const whole = recordedEvents.every((event, at) => event?.revision === first.revision + at)
  return whole ? { revision: last.revision, position: last.position } : new EventIdTaken(stream)
}

const isFinal = (error: unknown): boolean =>
  error instanceof AccessDeniedError ||
  error instanceof MaxAppendSizeExceededError ||
  error instanceof StreamDeletedError

/** These errors of the client have no message. */
const reasonOf = (error: unknown): string => {
  if (error instanceof MaxAppendSizeExceededError)
    return `the append exceeds the maximum of ${String(error.maxAppendSize)} bytes (server setting MaxAppendSize)`
  if (error instanceof AccessDeniedError) return 'the user of the URL is not allowed to append'
  if (error instanceof StreamDeletedError) return 'the stream was deleted'
  return error instanceof Error ? error.message : 'no reason given'
}

export const createAppender = (options: AppenderOptions): Appender => {
  const { client, random } = options
  const gate = createGate(AT_ONCE, options.maxWaiting)
  const background = new Set<Promise<void>>()
  let closed = false

  const pause = (attempt: number): Promise<void> =>
    new Promise((resolve) => setTimeout(resolve, backOff(attempt, RETRY_FIRST_MS, RETRY_MOST_MS, random)))

  /** Parallel to the append, not before it: the metadata of a stream has its own revisions. */
  const limitAge = (stream: string): void => {
    const maxAge = options.retention(categoryOf(stream))
    if (maxAge === null) return
    const write = async (): Promise<void> => {
      for (let attempt = 0; ; attempt++) {
        try {
          await gate.run(
            () =>
              within(
                client.setStreamMetadata(stream, { maxAge }, { expectedRevision: 'no_stream' }),
                METADATA_MS,
              ),
            METADATA_MS,
          )
          return
        } catch (error) {
          if (error instanceof WrongExpectedVersionError) return
          if (closed || attempt === 8)
            return options.log(`the retention of stream ${stream} could not be set`, error)
          await pause(attempt)
        }
      }
    }
    const writing = write().finally(() => background.delete(writing))
    background.add(writing)
  }

  const changeAge = async (stream: string): Promise<void> => {
    const maxAge = options.retention(categoryOf(stream))
    if (maxAge === null) return
    const { metadata } = await within(client.getStreamMetadata(stream), METADATA_MS)
    if (metadata?.maxAge !== maxAge) await within(client.setStreamMetadata(stream, { maxAge }), METADATA_MS)
  }

  const lookUp = async (
    append: Append,
    count: number,
    ms: number,
  ): Promise<Appended | EventIdTaken | undefined> =>
    repeatOf(append, await within(readStreamEnd(client, append.stream, count), ms))

  const send = async (append: Append, ms: number): Promise<Appended> => {
    const { stream, expected } = append
    const events = append.events.map(({ id, type, data, metadata }) =>
      jsonEvent({ id, type, data, metadata }),
    )
    const expectedRevision = typeof expected === 'number' ? BigInt(expected) : expected
    const result = await within(client.appendToStream(stream, events, { expectedRevision, deadline: ms }), ms)
    const { nextExpectedRevision, position } = result
    if (position !== undefined && position.commit >= 0n && position.commit < 2n ** 63n) {
      return { revision: Number(nextExpectedRevision), position: positionOf(position.commit) }
    }
    // The server returns no position for a repeated append if it cannot read the event, for example because
    // it is too old; a reader past the head has seen it too.
    const recorded = await lookUp(append, LOOK_BACK, ms)
    if (recorded !== undefined && !(recorded instanceof Error)) return recorded
    return { revision: Number(nextExpectedRevision), position: await within(readHead(client, ms), ms) }
  }

  const attempt = async (append: Append, left: () => number): Promise<AppendResult> => {
    try {
      return await send(append, left())
    } catch (error) {
      if (!(error instanceof WrongExpectedVersionError)) throw error
      const recorded = await lookUp(append, LOOK_BACK, left())
      if (recorded !== undefined) return recorded
      const actual = error.actualVersion === 'no_stream' ? null : Number(error.actualVersion)
      return new WrongExpectedRevision(append.stream, append.expected, actual)
    }
  }

  const run = async (append: Append, deadline: number): Promise<AppendResult> => {
    const left = (): number => deadline - performance.now()
    let inDoubt = false
    let last: unknown
    for (let attempts = 0; left() > 0; attempts++) {
      try {
        // The server appends existing ids a second time at the current revision of the stream. At other revisions it
        // recognizes only recent ids, until it restarts.
        if (append.expected !== 'no_stream') {
          const recorded = await lookUp(append, LOOK_BACK_BEFORE, left())
          if (recorded !== undefined) return recorded
        }
        inDoubt = true
        return await attempt(append, left)
      } catch (error) {
        if (isFinal(error)) {
          const said = `EventStoreDB rejected the append: ${reasonOf(error)}`
          return new EventLogUnavailable(said, { cause: error })
        }
        last = error
        if (left() > 0) await pause(attempts)
      }
    }
    const said = inDoubt ? 'the outcome of the append is unknown' : 'nothing was appended'
    return new EventLogUnavailable(`EventStoreDB did not answer in time: ${said}`, {
      cause: last,
      outcomeUnknown: inDoubt,
    })
  }

  return {
    append: async (append) => {
      if (closed) return new EventLogUnavailable('the log is closed: nothing was appended')
      const deadline = performance.now() + options.appendTimeout
      if (append.expected === 'no_stream') limitAge(append.stream)
      try {
        const result = await gate.run(() => run(append, deadline), options.appendTimeout)
        const begun = !(result instanceof Error) && result.revision === append.events.length - 1
        if (begun && append.expected === 'any') limitAge(append.stream)
        return result
      } catch (error) {
        if (error instanceof EventLogUnavailable) return error
        throw error
      }
    },
    setRetention: async (streams) => {
      for (let from = 0; from < streams.length; from += CHANGED_AT_ONCE)
        await Promise.all(
          streams
            .slice(from, from + CHANGED_AT_ONCE)
            .map((stream) => gate.run(() => changeAge(stream), 2 * METADATA_MS)),
        )
    },
    close: async () => {
      closed = true
      await gate.idle()
      await Promise.all(background)
    },
  }
}
