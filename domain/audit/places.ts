/** What is kept beside each leaf, of which the leaf says nothing: where it was, and how long it may be missed. */
import type { RetentionClass } from '../catalogue.ts'
import type { Hash, Sha256 } from './merkle.ts'

export interface Place {
  /** Of the event in the log. */
  readonly position: string
  /** When the log's engine took it: microseconds since 1970. */
  readonly recorded: string
  /** Class of retention: only events that are not permanent may be gone from the log. */
  readonly kept: RetentionClass
}

/** Before the first leaf. */
export const noPlaces = (sha256: Sha256): Hash => sha256()

/** A hash over the places of all leaves so far, from that of all before this one. */
export const placesAfter = (sha256: Sha256, before: Hash, { position, recorded, kept }: Place): Hash =>
  sha256(before, `${position} ${recorded} ${kept}\n`)
