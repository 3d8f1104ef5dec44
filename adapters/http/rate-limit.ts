/**
 * Token buckets in memory. One process counts for itself, so several together allow as many times as much. Headers
 * follow the IETF draft on RateLimit fields.
 */
import { boundedCache } from '../bounded-cache.ts'
import type { Caller } from './caller.ts'
import { networkOf } from './client-ip.ts'
import { ApiError } from './errors.ts'
import type { RateLimit } from './mount.ts'
import { limitNames, type LimitName, type LimitRule, type Limits } from './rate-limit-rules.ts'

export interface Bucket {
  /** Counts one request of an owner. @returns whether it may be answered */
  readonly take: (owner: string) => boolean
  /** Whether the next request of an owner would be refused. Counts nothing. */
  readonly isEmpty: (owner: string) => boolean
  /** `RateLimit-Policy` and `RateLimit` as they are now, with `Retry-After` for an owner who has to wait. */
  readonly headers: (owner: string) => Readonly<Record<string, string>>
}

export type Buckets = Readonly<Record<LimitName, Bucket>>

interface Level {
  tokens: number
  at: number
}

/** Owners remembered at most; the least recently seen goes first, which only ever allows more. */
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

/** @param nowMs a clock in milliseconds that never goes back */
export const tokenBuckets = (limits: Limits, nowMs: () => number): Buckets =>
  Object.fromEntries(
    limitNames.map((name) => {
      const rule = limits[name]
      return [name, rule === null ? unlimited : bucketOf(name, rule, nowMs)]
    }),
  ) as unknown as Buckets

const callerOf = (caller: Caller, ip: string): string => {
  switch (caller.kind) {
    case 'anonymous':
      return networkOf(ip)
    case 'session':
      return caller.sessionId
    case 'api_key':
      return caller.keyId
    case 'cli_token':
      return caller.userId
  }
}

/**
 * Limits of the JSON API.
 * @param digest keyed, so that no address stays in memory
 */
export const apiRateLimit = (buckets: Buckets, digest: (text: string) => string): RateLimit => {
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
  return {
    request: (name, caller, ip) => count(name, name === 'api' ? callerOf(caller, ip) : networkOf(ip)),
    address: (name, email) => count(name, digest(email.trim().toLowerCase())),
  }
}
