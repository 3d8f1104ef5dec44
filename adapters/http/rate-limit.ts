/**
 * Token buckets in memory: each caller may send `burst` requests at once and `perMinute` in the long run. One process
 * counts for itself, so several together allow as many times as much. Headers follow the IETF draft on RateLimit fields.
 */
import { LRUCache } from 'lru-cache'
import { ApiError } from './errors.ts'
import type { Caller } from './caller.ts'
import type { RateLimit } from './mount.ts'

export interface BucketRule {
  /** Requests a minute in the long run. */
  readonly perMinute: number
  /** Requests at once; as many as a minute's when left out. */
  readonly burst?: number
  /** Whose requests are counted together; a caller who is nobody in particular is always counted by address. */
  readonly by: 'caller' | 'ip'
}

export const GENERAL_BUCKET = 'api'

/** As routes name them; each may be set otherwise by the operator. */
export const defaultBuckets: Readonly<Record<string, BucketRule>> = {
  [GENERAL_BUCKET]: { perMinute: 600, by: 'caller' },
  'sign-in': { perMinute: 20, by: 'ip' },
}

interface Level {
  tokens: number
  at: number
}

/** Buckets kept at most; the least recently used goes first, which only ever allows more. */
const MAX_BUCKETS = 100_000

const ownerOf = (rule: BucketRule, caller: Caller, ip: string): string => {
  if (rule.by === 'ip' || caller.kind === 'anonymous') return `ip:${ip}`
  switch (caller.kind) {
    case 'session':
      return caller.sessionId
    case 'api_key':
      return caller.keyId
    case 'cli_token':
      return caller.userId
  }
}

/**
 * @param nowMs a clock in milliseconds that never goes back
 * @throws Error when there is no rule for the general bucket
 */
export const tokenBuckets = (rules: Readonly<Record<string, BucketRule>>, nowMs: () => number): RateLimit => {
  const levels = new LRUCache<string, Level>({ max: MAX_BUCKETS })
  const general = rules[GENERAL_BUCKET]
  if (general === undefined) throw new Error(`rate limits: expected a rule for "${GENERAL_BUCKET}"`)

  return (bucket = GENERAL_BUCKET, caller, ip) => {
    const rule = rules[bucket]
    const name = rule === undefined ? GENERAL_BUCKET : bucket
    const { perMinute, burst = perMinute } = rule ?? general
    const owner = `${name} ${ownerOf(rule ?? general, caller, ip)}`
    const now = nowMs()
    const level = levels.get(owner) ?? { tokens: burst, at: now }
    const tokens = Math.min(burst, level.tokens + ((now - level.at) * perMinute) / 60_000)
    const allowed = tokens >= 1
    const rest = allowed ? tokens - 1 : tokens
    levels.set(owner, { tokens: rest, at: now })
    const secondsTo = (wanted: number): number => Math.max(0, Math.ceil(((wanted - rest) * 60) / perMinute))
    const headers = {
      'RateLimit-Policy': `"${name}";q=${burst};w=${Math.ceil((burst * 60) / perMinute)}`,
      RateLimit: `"${name}";r=${Math.floor(rest)};t=${secondsTo(burst)}`,
    }
    if (allowed) return headers
    throw new ApiError('ERR_RATE_LIMITED', undefined, {
      headers: { ...headers, 'Retry-After': String(Math.max(1, secondsTo(1))) },
    })
  }
}
