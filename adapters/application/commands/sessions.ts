import { DomainError, type ErrorCode } from '../../../domain/errors.ts'
import { addsTo, authenticationOf, methodsAfter } from '../../../domain/session/authentication.ts'
import { sessionDecider, sessionStream } from '../../../domain/session/decider.ts'
import type { SessionEndReason, SignInMethod } from '../../../domain/session/events.ts'
import {
  liveSessionOf,
  openSessionsOf,
  standingOf,
  type OpenSession,
} from '../../../read-models/queries/account.ts'
import type { Actor } from '../services/handle.ts'
import { hashSecret, newSecret } from '../../engines/vault/hash.ts'
import type { Services } from '../services/services.ts'
import { endSession } from './session-end.ts'
import { sessionMoment } from '../services/moment.ts'

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
  /** For a proof that roles added since make void: how often they had been added when it was made. */
  readonly raises?: number
  /** Whether an authenticator has checked who holds it. */
  readonly userVerified: boolean
  readonly ip: string
  readonly userAgent: string | null
  readonly deviceId: string | null
  readonly location: string | null
  /** The session that this browser had. One of the same person and device goes on, with a new secret; another ends. */
  readonly current: { readonly sessionId: string; readonly userId: string } | null
}

const ownMethods = ({ methodId }: SignIn): readonly string[] => (methodId === null ? [] : [methodId])

/** Sessions of one person that end at the same time. */
const AT_ONCE = 10

export const sessionCommands = (
  services: Pick<Services, 'handle' | 'pool' | 'clock' | 'random' | 'configuration' | 'development'>,
) => {
  const { handle, pool, clock, random, configuration } = services
  const end = endSession(services)

  /** A person suspended or raised, or a method or device taken away, while the session began: what came in between counts. */
  const refuseIfOvertaken = async (
    sessionId: string,
    { userId, methodId, methods, deviceId, raises, refusal = 'ERR_PASSKEY_REJECTED' }: SignIn,
    actor: Actor,
  ): Promise<void> => {
    const standing = await standingOf(pool, userId, {
      methodId,
      byRecoveryCode: methods.includes('recovery_code'),
      deviceId,
    })
    const isOutdated = raises !== undefined && standing?.raises !== raises
    if (standing?.status === 'active' && standing.holds && standing.deviceHolds && !isOutdated) return
    await end(sessionId, 'admin_revoked', actor)
    if (standing?.status === 'suspended') throw new DomainError('ERR_ACCOUNT_SUSPENDED')
    throw new DomainError(standing?.deviceHolds === false ? 'ERR_BLOCKED_BY_POLICY' : refusal)
  }

  const begin = async (signIn: SignIn, expiresAt: string, actor: Actor): Promise<StartedSession> => {
    const { proofId: sessionId, userId, methods, userVerified, ip, userAgent, deviceId, location } = signIn
    const methodIds = ownMethods(signIn)
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
          methodIds,
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
    { id: sessionId, ...earlier }: OpenSession,
    signIn: SignIn,
    expiresAt: string,
    actor: Actor,
  ): Promise<StartedSession> => {
    const { proofId, userId, methods: proof, userVerified } = signIn
    await handle(
      sessionDecider,
      sessionStream(proofId),
      { type: 'spend_proof', sessionId: proofId, userId, intoSessionId: sessionId },
      actor,
      { wait: 'recorded' },
    )
    const token = newSecret('', random)
    const methods = methodsAfter(earlier.methods, proof)
    const methodIds = addsTo(earlier.methods, proof)
      ? earlier.methodIds && [...new Set([...earlier.methodIds, ...ownMethods(signIn)])]
      : ownMethods(signIn)
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
          methodIds,
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
        current?.userId === userId
          ? await liveSessionOf(pool, current.sessionId, sessionMoment(services))
          : null
      // A session stays on the device that it began on.
      const own = here?.deviceId === null || here?.deviceId === signIn.deviceId ? here : null
      const started =
        own === null ? await begin(signIn, expiresAt, actor) : await goOn(own, signIn, expiresAt, actor)
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
      const others = (await openSessionsOf(pool, userId, clock.now())).filter((id) => id !== kept)
      for (let at = 0; at < others.length; at += AT_ONCE)
        await Promise.all(others.slice(at, at + AT_ONCE).map((id) => end(id, reason, actor)))
    },
  }
}
