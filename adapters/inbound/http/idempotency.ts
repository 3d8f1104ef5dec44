/**
 * `Idempotency-Key`: a POST repeated with the same key and body within 24 hours gets the stored response
 * instead of being executed again. Keys are per credential; anonymous callers have none.
 */
import { createHash } from 'node:crypto'

/** A stored response. Only what a repeat needs: no cookies, nothing about the connection. */
export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** JSON text; null for none. */
  readonly body: string | null
}

export type Begun =
  /** Carry it out. `startedAt` is when this key was first used: the same for a retry after a failure. */
  | { readonly state: 'new'; readonly attempt: number; readonly startedAt: Date }
  | { readonly state: 'done'; readonly answer: StoredAnswer }
  /** Another request with this key is being carried out. */
  | { readonly state: 'running' }
  /** The key was used for something else. */
  | { readonly state: 'different' }

export interface IdempotencyStore {
  /**
   * @param key hash of credential and key
   * @param fingerprint hash of the request
   */
  begin(key: string, fingerprint: string, now: Date): Promise<Begun>
  /** Keeps the answer of an attempt, unless another has taken over meanwhile. */
  finish(key: string, attempt: number, answer: StoredAnswer): Promise<void>
  /** The attempt has no result to repeat: the next one runs again. */
  release(key: string, attempt: number): Promise<void>
}

/** Makes text unreadable at rest, and readable again in the same context only. */
export interface Sealer {
  seal(text: string, context: string): string | Promise<string>
  open(sealed: string, context: string): string | Promise<string>
}

export const IDEMPOTENCY_HOURS = 24

/** Regular expression source: printable ASCII without spaces around it, which no HTTP message would keep. */
export const IDEMPOTENCY_KEY = '^[\\x21-\\x7e](?:[\\x20-\\x7e]{0,253}[\\x21-\\x7e])?$'

const pattern = new RegExp(IDEMPOTENCY_KEY)

export const isIdempotencyKey = (key: string): boolean => pattern.test(key)

/** SHA-256 over parts, each with its length, so that no two lists of parts collide. */
export const digest = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part)
  return hash.digest('hex')
}
