/**
 * What is to be done in an application for each person, from how things are and how they are to be. Nothing here hangs
 * on how they came to be so: whatever happened while nobody looked is caught up with at the next look.
 */
import type { Instant } from '../time.ts'

export type AccountState = 'linked' | 'pending' | 'deactivated' | 'error'

/** What is known of an account in the application. */
export interface KnownAccount {
  /** Null before it was created. */
  readonly remoteId: string | null
  /** Whether it is active there, or may be: an attempt to create it whose outcome nobody knows has left no id. */
  readonly active: boolean
  /** Digest of what was last pushed; null when that is not known. */
  readonly pushed: string | null
  /** Failures since the last success. */
  readonly attempts: number
  /** Not before then; null when nothing stands in the way. */
  readonly nextAttemptAt: Instant | null
}

export type PushAction = 'create' | 'update' | 'deactivate'

/** Milliseconds since 1970. */
const due = (account: KnownAccount | null, now: number): boolean => {
  const at = account?.nextAttemptAt ?? null
  return at === null || Date.parse(at) <= now
}

/**
 * @param wanted digest of what the application is to hold of the person; null for who is not to be active there
 * @returns what is out of place; null for nothing
 */
export const outOfPlace = (wanted: string | null, account: KnownAccount | null): PushAction | null => {
  if (wanted === null) return account?.active === true ? 'deactivate' : null
  if ((account?.remoteId ?? null) === null) return 'create'
  return account?.active === true && account.pushed === wanted ? null : 'update'
}

/**
 * What is to be done now.
 * @param now milliseconds since 1970; null to do at once what waits for another attempt
 */
export const pushFor = (
  wanted: string | null,
  account: KnownAccount | null,
  now: number | null,
): PushAction | null => (now === null || due(account, now) ? outOfPlace(wanted, account) : null)

const GUARD_SHARE = 0.2
const GUARD_COUNT = 10

/**
 * Whether so many accounts would be deactivated that somebody has to look first: more than ten, and more than a fifth of
 * those that are active. An empty group is far more often a mistake than a wish.
 * @param recent deactivated of late, so that many small steps count as the large one that they are
 * @param allowed as many of all these as an administrator has agreed to
 */
export const isMassDeactivation = (counts: {
  readonly deactivations: number
  readonly active: number
  readonly recent: number
  readonly allowed: number
}): boolean => {
  const { deactivations, active, recent, allowed } = counts
  const unasked = deactivations + recent - allowed
  return deactivations > 0 && unasked > GUARD_COUNT && unasked > GUARD_SHARE * (active + recent)
}

const FIRST_SECONDS = 120
const MOST_SECONDS = 3600

/** Seconds before another attempt for one person, after so many failures: two minutes, doubling up to an hour. */
export const retrySeconds = (failures: number): number =>
  Math.min(MOST_SECONDS, FIRST_SECONDS * 2 ** Math.min(failures - 1, 10))
