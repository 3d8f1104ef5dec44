import { DomainError } from '../../domain/errors.ts'
import { sessionDecider, sessionStream } from '../../domain/session/decider.ts'
import type { SessionEndReason, SignInMethod } from '../../domain/session/events.ts'
import { liveSessionsOf, standingOf } from '../../read-models/queries/account.ts'
import type { Actor } from '../event-log/handle.ts'
import { hashSecret, newSecret } from '../vault/hash.ts'
import type { Services } from './deps.ts'
import { endSession } from './session-end.ts'

/** A session as its browser holds it; only a hash of the token is recorded. */
export interface StartedSession {
  readonly token: string
  readonly expiresAt: string
}

/** What opened a session, and from where. */
export interface SignIn {
  /** From the ceremony: a second session of the same id is refused. */
  readonly sessionId: string
  readonly userId: string
  readonly methodId: string
  readonly methods: readonly SignInMethod[]
  readonly ip: string
  readonly userAgent: string | null
  /** The session that this browser had; it ends. */
  readonly replaces: string | null
}

/** Sessions of one person that end at the same time. */
const AT_ONCE = 10

export const sessionCommands = (services: Services) => {
  const { handle, pool, clock, random, configuration } = services
  const end = endSession(services)

  /** A person suspended, or a passkey removed, while the session began: what came in between counts. */
  const refuseIfOvertaken = async ({ sessionId, userId, methodId }: SignIn, actor: Actor): Promise<void> => {
    const standing = await standingOf(pool, userId, methodId)
    if (standing?.status === 'active' && standing.holds) return
    await end(sessionId, 'admin_revoked', actor)
    throw new DomainError(standing?.status === 'suspended' ? 'ERR_ACCOUNT_SUSPENDED' : 'ERR_PASSKEY_REJECTED')
  }

  return {
    /**
     * Opens a session for someone who has just used a passkey with user verification.
     * @throws DomainError ERR_CEREMONY_EXPIRED, ERR_ACCOUNT_SUSPENDED, ERR_PASSKEY_REJECTED
     */
    start: async (signIn: SignIn, actor: Actor): Promise<StartedSession> => {
      const { sessionId, userId, methods, ip, userAgent, replaces } = signIn
      const { settings } = await configuration.fresh()
      const token = newSecret('', random)
      const expiresAt = clock.in(settings.sessionLifetimeMinutes * 60)
      await handle(
        sessionDecider,
        sessionStream(sessionId),
        {
          type: 'start',
          session: {
            sessionId,
            userId,
            tokenHash: hashSecret(token),
            methods,
            amr: ['hwk', 'user'],
            authTime: clock.now(),
            expiresAt,
            strength: 'phishing_resistant',
            ip,
            userAgent,
          },
        },
        actor,
      )
      await refuseIfOvertaken(signIn, actor)
      if (replaces !== null) await end(replaces, 'sign_out', actor)
      return { token, expiresAt }
    },

    end,

    /** Ends every session of a person but one (none is kept for null). */
    endOthers: async (
      userId: string,
      kept: string | null,
      reason: SessionEndReason,
      actor: Actor,
    ): Promise<void> => {
      const others = (await liveSessionsOf(pool, userId, clock.now())).filter(({ id }) => id !== kept)
      for (let at = 0; at < others.length; at += AT_ONCE)
        await Promise.all(others.slice(at, at + AT_ONCE).map(({ id }) => end(id, reason, actor)))
    },
  }
}

export type SessionCommands = ReturnType<typeof sessionCommands>
