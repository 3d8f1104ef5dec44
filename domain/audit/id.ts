import { idPrefixes, type Id } from '../ids.ts'
import type { Instant } from '../time.ts'

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const ULID_LENGTH = 26
/** Bits of a ULID after its 48 bits of milliseconds, and how many of them hold the microseconds. */
const LOW_BITS = 80n
const MICRO_BITS = 10n

const ulidOf = (bits: bigint): string => {
  let text = ''
  for (let left = bits, i = 0; i < ULID_LENGTH; i++, left >>= 5n)
    text = (CROCKFORD[Number(left & 31n)] ?? '') + text
  return text
}

/**
 * The audit entry id of an event. It is deterministic: a ULID of the event's time, to the microsecond, and 70
 * bits of a hash of its id. Ids sort by time.
 * @param digest SHA-256 of the event's id, in hexadecimal
 */
export const auditIdOf = (time: Instant, digest: string): Id<'auditEvent'> => {
  const millis = BigInt(Date.parse(`${time.slice(0, 23)}Z`))
  const micros = BigInt(time.slice(23, 26))
  const hash = BigInt(`0x${digest.slice(0, 32)}`) & ((1n << (LOW_BITS - MICRO_BITS)) - 1n)
  return `${idPrefixes.auditEvent}${ulidOf((millis << LOW_BITS) | (micros << (LOW_BITS - MICRO_BITS)) | hash)}`
}

/** Returns the time in an id, to the millisecond; the id need not exist. */
export const timeOfId = (id: Id<'auditEvent' | 'signInEvent'>): Instant => {
  const ulid = id.slice(id.indexOf('_') + 1)
  const millis = [...ulid.slice(0, 10)].reduce((sum, char) => sum * 32 + CROCKFORD.indexOf(char), 0)
  return `${new Date(Math.min(millis, 253_402_300_799_999)).toISOString().slice(0, -1)}000Z`
}
