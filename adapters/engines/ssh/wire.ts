/** The data types of the SSH protocol (RFC 4251 §5). */

/** The bytes are not what the format requires. */
export class WireError extends Error {}

export const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

export const uint64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}

/** A length of four bytes and the bytes; text as UTF-8. */
export const string = (value: string | Uint8Array): Buffer => {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : Buffer.from(value)
  return Buffer.concat([uint32(bytes.length), bytes])
}

export interface WireReader {
  /** @throws WireError if fewer bytes are left, as the others do */
  readonly uint32: () => number
  readonly uint64: () => bigint
  readonly string: () => Buffer
  /** @throws WireError if bytes are left */
  readonly end: () => void
}

/** Reads the strings of a structure, in order. */
export const readWire = (bytes: Uint8Array): WireReader => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const take = (count: number): Buffer => {
    if (count > buffer.length - at) throw new WireError('the data ends too early')
    at += count
    return buffer.subarray(at - count, at)
  }
  return {
    uint32: () => take(4).readUInt32BE(),
    uint64: () => take(8).readBigUInt64BE(),
    string: () => take(take(4).readUInt32BE()),
    end: () => {
      if (at !== buffer.length) throw new WireError('there is data after the end')
    },
  }
}
