/** The common back-off rule for all retries. */

/**
 * Returns the milliseconds until the next attempt after `attempt` failures (from 0). They double from `first` up to
 * `most` and are randomized over the upper half, so that clients that failed together do not retry together.
 */
export const backOff = (attempt: number, first: number, most: number, random: () => number): number =>
  Math.min(most, first * 2 ** Math.min(attempt, 20)) * (0.5 + random() / 2)
