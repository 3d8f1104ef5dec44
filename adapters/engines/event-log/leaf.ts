import { canonical } from '../../../domain/audit/canonical.ts'
import type { RecordedEvent } from './event-log.ts'

/**
 * What the audit tree is made of: the event as the log holds it, in canonical JSON, personal fields sealed. Its place in
 * the log is left out, for engines write it differently; the leaf's index tells the same.
 */
export const leafOf = ({ id, type, stream, revision, data, metadata }: RecordedEvent): string =>
  canonical({ id, type, stream, revision, data, metadata })
