/** What the endpoints for sign-in, of any protocol, report about attempts to sign in to applications. */
import { boundedCache } from '../../kernel/bounded-cache.ts'
import type { SignInFailure, SignInInterruption } from '../../../domain/sign-in/events.ts'
import type { LiveSession } from '../../../read-models/queries/sign-in-state.ts'
import type { Services } from '../../application/services/services.ts'
import type { NoteSeen } from '../../application/services/device-use.ts'
import { signInRecorder, type AttemptToRecord } from '../../application/commands/sign-ins.ts'
import type { RequestOrigin } from '../http/request-origin.ts'

/** Someone's session, and the application that it is to open. */
export interface Entrance {
  readonly session: LiveSession
  readonly applicationId: string
  /** Requested with prompt=none, as applications do repeatedly without the user. */
  readonly silent: boolean
}

/** Longer than any session lasts unseen. */
const REMEMBERED_MS = 86_400_000
/** Going back without a session is recorded once in this time per address and application, to bound the log. */
const NOBODYS_MS = 60_000

/** @param seen called with each session that opened an application */
export const authorizationAttempts = (
  services: Pick<Services, 'handle' | 'locate'>,
  onError: (error: unknown, requestId: string) => void,
  seen: NoteSeen,
) => {
  const record = signInRecorder(services)
  const recorded = boundedCache<true>(50_000, { ttl: REMEMBERED_MS })
  const left = boundedCache<true>(10_000, { ttl: NOBODYS_MS })

  /**
   * Whether there is something new to report. Renewing tokens with prompt=none is no sign-in: of each session, application
   * and outcome that is reported once, an outcome that a user sees always.
   */
  const isNews = ({ session, applicationId, silent }: Entrance, outcome: string): boolean => {
    const key = `${session.sessionId}|${applicationId}|${outcome}`
    const known = recorded.has(key)
    recorded.set(key, true)
    return !(silent && known)
  }

  const attempt = (
    { session, applicationId }: Entrance,
    what: Pick<AttemptToRecord, 'result' | 'reason'>,
  ): AttemptToRecord => {
    const { userId, email, sessionId, deviceId, amr } = session
    return { userId, email, appId: applicationId, method: 'session', sessionId, deviceId, amr, ...what }
  }

  const originOf = ({ ip, userAgent, requestId }: RequestOrigin) => ({
    ip,
    userAgent,
    correlationId: requestId,
  })

  return {
    /**
     * A session opened an application. The browser does not wait for the record: should the process end before it is
     * stored, the log still shows the sign-in, because a code opens nothing until its redemption is recorded as a
     * grant that names person, application and session; a SAML assertion is recorded so before it leaves.
     * @param signedIn whether the person has just signed in for it, which is recorded already
     */
    entered: (entrance: Entrance, origin: RequestOrigin, signedIn: boolean): void => {
      seen(entrance.session, origin.ip)
      if (!isNews(entrance, 'success') || signedIn) return
      record(attempt(entrance, { result: 'success', reason: null }), originOf(origin)).catch(
        (error: unknown) => {
          onError(error, origin.requestId)
        },
      )
    },

    /** A session was there, and the application stayed closed. */
    refused: async (
      entrance: Entrance,
      origin: RequestOrigin,
      reason: Extract<SignInFailure, 'not_assigned' | 'app_disabled'>,
    ): Promise<void> => {
      if (!isNews(entrance, reason)) return
      await record(attempt(entrance, { result: 'failure', reason }), originOf(origin))
    },

    /** A session was there and did not do. */
    interrupted: async (
      entrance: Entrance,
      origin: RequestOrigin,
      reason: Extract<SignInInterruption, 'reauth_required' | 'stronger_auth_required'>,
    ): Promise<void> => {
      if (!isNews(entrance, reason)) return
      await record(attempt(entrance, { result: 'interrupted', reason }), originOf(origin))
    },

    /** The user went back to the application; without a session the user is unknown. */
    cancelled: async (
      applicationId: string,
      session: LiveSession | null,
      origin: RequestOrigin,
    ): Promise<void> => {
      const what = { result: 'interrupted', reason: 'cancelled' } as const
      const key = `${origin.ip}|${applicationId}`
      if (session === null && left.has(key)) return
      if (session === null) left.set(key, true)
      const nobody = { userId: null, email: null, appId: applicationId, method: null, ...what }
      await record(
        session === null
          ? nobody
          : { ...attempt({ session, applicationId, silent: false }, what), method: null },
        originOf(origin),
      )
    },
  }
}
