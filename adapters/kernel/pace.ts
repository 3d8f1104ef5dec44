/** How much of "lately" is left after each round. */
const FADING = 0.97

/** When the next of many rounds begins that cost about the same however much each of them takes along. */
export interface Pace {
  /**
   * Milliseconds until the next round may start: a pause after the last one, unless as many callers wait as
   * recent rounds served. A single caller never waits.
   */
  readonly left: (waiting: number) => number
  /** A round begins. @param size how many it takes along */
  readonly begins: (size: number) => void
}

/**
 * @param ms between the beginnings of two rounds, at most
 * @param nowMs a clock in milliseconds that never goes back
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
