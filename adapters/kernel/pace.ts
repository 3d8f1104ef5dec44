/** Weight of earlier rounds in the moving average. */
const FADING = 0.97

/** Decides when the next round of batched work starts, if a round costs about the same for any batch size. */
export interface Pace {
  /**
   * Milliseconds until the next round may start: a pause after the last one, unless as many callers wait as
   * recent rounds served. A single caller never waits.
   */
  readonly left: (waiting: number) => number
  /**
   * Reports the start of a round.
   * @param size of its batch
   */
  readonly begins: (size: number) => void
}

/**
 * @param ms how long the next round waits at most, from the start of the last one
 * @param nowMs a monotonic clock in milliseconds
 */
export const createPace = (ms: number, nowMs: () => number = () => performance.now()): Pace => {
  let begun = 0
  let usual = 0
  return {
    left: (waiting) => (waiting >= Math.floor(usual) ? 0 : Math.max(0, begun + ms - nowMs())),
    begins: (size) => {
      begun = nowMs()
      usual = Math.max(size, usual * FADING)
    },
  }
}
