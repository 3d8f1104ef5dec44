/**
 * Guessing across all people: one who tries a single code for each of many never meets the limit of any one person, so
 * the wrong codes of strangers are counted by network and all together as well. Known devices are not part of this.
 */

/** Wrong codes of strangers within the window, whoever they were for. */
export interface WrongCodeCounts {
  readonly wrongCodes: number
  /** Addresses that they were typed for. */
  readonly addresses: number
}

export const GUESSING_WINDOW_SECONDS = 600

/** Fewer than these are people who mistype; more people mistype more. */
const LEAST_WRONG_CODES = 100
const PEOPLE_FOR_EACH_WRONG_CODE = 500
/** What concerns fewer addresses is an attack on those, and their own limits see to it. */
const LEAST_ADDRESSES = 20

/** Wrong codes within the window from which on somebody is guessing. */
export const guessingThreshold = (activePeople: number): number =>
  Math.max(LEAST_WRONG_CODES, Math.ceil(activePeople / PEOPLE_FOR_EACH_WRONG_CODE))

/**
 * Whether somebody is guessing now.
 * @param before whether it was so when last looked at: an episode goes on down to half of what began it
 */
export const isGuessing = (
  { wrongCodes, addresses }: WrongCodeCounts,
  activePeople: number,
  before: boolean,
): boolean => {
  const threshold = guessingThreshold(activePeople)
  return before ? wrongCodes * 2 >= threshold : wrongCodes >= threshold && addresses >= LEAST_ADDRESSES
}

/** An episode is over when it was quiet for so long: being slowed is no reason to be told of as another. */
export const QUIET_SECONDS = 3600

/** Wrong codes that one network may type within an hour, for all people together. */
export const NETWORK_BUDGET_SECONDS = 3600
export const networkBudget = (alarm: boolean): number => (alarm ? 5 : 60)
