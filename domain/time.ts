/**
 * A time as RFC 3339 in UTC with exactly six decimals (`2026-01-02T03:04:05.123456Z`). All times in events
 * have this form, so string order is time order.
 */
export type Instant = string

const MILLIS = 23

/** The time this many whole seconds after another. */
export const secondsAfter = (at: Instant, seconds: number): Instant =>
  new Date(Date.parse(at) + seconds * 1000).toISOString().slice(0, MILLIS) + at.slice(MILLIS)
