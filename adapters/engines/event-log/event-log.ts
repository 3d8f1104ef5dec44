/**
 * The event log as the rest of the service sees it: append-only streams of events with one total order. Two engines
 * implement it (`postgres.ts`, `eventstoredb.ts`) and one contract test suite checks both.
 */
import type { Observable } from 'rxjs'

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined }
export type JsonObject = { readonly [key: string]: JsonValue | undefined }

/**
 * A position in the log's total order. Opaque to callers: an engine writes it so that plain string order (`<`,
 * `COLLATE "C"`) is log order, which lets a checkpoint be stored and compared anywhere.
 */
export type Position = string & { readonly __brand: 'Position' }

/** Before the first event of any engine's log. */
export const START = '' as Position

/**
 * The state of the stream that the caller expects. A number is the revision of its last event; the first event has
 * revision 0.
 */
export type ExpectedRevision = number | 'no_stream' | 'stream_exists' | 'any'

export interface NewEvent {
  /**
   * UUID in lower case, chosen by the caller. Ascending ids such as UUIDv7 are the cheapest. Appending the same ids to
   * the same stream again changes nothing.
   */
  readonly id: string
  readonly type: string
  readonly data: JsonObject
  readonly metadata: JsonObject
}

export interface RecordedEvent extends NewEvent {
  readonly stream: string
  /** 0 for the first event of the stream */
  readonly revision: number
  readonly position: Position
  /** When the engine stored it, in microseconds since 1970; its retention starts then. */
  readonly recorded: string
}

export interface Append {
  readonly stream: string
  readonly expected: ExpectedRevision
  readonly events: readonly NewEvent[]
}

export interface Appended {
  /** Revision of the last event of this append. */
  readonly revision: number
  /** Position of the last event of this append; a consumer at or past it has seen the whole append. */
  readonly position: Position
}

export type AppendResult = Appended | WrongExpectedRevision | EventIdTaken | EventLogUnavailable

/** Consecutive events in log order. `caughtUp` is true if they reach the end of the log at the time of the read. */
export interface Batch {
  readonly events: readonly RecordedEvent[]
  /** Where to resume. It may be past the last event, because an engine may have skipped internal events. */
  readonly position: Position
  readonly caughtUp: boolean
}

/**
 * How long a stream's events are kept, by the stream's category (its name before the first `-`). In seconds, or null
 * for no limit.
 */
export type RetentionPolicy = (category: string) => number | null

export interface SubscribeOptions {
  /** Maximum number of events in one batch; default 500. A batch of large events may be shorter. */
  readonly batchSize?: number
  /**
   * Processes a batch. The batch is emitted, and the next page is read, only after this has resolved, so memory stays
   * bounded even if processing is slow. A rejection ends the subscription with that error. Without `handle`, a page
   * counts as processed when `next` returns: do not defer work with `concatMap` or a buffer, which would collect pages
   * without bound.
   */
  readonly handle?: (batch: Batch) => Promise<void>
}

export interface EventLog {
  /**
   * Appends all events (at least one) or none. A repeat with the same ids in the same order on the same stream returns
   * the first result, whatever revision is expected.
   * @throws WrongExpectedRevision if the stream is not at the expected revision
   * @throws EventIdTaken if some, but not all, of the ids are in the stream, or (if the engine can tell) one is in
   * another stream
   * @throws TypeError if a stream name, type or id is not well-formed
   * @throws EventLogUnavailable if the outcome is unknown or the engine is unavailable; appending the same ids again
   * is safe
   */
  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended>

  /**
   * Runs independent appends together and returns their outcomes in the same order. A failed append does not reject
   * the call; only a TypeError does, before anything is appended.
   */
  appendMany(appends: readonly Append[]): Promise<readonly AppendResult[]>

  /** Returns the events of one stream in order, starting at a revision; empty if the stream does not exist. */
  readStream(stream: string, options?: { from?: number; limit?: number }): Promise<readonly RecordedEvent[]>

  /** Returns up to `limit` events of the whole log after a position. */
  readAll(after: Position, limit: number): Promise<readonly RecordedEvent[]>

  /**
   * Delivers everything after a position, then all new events until unsubscribed. Reconnects with jittered
   * back-off after the last delivered batch. Emits at least one batch with `caughtUp` after every
   * (re)connection, empty if there are no events. Holds at most a few pages of events in memory (see
   * `handle`). Completes when the log is closed.
   */
  subscribe(after: Position, options?: SubscribeOptions): Observable<Batch>

  /** Returns the position of the last event; START for an empty log. */
  head(): Promise<Position>

  /** Deletes events whose retention has ended, if the engine does not do so itself. Revisions continue. */
  prune(now: Date): Promise<void>

  /**
   * Applies the present policy to existing streams. Only in engines that store the retention with each stream and
   * delete by it on their own.
   */
  readonly setRetention?: (streams: readonly string[]) => Promise<void>

  /**
   * Resolves if the engine can serve appends and reads.
   * @throws EventLogUnavailable
   */
  check(): Promise<void>

  /** Ends subscriptions, waits for running appends, and closes connections. */
  close(): Promise<void>
}

export class WrongExpectedRevision extends Error {
  readonly stream: string
  readonly expected: ExpectedRevision
  /** Revision of the stream's last event; null if the stream does not exist */
  readonly actual: number | null

  constructor(stream: string, expected: ExpectedRevision, actual: number | null) {
    super(
      `stream ${stream}: expected ${String(expected)}, found ${actual === null ? 'no stream' : String(actual)}`,
    )
    this.name = 'WrongExpectedRevision'
    this.stream = stream
    this.expected = expected
    this.actual = actual
  }
}

/** An id belongs to one event: other events are recorded under these ids. */
export class EventIdTaken extends Error {
  readonly stream: string

  constructor(stream: string) {
    super(`stream ${stream}: an event id of this append already belongs to another event`)
    this.name = 'EventIdTaken'
    this.stream = stream
  }
}

export class EventLogUnavailable extends Error {
  /** True if the events may have been appended or may still be; false if they certainly will not be. */
  readonly outcomeUnknown: boolean

  constructor(message: string, options: ErrorOptions & { outcomeUnknown?: boolean } = {}) {
    super(message, options)
    this.name = 'EventLogUnavailable'
    this.outcomeUnknown = options.outcomeUnknown ?? false
  }
}

/** The category in a stream's name: `user-usr_…` → `user`. */
export const categoryOf = (stream: string): string => {
  const dash = stream.indexOf('-')
  return dash === -1 ? stream : stream.slice(0, dash)
}
