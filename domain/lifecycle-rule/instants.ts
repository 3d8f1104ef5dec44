/** When a date trigger happens: at a time of day where the user is. */
import type { Instant } from '../time.ts'
import type { LifecycleTrigger, ProfileDateTriggerType } from './events.ts'

const MINUTE = 60_000
const DAY = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat | null>()
/** More than there are time zones; users' profiles may contain any text. */
const MOST_FORMATS = 1000

const formatOf = (timeZone: string): Intl.DateTimeFormat | null => {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  let format: Intl.DateTimeFormat | null = null
  try {
    format = new Intl.DateTimeFormat('en-u-hc-h23', {
      ...({ timeZone, year: 'numeric', month: 'numeric', day: 'numeric' } as const),
      ...({ hour: 'numeric', minute: 'numeric', second: 'numeric' } as const),
    })
  } catch {
    // Not a time zone.
  }
  if (formats.size < MOST_FORMATS) formats.set(timeZone, format)
  return format
}

/** Whether a text is an IANA time zone. */
export const isTimeZone = (text: string): boolean => /^[A-Za-z]/.test(text) && formatOf(text) !== null

/** Milliseconds that local time is ahead of UTC. */
const offsetAt = (format: Intl.DateTimeFormat, at: number): number => {
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0
  const local = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  )
  return local - Math.floor(at / 1000) * 1000
}

const instant = (at: number): Instant => `${new Date(at).toISOString().slice(0, -1)}000Z`

const CALENDAR_DAY = /^\d{4}-\d{2}-\d{2}$/

/**
 * The instant of a local time. A time that happens twice is the first one; a time that is skipped happens as much later
 * as clocks are put forward.
 * @param date YYYY-MM-DD
 * @param time HH:MM
 * @returns null for a date that does not exist
 */
export const instantAt = (date: string, time: string, timeZone: string): Instant | null => {
  const wall = Date.parse(`${date}T${time}:00Z`)
  if (!CALENDAR_DAY.test(date) || Number.isNaN(wall)) return null
  if (!new Date(wall).toISOString().startsWith(date)) return null
  const format = isTimeZone(timeZone) ? formatOf(timeZone) : formatOf('UTC')
  if (format === null) return null
  const [before, after] = [offsetAt(format, wall - DAY), offsetAt(format, wall + DAY)]
  const possible = [wall - before, wall - after].filter((at) => at + offsetAt(format, at) === wall)
  return instant(possible.length === 0 ? wall - before : Math.min(...possible))
}

/** The calendar day some days later; earlier if negative. @param date YYYY-MM-DD */
export const daysLater = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10)

/** The time of day of a trigger that names none: leavers work until the evening. */
const usualTime = (type: ProfileDateTriggerType): string => (type === 'on_end_date' ? '17:00' : '09:00')

/** Days from the date of the profile to that of the trigger. */
export const daysFrom = ({ type, days = 0 }: LifecycleTrigger): number =>
  type === 'days_before_start' || type === 'days_before_end' ? -days : type === 'on_end_date' ? 0 : days

/**
 * When a trigger on a date of the profile happens.
 * @param date of the profile, YYYY-MM-DD
 * @returns null for a date that does not exist
 */
export const profileInstant = (
  trigger: LifecycleTrigger & { readonly type: ProfileDateTriggerType },
  date: string,
  userZone: string | null,
): Instant | null => {
  if (!CALENDAR_DAY.test(date) || Number.isNaN(Date.parse(`${date}T00:00:00Z`))) return null
  const zone = userZone !== null && isTimeZone(userZone) ? userZone : (trigger.timeZone ?? 'UTC')
  return instantAt(daysLater(date, daysFrom(trigger)), trigger.atTime ?? usualTime(trigger.type), zone)
}

/** The time some minutes later. */
export const minutesLater = (at: Instant, minutes: number): Instant =>
  new Date(Date.parse(at) + minutes * MINUTE).toISOString().slice(0, 23) + at.slice(23)
