/**
 * Durations of ISO 8601-1 §5.5.2.4 (`P90D`, `P1Y6M`, `PT8H`) without seconds and fractions. Years and months follow the
 * calendar in UTC: one month after January 31 is the last day of February.
 */
import type { Instant } from './time.ts'

interface Duration {
  readonly months: number
  readonly minutes: number
}

const GRAMMAR =
  /^P(?=\d|T\d)(?:(\d{1,3})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?=\d)(?:(\d{1,5})H)?(?:(\d{1,6})M)?)?$/

const DAY = 24 * 60
/** Ten years, in average days. */
const LONGEST = 3653 * DAY
const MILLIS = 23

const read = (text: string): Duration | null => {
  const match = GRAMMAR.exec(text)
  if (match === null) return null
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0] = match
    .slice(1)
    .map((part: string | undefined) => Number(part ?? 0))
  return { months: years * 12 + months, minutes: (weeks * 7 + days) * DAY + hours * 60 + minutes }
}

/** Whether a text is a duration of at least one minute and at most ten years. */
export const isDuration = (text: string): boolean => {
  const duration = read(text)
  if (duration === null) return false
  const minutes = duration.months * 30.4375 * DAY + duration.minutes
  return minutes >= 1 && minutes <= LONGEST
}

/**
 * The time one duration after another time.
 * @param duration one that `isDuration` accepts
 */
export const durationAfter = (at: Instant, duration: string): Instant => {
  const { months, minutes } = read(duration) ?? { months: 0, minutes: 0 }
  const from = new Date(at)
  const day = from.getUTCDate()
  const moved = new Date(from)
  moved.setUTCDate(1)
  moved.setUTCMonth(moved.getUTCMonth() + months)
  const last = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate()
  moved.setUTCDate(Math.min(day, last))
  const end = new Date(moved.getTime() + minutes * 60_000)
  return end.toISOString().slice(0, MILLIS) + at.slice(MILLIS)
}
