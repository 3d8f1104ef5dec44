import { canonical } from '../../../domain/audit/canonical.ts'
import type { RecordedEvent } from './event-log.ts'

/**
 * The leaf of an event: the stored event in canonical JSON, with encrypted personal fields. It omits the log
 * position, which engines write differently; the leaf's index gives the order.
 */
export const leafOf = ({ id, type, stream, revision, data, metadata }: RecordedEvent): string =>
  canonical({ id, type, stream, revision, data, metadata })
