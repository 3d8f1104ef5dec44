/** Rate limits. Each rule is a token bucket that refills steadily. */

/** Allows bursts of `limit` requests, and `limit` per `seconds` on average. */
export interface LimitRule {
  readonly limit: number
  readonly seconds: number
}

const perMinute = (limit: number): LimitRule => ({ limit, seconds: 60 })

export const defaultLimits = {
  /** JSON API, by session, API key or CLI token; by network for anonymous callers. */
  api: perMinute(600),
  /** Sign-in and enrolment, by network. */
  'sign-in': perMinute(20),
  /** Sign-in with an entered address, by that address. */
  'sign-in-email': perMinute(10),
  /** Emailed links, by address. */
  'magic-link': { limit: 3, seconds: 900 },
  /** Token and revocation endpoint, by client; for clients without a secret by client and network. */
  token: perMinute(300),
  /** Failed client authentication, by network. */
  'client-failure': perMinute(20),
  /** By client; by network for invalid tokens. */
  userinfo: perMinute(3000),
  /** By client. */
  introspect: perMinute(3000),
  /** The SCIM server, by API key; by network without a valid one. */
  scim: perMinute(3000),
  /** Pages, and the endpoints for authorization, device authorization, logout and SAML sign-in, by network. */
  browser: perMinute(1200),
} as const satisfies Record<string, LimitRule>

export type LimitName = keyof typeof defaultLimits

/** Null: no limit. */
export type Limits = Readonly<Record<LimitName, LimitRule | null>>

export const limitNames = Object.keys(defaultLimits) as readonly LimitName[]

export const noLimits = Object.fromEntries(limitNames.map((name) => [name, null])) as Limits

const SECONDS = { s: 1, min: 60, h: 3600 }
const MAX = 1_000_000

const entryOf = (item: string): readonly [LimitName, LimitRule | null] | undefined => {
  const [, name, written, count = '1', unit = 'min'] =
    /^([a-z-]+)=(?:off|(\d{1,7})\/(\d{1,3})?(s|min|h))$/.exec(item) ?? []
  const known = limitNames.find((each) => each === name)
  if (known === undefined) return undefined
  if (written === undefined) return [known, null]
  const limit = Number(written)
  const seconds = Number(count) * SECONDS[unit as keyof typeof SECONDS]
  return limit >= 1 && limit <= MAX && seconds >= 1 ? [known, { limit, seconds }] : undefined
}

/**
 * Limits from the configuration: `off`, or the changed ones, such as
 * `sign-in=40/min,magic-link=5/15min,token=off`.
 * @returns undefined for any other format
 */
export const readLimits = (text: string): Limits | undefined => {
  if (text === 'off') return noLimits
  const entries = text.split(',').map((item) => entryOf(item.trim()))
  return entries.includes(undefined)
    ? undefined
    : { ...defaultLimits, ...Object.fromEntries(entries.filter((entry) => entry !== undefined)) }
}
