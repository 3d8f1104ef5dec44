/**
 * Token buckets in memory. Each process counts separately, so several processes together allow a multiple. Headers
 * follow the IETF draft on RateLimit fields.
 */
import { boundedCache } from '../../kernel/bounded-cache.ts'
import type { Caller } from './caller.ts'
import { networkOf } from '../../kernel/client-ip.ts'
import { ApiError } from './errors.ts'
import type { Cookies } from './cookies.ts'
import type { LimitedOrigin, RateLimit } from './api.ts'
import { limitNames, type LimitName, type LimitRule, type Limits } from './rate-limit-rules.ts'

export interface Bucket {
  /**
   * Counts one request of an owner.
   * @returns whether it is within the limit
   */
  readonly take: (owner: string) => boolean
  /** Whether the next request of an owner would be rejected. Does not count. */
  readonly isEmpty: (owner: string) => boolean
  /** Returns the current `RateLimit-Policy` and `RateLimit`, with `Retry-After` for an owner who must wait. */
  readonly headers: (owner: string) => Readonly<Record<string, string>>
}

export type Buckets = Readonly<Record<LimitName, Bucket>>

interface Level {
  tokens: number
  at: number
}

/** Maximum number of owners in memory. The least recently seen is dropped first, which can only allow more requests. */
const MAX_OWNERS = 20_000

const unlimited: Bucket = { take: () => true, isEmpty: () => false, headers: () => ({}) }

const bucketOf = (name: LimitName, { limit, seconds }: LimitRule, nowMs: () => number): Bucket => {
  const levels = boundedCache<Level>(MAX_OWNERS)
  const perMs = limit / (seconds * 1000)
  const policy = `"${name}";q=${String(limit)};w=${String(seconds)}`
  const tokensOf = ({ tokens, at }: Level, now: number): number =>
    Math.min(limit, tokens + (now - at) * perMs)
  const tokensNow = (owner: string): number => {
    const level = levels.get(owner)
    return level === undefined ? limit : tokensOf(level, nowMs())
  }

  return {
    take: (owner) => {
      const now = nowMs()
      const level = levels.get(owner)
      if (level === undefined) {
        levels.set(owner, { tokens: limit - 1, at: now })
        return true
      }
      level.tokens = tokensOf(level, now)
      level.at = now
      if (level.tokens < 1) return false
      level.tokens -= 1
      return true
    },
    isEmpty: (owner) => tokensNow(owner) < 1,
    headers: (owner) => {
      const tokens = tokensNow(owner)
      const secondsTo = (wanted: number): number => Math.max(0, Math.ceil((wanted - tokens) / perMs / 1000))
      return {
        'RateLimit-Policy': policy,
        RateLimit: `"${name}";r=${String(Math.floor(tokens))};t=${String(secondsTo(limit))}`,
        ...(tokens < 1 ? { 'Retry-After': String(Math.max(1, secondsTo(1))) } : {}),
      }
    },
  }
}

/** @param nowMs a monotonic clock in milliseconds */
export const tokenBuckets = (limits: Limits, nowMs: () => number): Buckets =>
  Object.fromEntries(
    limitNames.map((name) => {
      const rule = limits[name]
      return [name, rule === null ? unlimited : bucketOf(name, rule, nowMs)]
    }),
  ) as unknown as Buckets

/** Known devices; null for unknown ones. */
export interface DevicesKnown {
  readonly of: (cookies: Cookies, email: string) => Promise<string | null>
  readonly ofAnybody: (cookies: Cookies) => Promise<string | null>
}

/**
 * Limits of the JSON API. A known device has its own limits where unknown devices share one, so clients on the same
 * network or with the same address do not use them up.
 * @param digest a keyed hash, so that no address stays in memory
 */
export const apiRateLimit = (
  buckets: Buckets,
  digest: (text: string) => string,
  devices: DevicesKnown,
): RateLimit => {
  const count = (name: LimitName, owner: string): Readonly<Record<string, string>> => {
    const bucket = buckets[name]
    const allowed = bucket.take(owner)
    const headers = bucket.headers(owner)
    if (allowed) {
      const { 'Retry-After': _, ...rest } = headers
      return rest
    }
    throw new ApiError('ERR_RATE_LIMITED', undefined, { headers })
  }

  const anonymousOwner = async ({ ip, cookies }: LimitedOrigin): Promise<string> =>
    (await devices.ofAnybody(cookies)) ?? networkOf(ip)

  const ownerOf = async (name: LimitName, caller: Caller, origin: LimitedOrigin): Promise<string> => {
    if (name !== 'api') return anonymousOwner(origin)
    switch (caller.kind) {
      case 'anonymous':
        return anonymousOwner(origin)
      case 'session':
        return caller.sessionId
      case 'api_key':
        return caller.keyId
      case 'cli_token':
      case 'admin_token':
        return caller.userId
    }
  }

  return {
    request: async (name, caller, origin) => count(name, await ownerOf(name, caller, origin)),
    address: async (name, email, { ip, cookies }) =>
      count(
        name,
        (await devices.of(cookies, email)) ?? digest(`${email.trim().toLowerCase()} ${networkOf(ip)}`),
      ),
  }
}
