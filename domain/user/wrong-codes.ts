/**
 * Codes short enough to be typed are short enough to be guessed: each person has a few tries. A try is counted before
 * it is made, so that many at once are no more than the limit, and taken back when its code was right.
 */
import type { Instant } from '../time.ts'

/** Kinds of codes are counted apart: being locked out of one leaves the others. */
export type CodeKind = 'authenticator_code' | 'recovery_code' | 'device_user_code'

/** What is remembered of one person's tries. */
export interface CodeTries {
  readonly tries: readonly { readonly kind: CodeKind; readonly at: Instant }[]
  /** Until when no code of a kind is looked at. */
  readonly locks: Readonly<Partial<Record<CodeKind, Instant>>>
  /** Until when no code of any kind is; null when nothing stands in the way. */
  readonly lockedUntil: Instant | null
}

export const noTries: CodeTries = { tries: [], locks: {}, lockedUntil: null }

/** So many wrong codes of all kinds within a day lock a person out of typed codes altogether. */
export const MAX_WRONG_A_DAY = 10

/** The limit of a kind, and the moments that a try made now is measured by. */
export interface TryLimits {
  readonly maxAttempts: number
  readonly now: Instant
  /** Earlier tries of the kind do not count any more. */
  readonly windowStart: Instant
  /** Where a lock of the kind would end. */
  readonly lockUntil: Instant
  /** Earlier tries of all kinds do not count any more. */
  readonly dayStart: Instant
  /** Where a lockout of all kinds would end. */
  readonly lockOutUntil: Instant
}

/** A try that may be made. */
export interface TakenTry {
  readonly kind: CodeKind
  readonly at: Instant
  /** The lockout of all kinds that comes of it unless its code is right; null for none. */
  readonly locksOutUntil: Instant | null
}

export type TakenOrNot =
  | { readonly refusedUntil: Instant; readonly after: null }
  | { readonly taken: TakenTry; readonly after: CodeTries }

const inForce = (locks: CodeTries['locks'], now: Instant): CodeTries['locks'] =>
  Object.fromEntries(Object.entries(locks).filter(([, until]) => until > now))

const without = (locks: CodeTries['locks'], kind: CodeKind): CodeTries['locks'] =>
  Object.fromEntries(Object.entries(locks).filter(([locked]) => locked !== kind))

/** Counts a try of a kind, and says whether it may be made. What is refused does not count. */
export const takeTry = (before: CodeTries, kind: CodeKind, limits: TryLimits): TakenOrNot => {
  const { now, maxAttempts, windowStart, lockUntil, dayStart, lockOutUntil } = limits
  const locks = inForce(before.locks, now)
  const lockedUntil = before.lockedUntil !== null && before.lockedUntil > now ? before.lockedUntil : null
  const standing = [locks[kind], lockedUntil].flatMap((until) => until ?? []).sort()
  const refusedUntil = standing.at(-1)
  if (refusedUntil !== undefined) return { refusedUntil, after: null }

  const oldest = windowStart < dayStart ? windowStart : dayStart
  const tries = [...before.tries.filter(({ at }) => at > oldest), { kind, at: now }]
  const ofKind = tries.filter((one) => one.kind === kind && one.at > windowStart).length
  const ofDay = tries.filter(({ at }) => at > dayStart).length
  const locksOutUntil = ofDay >= MAX_WRONG_A_DAY ? lockOutUntil : null
  return {
    taken: { kind, at: now, locksOutUntil },
    after: {
      tries,
      locks: ofKind >= maxAttempts ? { ...locks, [kind]: lockUntil } : locks,
      lockedUntil: locksOutUntil,
    },
  }
}

const lockoutAfter = ({ lockedUntil }: CodeTries, { locksOutUntil }: TakenTry): Instant | null =>
  lockedUntil === locksOutUntil ? null : lockedUntil

/** After a right code that its person alone can make: what went before of its kind was theirs too. */
export const forgetKind = (before: CodeTries, taken: TakenTry): CodeTries => ({
  tries: before.tries.filter(({ kind }) => kind !== taken.kind),
  locks: without(before.locks, taken.kind),
  lockedUntil: lockoutAfter(before, taken),
})

/**
 * After a right code of another sort: only its own try is taken back. Whoever can make right codes themselves could
 * otherwise guess others' for ever in between.
 */
export const takeBack = (
  before: CodeTries,
  taken: TakenTry,
  { maxAttempts, windowStart }: Pick<TryLimits, 'maxAttempts' | 'windowStart'>,
): CodeTries => {
  const index = before.tries.findIndex(({ kind, at }) => kind === taken.kind && at === taken.at)
  const tries = before.tries.filter((_, i) => i !== index)
  const ofKind = tries.filter(({ kind, at }) => kind === taken.kind && at > windowStart).length
  return {
    tries,
    locks: ofKind < maxAttempts ? without(before.locks, taken.kind) : before.locks,
    lockedUntil: lockoutAfter(before, taken),
  }
}
