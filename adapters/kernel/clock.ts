import type { Instant } from '../../domain/time.ts'

export interface Clock {
  /** Returns the current time in microseconds, strictly increasing within this process. */
  now(): Instant
  /** Returns the time that many seconds from now. */
  in(seconds: number): Instant
}

/**
 * Formats microseconds since 1970, which a double represents exactly until the year 2255. Keeps the text of the last
 * second: most calls are in the same one.
 */
const formatter = (): ((microseconds: number) => Instant) => {
  let second = Number.NaN
  let text = ''
  return (microseconds) => {
    const current = Math.floor(microseconds / 1e6)
    if (current !== second) {
      text = new Date(current * 1000).toISOString().slice(0, -4)
      second = current
    }
    return `${text}${String(microseconds - current * 1e6).padStart(6, '0')}Z`
  }
}

/**
 * The machine's wall clock, made monotonic.
 * @param wall milliseconds since 1970, with decimals
 */
export const systemClock = (wall: () => number = () => performance.timeOrigin + performance.now()): Clock => {
  const formatNow = formatter()
  const formatLater = formatter()
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
    now: () => formatNow(read()),
    in: (seconds) => formatLater(read() + Math.round(seconds * 1e6)),
  }
}

/** Returns whole seconds since 1970 of a time, rounded down (JWT NumericDate, RFC 7519 §2). */
export const epochSeconds = (instant: Instant): number => Math.floor(Date.parse(instant) / 1000)
