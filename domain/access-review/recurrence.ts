import type { Instant } from '../time.ts'
import type { ReviewRepeat } from './events.ts'

const months: Readonly<Record<Exclude<ReviewRepeat, 'none'>, number>> = {
  monthly: 1,
  quarterly: 3,
  semiannual: 6,
  annual: 12,
}

/** The same time that many calendar months later in UTC; the last day of a shorter month. */
const monthsAfter = (at: Instant, count: number): Instant => {
  const date = new Date(at)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + count)
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, last))
  return date.toISOString().slice(0, 23) + at.slice(23)
}

/**
 * When a recurring review starts again: the first of its times after now, so that those missed during a pause of the
 * service are not made up for.
 * @param startsAt when the first of the series started, whose day of the month the others repeat
 * @returns null if it does not repeat
 */
export const nextStart = (startsAt: Instant, repeat: ReviewRepeat, now: Instant): Instant | null => {
  if (repeat === 'none') return null
  for (let times = 1; ; times++) {
    const next = monthsAfter(startsAt, times * months[repeat])
    if (next > now) return next
  }
}
