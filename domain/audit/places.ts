/** Data stored beside each leaf that the leaf does not contain: its position, and its retention. */
import type { RetentionClass } from '../retention.ts'
import type { Hash, Sha256 } from './merkle.ts'

export interface Place {
  /** Position of the event in the log */
  readonly position: string
  /** When the log's engine stored it: microseconds since 1970 */
  readonly recorded: string
  /** Retention class: only events that are not permanent may be missing from the log. */
  readonly kept: RetentionClass
}

/** The hash before the first leaf. */
export const noPlaces = (sha256: Sha256): Hash => sha256()

/** Extends the chained hash over the places of all leaves by the next place. */
export const placesAfter = (sha256: Sha256, before: Hash, { position, recorded, kept }: Place): Hash =>
  sha256(before, `${position} ${recorded} ${kept}\n`)
