import { DomainError, type ErrorCode } from '../../domain/errors.ts'
import { authenticationOf, methodsAfter } from '../../domain/session/authentication.ts'
import { sessionDecider, sessionStream } from '../../domain/session/decider.ts'
import type { SessionEndReason, SignInMethod } from '../../domain/session/events.ts'
import { liveSessionOf, liveSessionsOf, standingOf } from '../../read-models/queries/account.ts'
import type { Actor } from '../event-log/handle.ts'
import { hashSecret, newSecret } from '../vault/hash.ts'
import type { Services } from './deps.ts'
import { endSession } from './session-end.ts'

/** A session as its browser holds it; only a hash of the token is recorded. */
export interface StartedSession {
  readonly sessionId: string
  readonly token: string
  readonly expiresAt: string
  /** RFC 8176 */
  readonly amr: readonly string[]
}

/** What opened a session, and from where. */
export interface SignIn {
  /** Good once: the session gets this id, or, where one goes on, no other session ever will. */
  readonly proofId: string
  readonly userId: string
  /** The method of the person's own that was used; null for a link by e-mail or a recovery code. */
  readonly methodId: string | null
  readonly methods: readonly SignInMethod[]
  /** What the person hears whose method is gone by the time that the session begins; a passkey's when left out. */
  readonly refusal?: ErrorCode
  /** Whether an authenticator has checked who holds it. */
  readonly userVerified: boolean
  readonly ip: string
  readonly userAgent: string | null
  readonly deviceId: string | null
  readonly location: string | null
  /** The session that this browser had. One of the same person and device goes on, with a new secret; another ends. */
  readonly current: { readonly sessionId: string; readonly userId: string } | null
}

/** Sessions of one person that end at the same time. */
const AT_ONCE = 10

export const sessionCommands = (services: Services) => {
  const { handle, pool, clock, random, configuration } = services
  const end = endSession(services)

  /** A person suspended, or a method or device taken away, while the session began: what came in between counts. */
  const refuseIfOvertaken = async (
    sessionId: string,
    { userId, methodId, methods, deviceId, refusal = 'ERR_PASSKEY_REJECTED' }: SignIn,
    actor: Actor,
  ): Promise<void> => {
    const standing = await standingOf(pool, userId, {
      methodId,
      byRecoveryCode: methods.includes('recovery_code'),
      deviceId,
    })
    if (standing?.status === 'active' && standing.holds && standing.deviceHolds) return
    await end(sessionId, 'admin_revoked', actor)
    if (standing?.status === 'suspended') throw new DomainError('ERR_ACCOUNT_SUSPENDED')
    throw new DomainError(standing?.deviceHolds === false ? 'ERR_BLOCKED_BY_POLICY' : refusal)
  }

  const begin = async (signIn: SignIn, expiresAt: string, actor: Actor): Promise<StartedSession> => {
    const { proofId: sessionId, userId, methods, userVerified, ip, userAgent, deviceId, location } = signIn
    const token = newSecret('', random)
    const { amr, strength } = authenticationOf(methods, userVerified)
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
          amr,
          authTime: clock.now(),
          expiresAt,
          strength,
          ip,
          userAgent,
          deviceId,
          location,
        },
      },
      actor,
    )
    return { sessionId, token, expiresAt, amr }
  }

  /** The same session under another secret: applications that were opened from it stay open. */
  const goOn = async (
    sessionId: string,
    earlier: readonly SignInMethod[],
    { proofId, userId, methods: proof, userVerified }: SignIn,
    expiresAt: string,
    actor: Actor,
  ): Promise<StartedSession> => {
    await handle(
      sessionDecider,
      sessionStream(proofId),
      { type: 'spend_proof', sessionId: proofId, userId, intoSessionId: sessionId },
      actor,
      { wait: false },
    )
    const token = newSecret('', random)
    const methods = methodsAfter(earlier, proof)
    const { amr, strength } = authenticationOf(methods, userVerified)
    await handle(
      sessionDecider,
      sessionStream(sessionId),
      {
        type: 'reauthenticate',
        sessionId,
        proof: {
          userId,
          tokenHash: hashSecret(token),
          methods,
          amr,
          authTime: clock.now(),
          expiresAt,
          strength,
        },
      },
      actor,
    )
    return { sessionId, token, expiresAt, amr }
  }

  return {
    /**
     * Opens a session for someone who has just proved who they are, or goes on with the one that they have.
     * @throws DomainError ERR_CEREMONY_EXPIRED, ERR_ACCOUNT_SUSPENDED, ERR_PASSKEY_REJECTED, ERR_BLOCKED_BY_POLICY
     */
    start: async (signIn: SignIn, actor: Actor): Promise<StartedSession> => {
      const { settings } = await configuration.fresh()
      const expiresAt = clock.in(settings.sessionLifetimeMinutes * 60)
      const { current, userId } = signIn
      const here =
        current?.userId === userId ? await liveSessionOf(pool, current.sessionId, clock.now()) : null
      // A session stays on the device that it began on.
      const own = here?.deviceId === null || here?.deviceId === signIn.deviceId ? here : null
      const started =
        own === null
          ? await begin(signIn, expiresAt, actor)
          : await goOn(own.id, own.methods, signIn, expiresAt, actor)
      await refuseIfOvertaken(started.sessionId, signIn, actor)
      if (current !== null && own === null) await end(current.sessionId, 'sign_out', actor)
      return started
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
