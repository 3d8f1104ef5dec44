/**
 * A moment as RFC 3339 in UTC with exactly six decimals (`2026-01-02T03:04:05.123456Z`). All moments in events have
 * this one form, so string order is time order.
 */
export type Instant = string
