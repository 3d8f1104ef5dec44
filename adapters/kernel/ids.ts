import { createHash, randomBytes } from 'node:crypto'
import { monotonicFactory } from 'ulid'
import { idPrefixes, type Id, type IdKind, type NewId } from '../../domain/ids.ts'

const POOL_BYTES = 4096
let pool = Buffer.alloc(0)
let used = 0

/**
 * Returns the next position in the pool of random bytes. The pool is filled for many ids at a time; an id uses sixteen
 * bytes.
 */
const draw = (count: number): number => {
  if (used + count > pool.length) {
    pool = randomBytes(POOL_BYTES)
    used = 0
  }
  used += count
  return used - count
}

/** Returns a number from 0 to 1, from one byte. */
const fraction = (): number => (pool[draw(1)] ?? 0) / 256

const ulid = monotonicFactory(fraction)

export const newId: NewId = <K extends IdKind>(kind: K): Id<K> => `${idPrefixes[kind]}${ulid()}`

/** Returns a UUIDv7 (RFC 9562 §5.7). New ids are ascending, so an index appends them at its end. */
const timeOrderedUuid = (): string => {
  const at = draw(16)
  const bytes = pool.subarray(at, at + 16)
  bytes.writeUIntBE(Date.now(), 0, 6)
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * Creates the ids of one request. With an idempotency key they are derived from it, so that a request that is sent
 * again after a crash uses the same ids and the log recognizes its events. Without one they are new.
 */
export const idsFor = (
  idempotencyKey: string | undefined,
): { newId: NewId; eventId: (name: string) => string } => {
  if (idempotencyKey === undefined) return { newId, eventId: timeOrderedUuid }
  let minted = 0
  return {
    newId: <K extends IdKind>(kind: K): Id<K> => {
      const bytes = digest(`id|${idempotencyKey}|${kind}|${String(minted++)}`)
      const chars = Array.from({ length: 26 }, (_, i) => CROCKFORD[(bytes[i] ?? 0) % (i === 0 ? 8 : 32)])
      return `${idPrefixes[kind]}${chars.join('')}`
    },
    eventId: (name) => {
      const hex = digest(`event|${idempotencyKey}|${name}`).toString('hex')
      // A name-based UUID of version 8 (RFC 9562 §5.8).
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
    },
  }
}
