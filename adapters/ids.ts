import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { monotonicFactory } from 'ulid'
import { idPrefixes, type Id, type IdKind, type NewId } from '../domain/ids.ts'

const POOL_BYTES = 4096
let pool = Buffer.alloc(0)
let used = 0

/** 0 to 1, from one byte. Asked of the system many at a time: an id takes sixteen of them. */
const fraction = (): number => {
  if (used === pool.length) {
    pool = randomBytes(POOL_BYTES)
    used = 0
  }
  return (pool[used++] ?? 0) / 256
}

const ulid = monotonicFactory(fraction)

export const newId: NewId = <K extends IdKind>(kind: K): Id<K> => `${idPrefixes[kind]}${ulid()}`

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * Ids for one request. With an idempotency key they follow from it, so that a request sent again after a crash names
 * the same things and the log recognises its events; without one they are new.
 */
export const idsFor = (
  idempotencyKey: string | undefined,
): { newId: NewId; eventId: (name: string) => string } => {
  if (idempotencyKey === undefined) return { newId, eventId: () => randomUUID() }
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
