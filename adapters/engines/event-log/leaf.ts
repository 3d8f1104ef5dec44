import { canonical } from '../../../domain/audit/canonical.ts'
import type { RecordedEvent } from './event-log.ts'

/**
 * Returns the leaf of an event: the stored event in canonical JSON, with encrypted personal fields. It omits the log
 * position, which depends on the engine; the index of the leaf gives the order.
 */
export const leafOf = ({ id, type, stream, revision, data, metadata }: RecordedEvent): string =>
  canonical({ id, type, stream, revision, data, metadata })
