import type { Observable } from 'rxjs'
import type { Recorded } from '../domain/catalogue.ts'

/** Consecutive events of the log, opened and in their current shape. Unknown types are left out and counted. */
export interface OpenedBatch {
  readonly events: readonly Recorded[]
  /** Resume after this place. */
  readonly position: string
  readonly caughtUp: boolean
  readonly unknown: number
  /** Events of types that whoever reads does not want; never opened. */
  readonly leftOut: number
  /** Whether it may begin inside an append: an engine can deliver the events of one in several batches. */
  readonly continues?: boolean
}

/**
 * The log as projections and subscribers see it: the next page is read once `handle` has resolved. When an event of a
 * known type cannot be opened, those before it are handed over first; then comes an error with its id as `eventId`.
 */
export interface EventSource {
  subscribe(after: string, handle: (batch: OpenedBatch) => Promise<void>): Observable<unknown>
  /** Up to `limit` events after a place; `position` is where the page ends. */
  read(after: string, limit: number): Promise<OpenedBatch>
  head(): Promise<string>
}
