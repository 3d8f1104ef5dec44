import type { Observable } from 'rxjs'
import type { Recorded } from '../domain/catalogue.ts'

/** Consecutive events of the log, decrypted and in their current shape. Unknown types are omitted and counted. */
export interface OpenedBatch {
  readonly events: readonly Recorded[]
  /** Where to resume */
  readonly position: string
  readonly caughtUp: boolean
  readonly unknown: number
  /** Number of events whose type the reader does not need; they are never decrypted */
  readonly leftOut: number
  /** Whether it can start inside an append: an engine can deliver the events of one append in several batches. */
  readonly continues?: boolean
}

/**
 * The log for projections and subscribers: reads the next page after `handle` has resolved. If an event of a
 * known type cannot be decrypted, it first delivers the events before it, then throws an error with its id as
 * `eventId`.
 */
export interface EventSource {
  subscribe(after: string, handle: (batch: OpenedBatch) => Promise<void>): Observable<unknown>
  /** Returns up to `limit` events after a position; `position` is the end of the page. */
  read(after: string, limit: number): Promise<OpenedBatch>
  head(): Promise<string>
}
