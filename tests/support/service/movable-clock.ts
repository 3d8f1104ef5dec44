import type { Clock } from '../../../adapters/kernel/clock.ts'

const DAY_MS = 86_400_000

/** The time is the real one plus what a test adds. */
export const movableClock = (real: Clock): Clock & { readonly forward: (days: number) => void } => {
  let ahead = 0
  const moved = (at: string): string =>
    new Date(Date.parse(at) + ahead).toISOString().slice(0, 23) + at.slice(23)
  return {
    now: () => moved(real.now()),
    in: (seconds) => moved(real.in(seconds)),
    forward: (days) => {
      ahead += Math.round(days * DAY_MS)
    },
  }
}
