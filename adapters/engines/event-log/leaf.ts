import { canonical } from '../../../domain/audit/canonical.ts'
import type { RecordedEvent } from './event-log.ts'

/**
 * Returns the leaf of an event: the stored event in canonical JSON, with encrypted personal fields. It omits the log
 * position, which depends on the engine; the index of the leaf gives the order.
 */
export const leafOf = ({ id, type, stream, revision, data, metadata }: RecordedEvent): string =>
  canonical({ id, type, stream, revision, data, metadata })

const shared = new WeakMap<RecordedEvent, string>()

/** `leafOf`, computed once for consumers that read the same object. */
export const sharedLeafOf = (event: RecordedEvent): string => {
  const known = shared.get(event)
  if (known !== undefined) return known
  const leaf = leafOf(event)
  shared.set(event, leaf)
  return leaf
}
