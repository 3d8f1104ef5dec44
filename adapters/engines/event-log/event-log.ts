/**
 * The event log as the rest of the service sees it: append-only streams of events with one total order.
 * Two engines implement it (`postgres.ts`, `eventstoredb.ts`) and one contract suite holds them to it.
 */
import type { Observable } from 'rxjs'

export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue | undefined }
export type JsonObject = { readonly [key: string]: JsonValue | undefined }

/**
 * A place in the log's total order. Opaque to callers: an engine writes it so that plain string order
 * (`<`, `COLLATE "C"`) is log order, which lets a checkpoint be stored and compared anywhere.
 */
export type Position = string & { readonly __brand: 'Position' }

/** Before the first event of any engine's log. */
export const START = '' as Position

/** What the caller believes about the stream. A number is the revision of its last event (the first is 0). */
export type ExpectedRevision = number | 'no_stream' | 'stream_exists' | 'any'

export interface NewEvent {
  /** UUID in lower case, given by the caller (in rising order, as UUIDv7 is, it costs least): appending the same ids to the same stream again is a no-op. */
  readonly id: string
  readonly type: string
  readonly data: JsonObject
  readonly metadata: JsonObject
}

export interface RecordedEvent extends NewEvent {
  readonly stream: string
  /** 0 for the first event of the stream. */
  readonly revision: number
  readonly position: Position
  /** When the engine took it, which its retention goes by: microseconds since 1970. */
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
  /** Resume after this position; at or past the last event (an engine may have skipped its own events). */
  readonly position: Position
  readonly caughtUp: boolean
}

/**
 * How long a stream's events are kept, by the stream's category (its name before the first `-`).
 * Seconds, or null to keep for ever.
 */
export type RetentionPolicy = (category: string) => number | null

export interface SubscribeOptions {
  /** Most events in one batch; 500 when left out. A batch of large events may be shorter. */
  readonly batchSize?: number
  /**
   * Does the work for a batch. The next page is read only after it has resolved, and the batch is emitted only then,
   * so memory stays bounded however slow the work. A rejection ends the subscription with that error.
   * Without it a page counts as done when `next` returns: then do not put work off behind `concatMap` or a buffer,
   * which would collect pages without bound.
   */
  readonly handle?: (batch: Batch) => Promise<void>
}

export interface EventLog {
  /**
   * Appends all events (at least one) or none. A repeat with the same ids in the same order on the same
   * stream returns the first result, whatever is expected.
   * @throws WrongExpectedRevision if the stream is not at the expected revision
   * @throws EventIdTaken if some, but not all, of the ids are in the stream, or (if the engine can tell) one
   * is in another stream
   * @throws TypeError if a stream name, type or id is not well-formed
   * @throws EventLogUnavailable if the outcome is unknown or the engine is unavailable; appending the same
   * ids again is safe
   */
  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<Appended>

  /** Independent appends in one go: each has its own outcome, in the order given. Never rejects for one of them, save TypeError before any. */
  appendMany(appends: readonly Append[]): Promise<readonly AppendResult[]>

  /** Events of one stream in order, from a revision on; empty when there is no such stream. */
  readStream(stream: string, options?: { from?: number; limit?: number }): Promise<readonly RecordedEvent[]>

  /** Up to `limit` events of the whole log after a position. */
  readAll(after: Position, limit: number): Promise<readonly RecordedEvent[]>

  /**
   * Delivers everything after a position, then all new events until unsubscribed. Reconnects with jittered
   * back-off after the last delivered batch. Emits at least one batch with `caughtUp` after every
   * (re)connection, empty if there are no events. Holds at most a few pages of events in memory (see
   * `handle`). Completes when the log is closed.
   */
  subscribe(after: Position, options?: SubscribeOptions): Observable<Batch>

  /** Position of the last event now; START for an empty log. */
  head(): Promise<Position>

  /** Removes events that their retention no longer keeps, where the engine does not do so itself. Revisions go on. */
  prune(now: Date): Promise<void>

  /** Answers when the engine can serve appends and reads. @throws EventLogUnavailable */
  check(): Promise<void>

  /** Ends subscriptions, lets running appends finish, closes connections. */
  close(): Promise<void>
}

export class WrongExpectedRevision extends Error {
  readonly stream: string
  readonly expected: ExpectedRevision
  /** Revision of the stream's last event; null when there is no such stream. */
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

/** Ids are given once: these events are not the ones recorded under them. */
export class EventIdTaken extends Error {
  readonly stream: string

  constructor(stream: string) {
    super(`stream ${stream}: an event id of this append already belongs to another event`)
    this.name = 'EventIdTaken'
    this.stream = stream
  }
}

export class EventLogUnavailable extends Error {
  /** True if the events may have been, or may still be, appended; false if they certainly are not and will not be. */
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
