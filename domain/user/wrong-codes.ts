/**
 * Codes are short enough to guess, so each user has few attempts. An attempt is counted before the code is checked, so
 * that concurrent attempts cannot exceed the limit, and is uncounted if its code was correct.
 *
 * Attempts are counted in rows: one for all unknown devices of a user, one for each known device, and one for the
 * signed-in user. Rows are independent: an unknown device cannot lock out the user whose address they enter.
 */
import { secondsAfter, type Instant } from '../time.ts'

/** Kinds of codes are counted separately: a lockout of one does not affect the others. */
export type CodeKind = 'authenticator_code' | 'recovery_code' | 'device_user_code'

/** A code attempt. */
export interface CodeAttempt {
  readonly kind: CodeKind
  /** The network of an unknown device, because such devices share a row; empty if the row is not shared */
  readonly from: string
}

interface CountedTry {
  readonly kind: CodeKind
  readonly at: Instant
  /** Omitted if empty. */
  readonly from?: string
}

/** The stored state of one row. */
export interface CodeTries {
  readonly tries: readonly CountedTry[]
  /** Until when codes of a kind are blocked, by `lockName`. */
  readonly locks: Readonly<Record<string, Instant>>
  /** Until when all codes are blocked, from anywhere; null if they are not. */
  readonly lockedUntil: Instant | null
}

/**
 * Separates a user id from a suffix in the names of rows: the id alone is the row of unknown devices; the suffix
 * identifies a known device or the signed-in user.
 */
export const ROW_OF_PERSON = '|'
export const SIGNED_IN_ROW = `${ROW_OF_PERSON}signed_in`

export const noTries: CodeTries = { tries: [], locks: {}, lockedUntil: null }

/** This many wrong codes of all kinds within 24 hours lock a row until there are fewer. */
export const MAX_WRONG_A_DAY = 10

/** The share of them that one network can use: no single network can lock the row of a user's unknown devices. */
export const MAX_WRONG_A_DAY_FROM_ONE = 8

const DAY_SECONDS = 86_400

/** The limits of a kind, and the times for an attempt made now. */
export interface TryLimits {
  readonly maxAttempts: number
  readonly now: Instant
  /** Earlier attempts of the kind no longer count. */
  readonly windowStart: Instant
  /** When a lockout for this kind of code would end. */
  readonly lockUntil: Instant
  /** Attempts of all kinds within 24 hours that count, from anywhere; at most `MAX_WRONG_A_DAY`. */
  readonly maxADay: number
  /** The same from one network, in a shared row. */
  readonly maxADayFromOne: number
}

/** An allowed attempt. */
export interface TakenTry extends CodeAttempt {
  readonly at: Instant
  /** The lockout of all kinds that follows unless the code is correct; null for none. */
  readonly locksOutUntil: Instant | null
}

export type TakenOrNot =
  | { readonly refusedUntil: Instant; readonly after: null }
  | { readonly taken: TakenTry; readonly after: CodeTries }

type Locks = CodeTries['locks']

const lockName = ({ kind, from }: CodeAttempt): string => (from === '' ? kind : `${kind}|${from}`)

const inForce = (locks: Locks, now: Instant): Locks =>
  Object.fromEntries(Object.entries(locks).filter(([, until]) => until > now))

const without = (locks: Locks, name: string): Locks =>
  Object.fromEntries(Object.entries(locks).filter(([locked]) => locked !== name))

const isOf =
  ({ kind, from }: CodeAttempt) =>
  (one: CountedTry): boolean =>
    one.kind === kind && (one.from ?? '') === from

/** Returns the time from which fewer than `max` attempts are within 24 hours; null if that is already the case. */
const fewerThan = (max: number, tries: readonly CountedTry[], now: Instant): Instant | null => {
  const oldest = tries
    .map(({ at }) => at)
    .sort()
    .at(-max)
  const until = oldest === undefined ? null : secondsAfter(oldest, DAY_SECONDS)
  return until !== null && until > now ? until : null
}

/** Counts an attempt, and decides whether it is allowed. A rejected attempt does not count. */
export const takeTry = (before: CodeTries, attempt: CodeAttempt, limits: TryLimits): TakenOrNot => {
  const { now, maxAttempts, windowStart, lockUntil, maxADay, maxADayFromOne } = limits
  const { kind, from } = attempt
  const locks = inForce(before.locks, now)
  const fromHere = before.tries.filter((one) => (one.from ?? '') === from)
  const refusedUntil = [
    locks[lockName(attempt)] ?? null,
    fewerThan(maxADay, before.tries, now),
    from === '' ? null : fewerThan(maxADayFromOne, fromHere, now),
  ]
    .flatMap((until) => until ?? [])
    .sort()
    .at(-1)
  if (refusedUntil !== undefined) return { refusedUntil, after: null }

  const dayStart = secondsAfter(now, -DAY_SECONDS)
  const oldest = windowStart < dayStart ? windowStart : dayStart
  const tries = [
    ...before.tries.filter(({ at }) => at > oldest),
    { kind, at: now, ...(from === '' ? {} : { from }) },
  ]
  const ofKind = tries.filter((one) => isOf(attempt)(one) && one.at > windowStart).length
  const lockedUntil = fewerThan(MAX_WRONG_A_DAY, tries, now)
  return {
    taken: { kind, from, at: now, locksOutUntil: lockedUntil },
    after: {
      tries,
      locks: ofKind >= maxAttempts ? { ...locks, [lockName(attempt)]: lockUntil } : locks,
      lockedUntil,
    },
  }
}

/**
 * Handles a correct code that only the user can have: earlier attempts of its kind from the same place were theirs
 * too.
 */
export const forgetKind = (before: CodeTries, taken: TakenTry, now: Instant): CodeTries => {
  const tries = before.tries.filter((one) => !isOf(taken)(one))
  return {
    tries,
    locks: without(before.locks, lockName(taken)),
    lockedUntil: fewerThan(MAX_WRONG_A_DAY, tries, now),
  }
}

/**
 * Handles a correct code of another kind: uncounts only its own attempt. Otherwise someone with valid codes of their
 * own could guess those of others in between without limit.
 */
export const takeBack = (
  before: CodeTries,
  taken: TakenTry,
  { maxAttempts, windowStart, now }: Pick<TryLimits, 'maxAttempts' | 'windowStart' | 'now'>,
): CodeTries => {
  const index = before.tries.findIndex((one) => isOf(taken)(one) && one.at === taken.at)
  const tries = before.tries.filter((_, i) => i !== index)
  const ofKind = tries.filter((one) => isOf(taken)(one) && one.at > windowStart).length
  return {
    tries,
    locks: ofKind < maxAttempts ? without(before.locks, lockName(taken)) : before.locks,
    lockedUntil: fewerThan(MAX_WRONG_A_DAY, tries, now),
  }
}
