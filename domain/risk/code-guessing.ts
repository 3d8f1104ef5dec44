/**
 * Guessing across users: an attacker who tries one code for each of many users does not reach the limit of
 * any user, so wrong codes from unknown devices are also counted by network and in total. Known devices are
 * not affected.
 */

/** Wrong codes from unknown devices within the window, for all users. */
export interface WrongCodeCounts {
  readonly wrongCodes: number
  /** Number of addresses that they were entered for. */
  readonly addresses: number
}

export const GUESSING_WINDOW_SECONDS = 600

/** Minimum number of wrong codes: fewer are typing mistakes. More users make more mistakes. */
const LEAST_WRONG_CODES = 100
const PEOPLE_FOR_EACH_WRONG_CODE = 500
/** Minimum number of addresses: attempts for fewer addresses target those users, whose own limits apply. */
const LEAST_ADDRESSES = 20

/** Returns the number of wrong codes within the window that counts as guessing. */
export const guessingThreshold = (activePeople: number): number =>
  Math.max(LEAST_WRONG_CODES, Math.ceil(activePeople / PEOPLE_FOR_EACH_WRONG_CODE))

/**
 * Whether guessing is in progress.
 * @param before the previous result: an episode continues down to half of the threshold
 */
export const isGuessing = (
  { wrongCodes, addresses }: WrongCodeCounts,
  activePeople: number,
  before: boolean,
): boolean => {
  const threshold = guessingThreshold(activePeople)
  return before ? wrongCodes * 2 >= threshold : wrongCodes >= threshold && addresses >= LEAST_ADDRESSES
}

/** An episode ends after this quiet time: slowed-down attempts must not raise another alarm. */
export const QUIET_SECONDS = 3600

/** Wrong codes that one network may enter within an hour, for all users together. */
export const NETWORK_BUDGET_SECONDS = 3600
export const networkBudget = (alarm: boolean): number => (alarm ? 5 : 60)
