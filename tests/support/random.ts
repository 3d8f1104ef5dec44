/** Random values for tests: the same in every run, unless `SVC_TEST_SEED` (`npm run campaign`) sets another seed. */

export const SEED = Number(process.env['SVC_TEST_SEED'] ?? 20_261_122)

/** Numbers ≥ 0 and < 1, the same for the same seed (mulberry32). */
export const randomFrom = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Numbers ≥ 0 and < 1, from this process's seed. */
export const random = randomFrom(SEED)

/** Returns a length that a campaign sets, such as a number of runs. */
export const fromEnvironment = (name: string, otherwise: number): number => {
  const value = Number(process.env[name])
  return Number.isInteger(value) && value > 0 ? value : otherwise
}
