import { randomUUID } from 'node:crypto'
import type { Actor } from '../../application/services/handle.ts'

/**
 * Returns the actor for actions of the service itself.
 * @param idempotencyKey identifies a repeated action
 */
export const byItself = (idempotencyKey?: string): Actor => ({
  actorId: null,
  actorType: 'system',
  credential: null,
  ip: null,
  correlationId: randomUUID(),
  ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
})
