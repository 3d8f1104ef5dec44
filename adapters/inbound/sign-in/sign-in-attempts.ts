/** Records attempts to sign in to applications, for the endpoints of every protocol. */
import { boundedCache } from '../../kernel/bounded-cache.ts'
import type { SignInDecision, SignInFailure, SignInInterruption } from '../../../domain/sign-in/events.ts'
import type { LiveSession } from '../../../read-models/queries/sign-in-state.ts'
import type { Services } from '../../application/services/services.ts'
import type { NoteSeen } from '../../application/services/device-use.ts'
import { signInRecorder, type AttemptToRecord } from '../../application/commands/sign-ins.ts'
import type { RequestOrigin } from '../http/request-origin.ts'

/** A user's session and the application to open. */
export interface Entrance {
  readonly session: LiveSession
  /** Null for the account pages and the console */
  readonly applicationId: string | null
  /** Requested with prompt=none, as applications do repeatedly without the user */
  readonly silent: boolean
}

/** Longer than any session lasts without being used. */
const REMEMBERED_MS = 86_400_000
/** Cancelling without a session is recorded once in this time per address and application, to limit the log. */
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
   * Whether an attempt must be recorded. Renewing tokens with prompt=none is not a sign-in, so it is recorded once per
   * session, application and outcome. An outcome that the user sees is always recorded.
   */
  const isNews = ({ session, applicationId, silent }: Entrance, outcome: string): boolean => {
    const key = `${session.sessionId}|${String(applicationId)}|${outcome}`
    const known = recorded.has(key)
    recorded.set(key, true)
    return !(silent && known)
  }

  const attempt = (
    { session, applicationId }: Entrance,
    what: Pick<AttemptToRecord, 'result' | 'reason' | 'decision'>,
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
     * A session opened an application. The browser does not wait for the record. If the process ends first, the log
     * still shows the sign-in: redeeming a code records a grant with user, application and session, and a SAML
     * assertion is recorded before it is sent.
     * @param signedIn whether the user has just signed in for it, which is already recorded
     */
    entered: (
      entrance: Entrance,
      origin: RequestOrigin,
      signedIn: boolean,
      decision: SignInDecision,
    ): void => {
      seen(entrance.session, origin.ip)
      if (!isNews(entrance, 'success') || signedIn) return
      record(attempt(entrance, { result: 'success', reason: null, decision }), originOf(origin)).catch(
        (error: unknown) => {
          onError(error, origin.requestId)
        },
      )
    },

    /** A user with a session was not allowed to use the application. */
    refused: async (
      entrance: Entrance,
      origin: RequestOrigin,
      reason: Extract<SignInFailure, 'not_assigned' | 'app_disabled' | 'blocked_by_policy'>,
      decision: SignInDecision | null = null,
    ): Promise<void> => {
      if (!isNews(entrance, reason)) return
      await record(attempt(entrance, { result: 'failure', reason, decision }), originOf(origin))
    },

    /** A session existed but was not sufficient. */
    interrupted: async (
      entrance: Entrance,
      origin: RequestOrigin,
      reason: Extract<SignInInterruption, 'reauth_required' | 'stronger_auth_required'>,
      decision: SignInDecision | null = null,
    ): Promise<void> => {
      if (!isNews(entrance, reason)) return
      await record(attempt(entrance, { result: 'interrupted', reason, decision }), originOf(origin))
    },

    /** The user went back to the application. Without a session the user is unknown. */
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

export type AuthorizationAttempts = ReturnType<typeof authorizationAttempts>

/** For attempts that no application sees. The sign-in itself is recorded with the session. */
export const unrecordedAttempts = (seen: NoteSeen): AuthorizationAttempts => ({
  entered: ({ session }, { ip }) => seen(session, ip),
  refused: () => Promise.resolve(),
  interrupted: () => Promise.resolve(),
  cancelled: () => Promise.resolve(),
})
