import { DomainError } from '../../../domain/errors.ts'
import type { CodeLockout } from '../../../domain/organization/events.ts'
import type { Instant } from '../../../domain/time.ts'
import { userDecider, userStream, type UserCommand } from '../../../domain/user/decider.ts'
import {
  forgetKind,
  MAX_WRONG_A_DAY,
  MAX_WRONG_A_DAY_FROM_ONE,
  ROW_OF_PERSON,
  SIGNED_IN_ROW,
  takeBack,
  takeTry,
  type CodeKind,
  type TakenTry,
  type TryLimits,
} from '../../../domain/user/wrong-codes.ts'
import type { Services } from '../../application/services/services.ts'
import { networkOf } from '../../kernel/client-ip.ts'
import { ApiError } from '../http/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { TallyName } from '../../kernel/tally.ts'
import { codeGuesses } from '../../application/sign-in/code-guesses.ts'
import { codeTries } from './code-tries.ts'

const MINUTE = 60
const DAY = 86_400
/** A try is decided, and its outcome recorded, within this time. */
const DECIDED_SECONDS = 10
/** Maximum number of lockouts recorded in one round; the rest follow in the next. */
const AT_ONCE = 500

/** While codes are being guessed across users, unknown devices have one attempt per kind and a daily limit per user. */
const WHILE_GUESSING = { maxAttempts: 1, maxADay: 3 }

/** The claimed owner of the code: a user, or an address without an account. */
export type CodeSubject = { readonly userId: string } | { readonly email: string }

/** The source of the code: an unknown device at an IP address, a known device of the user, or the signed-in user. */
export type CodeTyper =
  | { readonly as: 'stranger'; readonly ip: string }
  | { readonly as: 'known_device'; readonly deviceId: string }
  | { readonly as: 'signed_in' }

/** A counted try, whose code may be checked. The caller reports the outcome with one of these functions. */
export interface CodeTry {
  /** The code was correct, and only its user can have produced it. */
  readonly right: () => Promise<void>
  /** The code was correct, but does not prove who entered it. */
  readonly takeBack: () => Promise<void>
  readonly wrong: () => Promise<void>
}

/** A try whose code is not checked. */
export interface RefusedTry {
  /** Seconds */
  readonly retryAfter: number
  /** Whether it is the first rejected try of the lockout */
  readonly first: boolean
}

/** Where and how an attempt is counted. */
interface Place {
  readonly row: string
  readonly from: string
  /** The digest of the network of an unknown device; null for known devices */
  readonly network: string | null
  readonly tally: TallyName
}

const NETWORK = 'code-network'

/** Returns the error for codes that are not checked. */
export const tooManyAttempts = ({ retryAfter }: RefusedTry): ApiError =>
  new ApiError('ERR_TOO_MANY_ATTEMPTS', undefined, { headers: { 'Retry-After': String(retryAfter) } })

/**
 * Counts tries with typed codes, the same way for users and for addresses without an account. Unknown devices, known
 * devices and the signed-in user are counted separately: none of them can lock out another.
 */
export const wrongCodes = (
  services: Pick<Services, 'pool' | 'clock' | 'vault' | 'handle' | 'configuration' | 'tally'>,
) => {
  const { pool, clock, vault, handle, configuration, tally } = services
  const rows = codeTries(pool)
  const guesses = codeGuesses(services)

  const subjectOf = (whose: CodeSubject): string =>
    'userId' in whose ? whose.userId : `address|${vault.digest('typed-address', whose.email.toLowerCase())}`

  const placeOf = (whose: CodeSubject, typer: CodeTyper): Place => {
    const subject = subjectOf(whose)
    switch (typer.as) {
      case 'stranger': {
        const network = vault.digest(NETWORK, networkOf(typer.ip))
        return { row: subject, from: network, network, tally: 'wrong_code_stranger' }
      }
      case 'known_device':
        return {
          row: subject + ROW_OF_PERSON + typer.deviceId,
          from: '',
          network: null,
          tally: 'wrong_code_known_device',
        }
      case 'signed_in':
        return {
          row: subject + SIGNED_IN_ROW,
          from: '',
          network: null,
          tally: 'wrong_code_signed_in',
        }
    }
  }

  const limitsOf = (
    { maxAttempts, windowMinutes, lockoutMinutes }: CodeLockout,
    slowed: boolean,
  ): TryLimits => ({
    maxAttempts: slowed ? WHILE_GUESSING.maxAttempts : maxAttempts,
    now: clock.now(),
    windowStart: clock.in(-windowMinutes * MINUTE),
    lockUntil: clock.in(lockoutMinutes * MINUTE),
    maxADay: slowed ? WHILE_GUESSING.maxADay : MAX_WRONG_A_DAY,
    maxADayFromOne: MAX_WRONG_A_DAY_FROM_ONE,
  })

  const limits = async (slowed: boolean): Promise<TryLimits> =>
    limitsOf((await configuration.fresh()).settings.codeLockout, slowed)

  const tell = async (command: UserCommand): Promise<void> => {
    await handle(userDecider, userStream(command.userId), command, {
      actorId: null,
      actorType: 'system',
      credential: null,
      ip: null,
      correlationId: newId('auditEvent'),
    }).catch((error: unknown) => {
      // A user who was deleted meanwhile needs no lockout event.
      if (!(error instanceof DomainError && error.code === 'ERR_NOT_FOUND')) throw error
    })
  }

  const announce = async (userId: string, until: Instant): Promise<void> => {
    await tell({ type: 'lock_out', userId, now: clock.now(), until })
    await rows.announced(userId, until)
  }

  const tryOf = (whose: CodeSubject, { row, network, tally: name }: Place, taken: TakenTry): CodeTry => ({
    right: async () => {
      const now = clock.now()
      await rows.change(row, now, (before) => ({ after: forgetKind(before, taken, now) }))
    },
    takeBack: async () => {
      const currentLimits = await limits(false)
      await rows.change(row, currentLimits.now, (before) => ({
        after: takeBack(before, taken, currentLimits),
      }))
    },
    wrong: async () => {
      tally.count(name)
      if (network === null) return
      await guesses.note(network, row)
      const { locksOutUntil } = taken
      if (locksOutUntil === null || !('userId' in whose)) return
      // Not awaited, because the duration of the response would reveal that the user exists. The lockout is already
      // in effect, and if this fails, `recordLockouts` records it.
      announce(whose.userId, locksOutUntil).catch(() => undefined)
    },
  })

  const secondsTo = (until: Instant, now: Instant): number =>
    Math.max(1, Math.ceil((Date.parse(until) - Date.parse(now)) / 1000))

  /** Counts a try before its code is checked. */
  const take = async (
    whose: CodeSubject,
    kind: CodeKind,
    typer: CodeTyper,
  ): Promise<CodeTry | RefusedTry> => {
    const place = placeOf(whose, typer)
    const { row, from, network } = place
    const state =
      network === null ? { alarm: false, networkRefusedUntil: null } : await guesses.stateFor(network)
    const currentLimits = await limits(state.alarm)
    if (state.networkRefusedUntil !== null && state.networkRefusedUntil > currentLimits.now)
      return { retryAfter: secondsTo(state.networkRefusedUntil, currentLimits.now), first: false }
    const outcome = await rows.change(row, currentLimits.now, (before) =>
      takeTry(before, { kind, from }, currentLimits),
    )
    if ('taken' in outcome) return tryOf(whose, place, outcome.taken)
    const { refusedUntil } = outcome
    const retryAfter = secondsTo(refusedUntil, currentLimits.now)
    return { retryAfter, first: await rows.noteRefusal(row, refusedUntil) }
  }

  return {
    take,

    /**
     * Runs a lookup by a code that a signed-in user entered, and that may come from someone else; null means a wrong
     * code.
     * @throws ApiError ERR_TOO_MANY_ATTEMPTS with Retry-After
     */
    tried: async <T>(userId: string, kind: CodeKind, look: () => Promise<T | null>): Promise<T | null> => {
      const taken = await take({ userId }, kind, { as: 'signed_in' })
      if ('retryAfter' in taken) throw tooManyAttempts(taken)
      const result = await look()
      if (result === null) await taken.wrong()
      else await taken.takeBack()
      return result
    },

    /** Resets the wrong codes of a user from every source, which ends all lockouts. */
    forget: (userId: string): Promise<void> => rows.forget(userId, clock.now()),

    /** Records lockouts that are missing in the log, and the end of expired ones. */
    recordLockouts: async (): Promise<void> => {
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
