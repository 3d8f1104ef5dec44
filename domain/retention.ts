import type { Change } from './changes.ts'
import { own } from './own.ts'

/**
 * How long events are kept: identity and governance events permanently, sign-ins and token grants for a limited time.
 * Grants are kept longer than the lifetime of refresh tokens, so that no revocation is forgotten before its tokens
 * expire.
 */
export type RetentionClass = 'permanent' | 'sign_in' | 'token'

const DAY = 86_400
const MICROSECONDS = 1e6

/** The default of the setting `signInEventRetentionDays` */
export const DEFAULT_SIGN_IN_DAYS = 395

/** The limits of the setting: shorter than the longest session, no event would be left of a session in use. */
export const signInDays = { minimum: 90, maximum: 3650 } as const

/** Seconds that grants and tokens are kept */
const TOKEN_SECONDS = 400 * DAY

/** How long a former, longer setting still applies, so that a mistake or an attacker's change can be undone in time. */
export const SHORTENED_AFTER_DAYS = 7

/** Events may be deleted by a former setting for this long: instances do not all read the settings at once. */
const LAG_SECONDS = DAY

const retention: Readonly<Record<string, RetentionClass>> = {
  grant: 'token',
  grants: 'token',
  device_login: 'token',
  saml_assertion: 'token',
  session: 'sign_in',
  sign_in: 'sign_in',
}

/** Retention by the category of a stream (its name before the first `-`). */
export const retentionOf = (category: string): RetentionClass => own(retention, category) ?? 'permanent'

/** A setting of `signInEventRetentionDays`, in force until the next one. */
export interface RetentionPeriod {
  /** Microseconds since 1970 */
  readonly since: number
  readonly days: number
}

/** A recorded change of the settings. */
interface SettingsUpdate {
  /** Microseconds since 1970, as recorded by the engine of the log */
  readonly recorded: string
  readonly data: { readonly changes?: unknown }
}

/**
 * Returns every setting that was ever in force, oldest first, from all changes of the settings in log order. Data that
 * is not as recorded, which the verification of a log may meet, changes nothing.
 */
export const retentionPeriods = (updates: readonly SettingsUpdate[]): readonly RetentionPeriod[] => [
  { since: 0, days: DEFAULT_SIGN_IN_DAYS },
  ...updates.flatMap(({ recorded, data: { changes } }) =>
    (Array.isArray(changes) ? (changes as readonly (Partial<Change> | null)[]) : []).flatMap((change) => {
      const days = change?.field === 'signInEventRetentionDays' ? change.to : null
      return typeof days === 'number' ? [{ since: Number(recorded), days }] : []
    }),
  ),
]

const REMEMBERED = SHORTENED_AFTER_DAYS * DAY * MICROSECONDS

/** Days that sign-ins are kept at a moment: the longest setting of the last seven days. @param at microseconds since 1970 */
export const signInDaysAt = (periods: readonly RetentionPeriod[], at: number): number =>
  Math.max(
    ...periods
      .filter(({ since }, index) => since <= at && (periods[index + 1]?.since ?? Infinity) > at - REMEMBERED)
      .map(({ days }) => days),
  )

/** Seconds that events of a class are kept at a moment; null for permanently. @param at microseconds since 1970 */
export const retentionSeconds = (
  kept: RetentionClass,
  periods: readonly RetentionPeriod[],
  at: number,
): number | null => {
  if (kept === 'permanent') return null
  return kept === 'token' ? TOKEN_SECONDS : signInDaysAt(periods, at) * DAY
}

/**
 * Returns the time before which recorded events of a class may have been deleted, by the present setting or by an
 * earlier one; null for a class that is kept permanently. In microseconds since 1970.
 */
export const goneBefore = (
  kept: RetentionClass,
  periods: readonly RetentionPeriod[],
  now: number,
): number | null => {
  const beforeAt = (at: number): number | null => {
    const seconds = retentionSeconds(kept, periods, at)
    return seconds === null ? null : at - seconds * MICROSECONDS
  }
  const present = beforeAt(now)
  if (present === null) return null
  // The retention in force grows only when a longer setting begins: until then, the shorter one deleted the most.
  const earlier = periods
    .filter(({ since }) => since > 0 && since <= now)
    .map(({ since }) => (beforeAt(since - 1) ?? 0) + Math.min(now - since, LAG_SECONDS * MICROSECONDS))
  return Math.max(present, ...earlier)
}
