/**
 * Codes short enough to be typed are short enough to be guessed: each person has a few tries. A try is counted before
 * it is made, so that many at once are no more than the limit, and taken back when its code was right.
 *
 * Tries are counted in rows: one for all strangers to a person, one for each device that the person is known by, and one
 * for what the person types while signed in. What one row refuses, the others do not: a stranger cannot keep out the
 * person whose address they typed.
 */
import { secondsAfter, type Instant } from '../time.ts'

/** Kinds of codes are counted apart: being locked out of one leaves the others. */
export type CodeKind = 'authenticator_code' | 'recovery_code' | 'device_user_code'

/** A code to be tried. */
export interface CodeAttempt {
  readonly kind: CodeKind
  /** Which of those who share the row: the network of a stranger; empty where the row is of one alone. */
  readonly from: string
}

interface CountedTry {
  readonly kind: CodeKind
  readonly at: Instant
  /** Left out for the empty one. */
  readonly from?: string
}

/** What is remembered in one row. */
export interface CodeTries {
  readonly tries: readonly CountedTry[]
  /** Until when no code of a kind is looked at, by `lockName`. */
  readonly locks: Readonly<Record<string, Instant>>
  /** Until when no code of any kind is, wherever it comes from; null when nothing stands in the way. */
  readonly lockedUntil: Instant | null
}

export const noTries: CodeTries = { tries: [], locks: {}, lockedUntil: null }

/** So many wrong codes of all kinds within 24 hours lock a row until they are fewer. */
export const MAX_WRONG_A_DAY = 10

/** Of these, so many may come from one network: no one network alone locks a person's row of strangers. */
export const MAX_WRONG_A_DAY_FROM_ONE = 8

const DAY_SECONDS = 86_400

/** The limits of a kind, and the moments that a try made now is measured by. */
export interface TryLimits {
  readonly maxAttempts: number
  readonly now: Instant
  /** Earlier tries of the kind do not count any more. */
  readonly windowStart: Instant
  /** Where a lock of the kind would end. */
  readonly lockUntil: Instant
  /** Tries of all kinds within 24 hours that are looked at, from everywhere; at most `MAX_WRONG_A_DAY`. */
  readonly maxADay: number
  /** The same from one network, in a row that several share. */
  readonly maxADayFromOne: number
}

/** A try that may be made. */
export interface TakenTry extends CodeAttempt {
  readonly at: Instant
  /** The lockout of all kinds that comes of it unless its code is right; null for none. */
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

/** When fewer than `max` tries will have been made within the last 24 hours; null when that is so already. */
const fewerThan = (max: number, tries: readonly CountedTry[], now: Instant): Instant | null => {
  const oldest = tries
    .map(({ at }) => at)
    .sort()
    .at(-max)
  const until = oldest === undefined ? null : secondsAfter(oldest, DAY_SECONDS)
  return until !== null && until > now ? until : null
}

/** Counts a try, and says whether it may be made. What is refused does not count. */
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

/** After a right code that its person alone can make: what went before of its kind, from the same place, was theirs too. */
export const forgetKind = (before: CodeTries, taken: TakenTry, now: Instant): CodeTries => {
  const tries = before.tries.filter((one) => !isOf(taken)(one))
  return {
    tries,
    locks: without(before.locks, lockName(taken)),
    lockedUntil: fewerThan(MAX_WRONG_A_DAY, tries, now),
  }
}

/**
 * After a right code of another sort: only its own try is taken back. Whoever can make right codes themselves could
 * otherwise guess others' for ever in between.
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
