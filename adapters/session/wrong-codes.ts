import { DomainError } from '../../domain/errors.ts'
import type { CodeLockout } from '../../domain/organization/events.ts'
import type { Instant } from '../../domain/time.ts'
import { userDecider, userStream, type UserCommand } from '../../domain/user/decider.ts'
import {
  forgetKind,
  noTries,
  takeBack,
  takeTry,
  type CodeKind,
  type TakenTry,
  type TryLimits,
} from '../../domain/user/wrong-codes.ts'
import type { Services } from '../commands/deps.ts'
import { ApiError } from '../http/errors.ts'
import { newId } from '../ids.ts'
import { codeTries } from './code-tries.ts'

const MINUTE = 60
const DAY = 86_400
const LOCKOUT_SECONDS = 3600
/** A try is decided on by then; what it came to would have been told. */
const DECIDED_SECONDS = 10
/** Most lockouts told of in one go; the rest follow at the next. */
const AT_ONCE = 500

/** Whose code it is said to be: a person, or an address that is nobody's. */
export type CodeSubject = { readonly userId: string } | { readonly email: string }

/** A code that may be looked at, as its try has been counted. One of these is called with what came of it. */
export interface CodeTry {
  /** The code was right, and its person alone can have made it. */
  readonly right: () => Promise<void>
  /** The code was right, but says nothing of who typed it. */
  readonly takeBack: () => Promise<void>
  readonly wrong: () => void
}

/** A code that is not looked at. */
export interface RefusedTry {
  /** Seconds */
  readonly retryAfter: number
  /** Whether it is the first that is refused until then. */
  readonly first: boolean
}

/** The answer to codes that are not looked at. */
export const tooManyAttempts = ({ retryAfter }: RefusedTry): ApiError =>
  new ApiError('ERR_TOO_MANY_ATTEMPTS', undefined, { headers: { 'Retry-After': String(retryAfter) } })

/** Counts tries with typed codes, the same way for people and for addresses that are nobody's. */
export const wrongCodes = (
  services: Pick<Services, 'pool' | 'clock' | 'vault' | 'handle' | 'configuration'>,
) => {
  const { pool, clock, vault, handle, configuration } = services
  const rows = codeTries(pool)

  const subjectOf = (whose: CodeSubject): string =>
    'userId' in whose ? whose.userId : `address|${vault.digest('typed-address', whose.email.toLowerCase())}`

  const limitsOf = ({ maxAttempts, windowMinutes, lockoutMinutes }: CodeLockout): TryLimits => ({
    maxAttempts,
    now: clock.now(),
    windowStart: clock.in(-windowMinutes * MINUTE),
    lockUntil: clock.in(lockoutMinutes * MINUTE),
    dayStart: clock.in(-DAY),
    lockOutUntil: clock.in(LOCKOUT_SECONDS),
  })

  const limits = async (): Promise<TryLimits> => limitsOf((await configuration.fresh()).settings.codeLockout)

  const tell = async (command: UserCommand): Promise<void> => {
    await handle(userDecider, userStream(command.userId), command, {
      actorId: null,
      actorType: 'system',
      credential: null,
      ip: null,
      correlationId: newId('auditEvent'),
    }).catch((error: unknown) => {
      // Whoever is deleted by now is neither locked out nor let in again.
      if (!(error instanceof DomainError && error.code === 'ERR_NOT_FOUND')) throw error
    })
  }

  const announce = async (userId: string, until: Instant): Promise<void> => {
    await tell({ type: 'lock_out', userId, now: clock.now(), until })
    await rows.announced(userId, until)
  }

  const tryOf = (whose: CodeSubject, taken: TakenTry): CodeTry => {
    const subject = subjectOf(whose)
    return {
      right: async () => {
        await rows.change(subject, clock.now(), (before) => ({ after: forgetKind(before, taken) }))
      },
      takeBack: async () => {
        const given = await limits()
        await rows.change(subject, given.now, (before) => ({ after: takeBack(before, taken, given) }))
      },
      wrong: () => {
        const { locksOutUntil } = taken
        if (locksOutUntil === null || !('userId' in whose)) return
        // Nobody waits for it: the answer would tell by its duration that there is such a person. The lockout is in
        // force already, and should this fail, `settle` tells of it.
        announce(whose.userId, locksOutUntil).catch(() => undefined)
      },
    }
  }

  /** Counts a try before it is made. */
  const take = async (whose: CodeSubject, kind: CodeKind): Promise<CodeTry | RefusedTry> => {
    const subject = subjectOf(whose)
    const given = await limits()
    const outcome = await rows.change(subject, given.now, (before) => takeTry(before, kind, given))
    if ('taken' in outcome) return tryOf(whose, outcome.taken)
    const { refusedUntil } = outcome
    const seconds = Math.ceil((Date.parse(refusedUntil) - Date.parse(given.now)) / 1000)
    return { retryAfter: Math.max(1, seconds), first: await rows.noteRefusal(subject, refusedUntil) }
  }

  return {
    take,

    /**
     * Runs a look-up by a code that a signed-in person typed, which others may have made; null means that it was wrong.
     * @throws ApiError ERR_TOO_MANY_ATTEMPTS with Retry-After
     */
    tried: async <T>(userId: string, kind: CodeKind, look: () => Promise<T | null>): Promise<T | null> => {
      const taken = await take({ userId }, kind)
      if ('retryAfter' in taken) throw tooManyAttempts(taken)
      const found = await look()
      if (found === null) taken.wrong()
      else await taken.takeBack()
      return found
    },

    /** Forgets a person's wrong codes, and with them every lock. */
    forget: async (userId: string): Promise<void> => {
      await rows.change(userId, clock.now(), () => ({ after: noTries }))
    },

    /** Tells the log of lockouts that it has not heard of, and of the end of those whose time is over. */
    settle: async (): Promise<void> => {
      for (const { subject, until } of await rows.unannounced(clock.in(-DECIDED_SECONDS), AT_ONCE))
        if (until > clock.now()) await announce(subject, until)
      for (const { subject, until } of await rows.over(clock.now(), AT_ONCE)) {
        await tell({ type: 'expire_lockout', userId: subject, now: clock.now() })
        await rows.ended(subject, until)
      }
    },

    sweep: () => rows.sweep(clock.in(-2 * DAY)),
  }
}
