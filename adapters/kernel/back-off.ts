/** The one rule by which everything that failed waits before it tries again. */

/**
 * Milliseconds before the next try after `attempt` failures (from 0): doubling from `first` up to `most`, spread at random
 * over the upper half of that, so that many who failed together do not come back together.
 */
export const backOff = (attempt: number, first: number, most: number, random: () => number): number =>
  Math.min(most, first * 2 ** Math.min(attempt, 20)) * (0.5 + random() / 2)
