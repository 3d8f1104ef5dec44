import { createHash } from 'node:crypto'
import { auditIdOf } from '../domain/audit/id.ts'
import type { Recorded } from '../domain/catalogue.ts'
import type { Id } from '../domain/ids.ts'

/** Returns the audit entry id of an event. */
export const auditIdFor = ({ id, metadata }: Pick<Recorded, 'id' | 'metadata'>): Id<'auditEvent'> =>
  auditIdOf(metadata.time, createHash('sha256').update(id).digest('hex'))
