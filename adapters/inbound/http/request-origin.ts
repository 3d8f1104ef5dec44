import type { Actor } from '../../application/services/handle.ts'

/** The origin of a request, as stored in events. */
export interface RequestOrigin {
  readonly ip: string
  /** As returned by `keptUserAgent` */
  readonly userAgent: string | null
  readonly requestId: string
}

/** The user of a session, acting through an application. */
export const actingPerson = (
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
  { ip, userAgent, requestId }: RequestOrigin,
): Actor => ({
  actorId: userId,
  actorType: 'user',
  credential: { type: 'session', id: sessionId },
  ip,
  userAgent,
  correlationId: requestId,
})

/** An application acting for itself. */
export const actingApplication = (
  applicationId: string,
  { ip, userAgent, requestId }: RequestOrigin,
): Actor => ({
  actorId: null,
  actorType: 'system',
  credential: { type: 'client', id: applicationId },
  ip,
  userAgent,
  correlationId: requestId,
})
