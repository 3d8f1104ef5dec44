import { randomUUID } from 'node:crypto'
import type { Actor } from '../../application/services/handle.ts'

/** What the service does by itself. @param idempotencyKey makes it the same when it is done again */
export const byItself = (idempotencyKey?: string): Actor => ({
  actorId: null,
  actorType: 'system',
  credential: null,
  ip: null,
  correlationId: randomUUID(),
  ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
})
