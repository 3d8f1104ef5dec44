import type { Instant } from '../domain/time.ts'

export interface Clock {
  /** Now, in microseconds, never the same or earlier than before within this process. */
  now(): Instant
  /** A moment that many seconds from now. */
  in(seconds: number): Instant
}

const format = (microseconds: bigint): Instant => {
  const millis = new Date(Number(microseconds / 1000n)).toISOString().slice(0, -1)
  return `${millis}${String(microseconds % 1000n).padStart(3, '0')}Z`
}

/** The machine's wall clock, kept from going back. @param wall milliseconds since 1970, with decimals */
export const systemClock = (wall: () => number = () => performance.timeOrigin + performance.now()): Clock => {
  let last = 0n
  // timeOrigin + now() does not follow later changes of the wall clock; Date.now() does.
  const read = (): bigint => {
    const precise = wall()
    const current = Math.abs(precise - Date.now()) > 50 ? Date.now() : precise
    const micros = BigInt(Math.round(current * 1000))
    last = micros > last ? micros : last + 1n
    return last
  }
  return {
    now: () => format(read()),
    in: (seconds) => format(read() + BigInt(Math.round(seconds * 1e6))),
  }
}

/** Whole seconds since 1970 of a moment, rounded down (JWT NumericDate, RFC 7519 §2). */
export const epochSeconds = (instant: Instant): number => Math.floor(Date.parse(instant) / 1000)
