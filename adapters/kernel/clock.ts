import type { Instant } from '../../domain/time.ts'

export interface Clock {
  /** Now, in microseconds, never the same or earlier than before within this process. */
  now(): Instant
  /** A moment that many seconds from now. */
  in(seconds: number): Instant
}

/** Microseconds since 1970 are whole numbers that a double holds exactly until the year 2255. */
const format = (microseconds: number): Instant => {
  const millis = new Date(Math.floor(microseconds / 1000)).toISOString().slice(0, -1)
  return `${millis}${String(microseconds % 1000).padStart(3, '0')}Z`
}

/** The machine's wall clock, kept from going back. @param wall milliseconds since 1970, with decimals */
export const systemClock = (wall: () => number = () => performance.timeOrigin + performance.now()): Clock => {
  let last = 0
  // timeOrigin + now() does not follow later changes of the wall clock; Date.now() does.
  const read = (): number => {
    const precise = wall()
    const current = Math.abs(precise - Date.now()) > 50 ? Date.now() : precise
    const micros = Math.round(current * 1000)
    last = micros > last ? micros : last + 1
    return last
  }
  return {
    now: () => format(read()),
    in: (seconds) => format(read() + Math.round(seconds * 1e6)),
  }
}

/** Whole seconds since 1970 of a moment, rounded down (JWT NumericDate, RFC 7519 §2). */
export const epochSeconds = (instant: Instant): number => Math.floor(Date.parse(instant) / 1000)
