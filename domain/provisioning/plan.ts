/**
 * Plans the actions in an application for each user, by comparing actual and desired state. The history does
 * not matter: changes that were missed are corrected at the next run.
 */
import type { Instant } from '../time.ts'

export type AccountState = 'linked' | 'pending' | 'deactivated' | 'error'

/** What is known about an account in the application. */
export interface KnownAccount {
  /** Null until it is created */
  readonly remoteId: string | null
  /** Whether it is or may be active there: a create request with an unknown outcome has no id. */
  readonly active: boolean
  /** Digest of the last push; null if unknown. */
  readonly pushed: string | null
  /** Failures since the last success. */
  readonly attempts: number
  /** Not before this time; null if there is no restriction. */
  readonly nextAttemptAt: Instant | null
}

export type PushAction = 'create' | 'update' | 'deactivate'

/** Returns whether an account is due. @param now milliseconds since 1970 */
const due = (account: KnownAccount | null, now: number): boolean => {
  const at = account?.nextAttemptAt ?? null
  return at === null || Date.parse(at) <= now
}

/**
 * Compares the desired account with the actual one.
 * @param wanted digest of the desired account; null if the user must not be active there
 * @returns the difference; null if there is none
 */
export const outOfPlace = (wanted: string | null, account: KnownAccount | null): PushAction | null => {
  if (wanted === null) return account?.active === true ? 'deactivate' : null
  if ((account?.remoteId ?? null) === null) return 'create'
  return account?.active === true && account.pushed === wanted ? null : 'update'
}

/**
 * The actions to run now.
 * @param now milliseconds since 1970; null to also run pending retries
 */
export const pushFor = (
  wanted: string | null,
  account: KnownAccount | null,
  now: number | null,
): PushAction | null => (now === null || due(account, now) ? outOfPlace(wanted, account) : null)

const GUARD_SHARE = 0.2
const GUARD_COUNT = 10

/**
 * Whether so many accounts would be deactivated that an administrator must check first: more than ten, and
 * more than a fifth of the active ones. An empty group is usually a mistake.
 * @param recent recent deactivations, so that many small steps count as one large step
 * @param allowed the number of deactivations that an administrator approved
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

/** Seconds until the next attempt for one user after this many failures: two minutes, doubling up to an hour. */
export const retrySeconds = (failures: number): number =>
  Math.min(MOST_SECONDS, FIRST_SECONDS * 2 ** Math.min(failures - 1, 10))
