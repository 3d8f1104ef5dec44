/**
 * `Idempotency-Key`: a POST repeated with the same key and body within 24 hours gets the stored response
 * instead of being executed again. Keys are per credential; anonymous callers have none.
 */
import { createHash } from 'node:crypto'

/** A stored response. It contains only what a repeat needs: no cookies and no connection headers. */
export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** JSON text; null for no body */
  readonly body: string | null
}

export type Begun =
  /** The request must be executed. `startedAt` is when this key was first used; a retry after a failure keeps it. */
  | { readonly state: 'new'; readonly attempt: number; readonly startedAt: Date }
  | { readonly state: 'done'; readonly answer: StoredAnswer }
  /** Another request with this key is still running. */
  | { readonly state: 'running' }
  /** The key was used for a different request. */
  | { readonly state: 'different' }

export interface IdempotencyStore {
  /**
   * Claims a key.
   * @param key hash of credential and key
   * @param fingerprint hash of the request
   */
  begin(key: string, fingerprint: string, now: Date): Promise<Begun>
  /** Stores the response of an attempt, unless another attempt has taken over meanwhile. */
  finish(key: string, attempt: number, answer: StoredAnswer): Promise<void>
  /** Releases the key without a response: the next attempt runs again. */
  release(key: string, attempt: number): Promise<void>
}

/** Encrypts text for storage, and decrypts it only in the same context. */
export interface Sealer {
  seal(text: string, context: string): string | Promise<string>
  open(sealed: string, context: string): string | Promise<string>
}

export const IDEMPOTENCY_HOURS = 24

/** Regular expression source: printable ASCII without leading or trailing spaces, which HTTP would remove. */
export const IDEMPOTENCY_KEY = '^[\\x21-\\x7e](?:[\\x20-\\x7e]{0,253}[\\x21-\\x7e])?$'

const pattern = new RegExp(IDEMPOTENCY_KEY)

export const isIdempotencyKey = (key: string): boolean => pattern.test(key)

/** SHA-256 over parts, each with its length, so that no two lists of parts collide. */
export const digest = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part)
  return hash.digest('hex')
}
