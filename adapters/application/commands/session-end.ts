import type { SessionEndReason } from '../../../domain/session/events.ts'
import { sessionDecider, sessionStream } from '../../../domain/session/decider.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'

/**
 * Ends one session; does nothing if it has ended.
 * @throws DomainError ERR_NOT_FOUND
 */
export const endSession =
  ({ handle }: Pick<Services, 'handle'>) =>
  (sessionId: string, reason: SessionEndReason, actor: Actor) =>
    handle(sessionDecider, sessionStream(sessionId), { type: 'end', sessionId, reason }, actor)
