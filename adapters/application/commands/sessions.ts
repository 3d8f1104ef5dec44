import { DomainError, type ErrorCode } from '../../../domain/errors.ts'
import { addsTo, authenticationOf, methodsAfter } from '../../../domain/session/authentication.ts'
import { sessionDecider, sessionStream } from '../../../domain/session/decider.ts'
import type { RiskLevel } from '../../../domain/risk/events.ts'
import type { Instant } from '../../../domain/time.ts'
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

/** A new session with the token for its browser; only a hash of the token is recorded. */
export interface StartedSession {
  readonly sessionId: string
  readonly token: string
  readonly expiresAt: string
  /** RFC 8176 */
  readonly amr: readonly string[]
}

/** How and from where a session was started. */
export interface SignIn {
  /** Single-use: a new session gets this id. If an existing session continues instead, the id is used up as well. */
  readonly proofId: string
  readonly userId: string
  /** The user's method that was used; null for a sign-in link or a recovery code. */
  readonly methodId: string | null
  readonly methods: readonly SignInMethod[]
  /** The error if the method was removed before the session starts; by default that of a passkey. */
  readonly refusal?: ErrorCode
  /** For a proof that becomes invalid when roles are granted: how often roles had been granted when it was created. */
  readonly raises?: number
  /** Whether an authenticator verified the user. */
  readonly userVerified: boolean
  /** When the user authenticated; default: now */
  readonly authTime?: Instant
  /** `amr` of an identity provider */
  readonly upstreamAmr?: readonly string[]
  /** The session at the identity provider, as a hash */
  readonly providerSession?: string
  readonly ip: string
  readonly userAgent: string | null
  readonly deviceId: string | null
  readonly location: string | null
  readonly risk: RiskLevel | 'none'
  /**
   * The browser's earlier session. If it is of the same user and device, it continues with a new secret; otherwise it
   * ends.
   */
  readonly current: { readonly sessionId: string; readonly userId: string } | null
}

const providerSessionOf = ({ providerSession }: SignIn) =>
  providerSession === undefined ? {} : { providerSession }

const ownMethods = ({ methodId }: SignIn): readonly string[] => (methodId === null ? [] : [methodId])

/** Sessions of one user that end at the same time. */
const AT_ONCE = 10

export const sessionCommands = (
  services: Pick<Services, 'handle' | 'pool' | 'clock' | 'random' | 'configuration' | 'development'>,
) => {
  const { handle, pool, clock, random, configuration } = services
  const end = endSession(services)

  /**
   * Rechecks whether the user was suspended or got a role, or a method or device was removed, while the
   * session started.
   */
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
    if (
      standing?.status === 'active' &&
      standing.holds &&
      standing.deviceHolds &&
      !standing.isCompromised &&
      !isOutdated
    )
      return
    await end(sessionId, 'admin_revoked', actor)
    if (standing?.status === 'suspended') throw new DomainError('ERR_ACCOUNT_SUSPENDED')
    const isBlocked = standing?.deviceHolds === false || standing?.isCompromised === true
    throw new DomainError(isBlocked ? 'ERR_BLOCKED_BY_POLICY' : refusal)
  }

  const begin = async (signIn: SignIn, expiresAt: string, actor: Actor): Promise<StartedSession> => {
    const {
      proofId: sessionId,
      userId,
      methods,
      userVerified,
      ip,
      userAgent,
      deviceId,
      location,
      risk,
    } = signIn
    const methodIds = ownMethods(signIn)
    const token = newSecret('', random)
    const { amr, strength } = authenticationOf(methods, userVerified, signIn.upstreamAmr)
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
          authTime: signIn.authTime ?? clock.now(),
          expiresAt,
          strength,
          ip,
          userAgent,
          deviceId,
          location,
          risk,
          ...providerSessionOf(signIn),
        },
      },
      actor,
    )
    return { sessionId, token, expiresAt, amr }
  }

  /** The same session under another secret: applications opened from it stay open. */
  const goOn = async (
    { id: sessionId, ...earlier }: OpenSession,
    signIn: SignIn,
    expiresAt: string,
    actor: Actor,
  ): Promise<StartedSession> => {
    const { proofId, userId, methods: proof, userVerified, risk } = signIn
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
    const { amr, strength } = authenticationOf(methods, userVerified, signIn.upstreamAmr)
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
          authTime: signIn.authTime ?? clock.now(),
          expiresAt,
          strength,
          risk,
          ...providerSessionOf(signIn),
        },
      },
      actor,
    )
    return { sessionId, token, expiresAt, amr }
  }

  return {
    /**
     * Starts a session for a user who has just signed in, or continues the existing one.
     * @throws DomainError ERR_CEREMONY_EXPIRED, ERR_ACCOUNT_SUSPENDED, ERR_PASSKEY_REJECTED,
     * ERR_BLOCKED_BY_POLICY
     */
    start: async (signIn: SignIn, actor: Actor): Promise<StartedSession> => {
      const { settings } = await configuration.fresh()
      const expiresAt = clock.in(settings.sessionLifetimeMinutes * 60)
      const { current, userId } = signIn
      const here =
        current?.userId === userId
          ? await liveSessionOf(pool, current.sessionId, sessionMoment(services))
          : null
      // A session stays on its device.
      const own = here?.deviceId === null || here?.deviceId === signIn.deviceId ? here : null
      const started =
        own === null ? await begin(signIn, expiresAt, actor) : await goOn(own, signIn, expiresAt, actor)
      await refuseIfOvertaken(started.sessionId, signIn, actor)
      if (current !== null && own === null) await end(current.sessionId, 'sign_out', actor)
      return started
    },

    end,

    /** Ends every session of a user except one (all for null). */
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
