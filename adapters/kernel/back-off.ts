/** The one rule by which everything that failed waits before it tries again. */

/**
 * Milliseconds until the next attempt after `attempt` failures (from 0): doubling from `first` up to `most`,
 * randomized over the upper half, so that clients that failed together do not retry together.
 */
export const backOff = (attempt: number, first: number, most: number, random: () => number): number =>
  Math.min(most, first * 2 ** Math.min(attempt, 20)) * (0.5 + random() / 2)
