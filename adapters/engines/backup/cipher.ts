/**
 * Encrypts a stream with a passphrase: scrypt (RFC 7914), then AES-256-GCM over chunks. Each chunk is authenticated
 * with its number and whether it is the last one, so that reordered chunks and truncated files are detected.
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { BackupDamaged } from './format.ts'

/** The beginning of an encrypted file, which identifies the encryption. */
export const MAGIC = Buffer.from('SVCBKUP1')

const SALT_BYTES = 16
const TAG_BYTES = 16
/** Each chunk is preceded by its length; the highest bit marks the last chunk. */
const LENGTH_BYTES = 4
const LAST = 0x8000_0000
const CHUNK_BYTES = 65_536

const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 }

const keyOf = (passphrase: string, salt: Buffer): Promise<Buffer> =>
  promisify<string, Buffer, number, object, Buffer>(scrypt)(passphrase.normalize('NFC'), salt, 32, SCRYPT)

/** The nonce is unique for each chunk, because every file has its own key. */
const nonceOf = (chunk: number): Buffer => {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(chunk), 4)
  return nonce
}

const lengthOf = (bytes: number, last: boolean): Buffer => {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(last ? bytes + LAST : bytes)
  return length
}

/** Encrypts bytes for a file. */
export const encrypted = async function* (
  source: AsyncIterable<Buffer>,
  passphrase: string,
): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT_BYTES)
  const key = await keyOf(passphrase, salt)
  let chunk = 0
  const sealed = (plain: Buffer, last: boolean): Buffer => {
    const length = lengthOf(plain.length, last)
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(chunk++)).setAAD(length)
    return Buffer.concat([length, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }
  yield Buffer.concat([MAGIC, salt])
  let parts: Buffer[] = []
  let length = 0
  for await (const bytes of source) {
    parts.push(bytes)
    length += bytes.length
    if (length <= CHUNK_BYTES) continue
    let pending = Buffer.concat(parts)
    for (; pending.length > CHUNK_BYTES; pending = pending.subarray(CHUNK_BYTES))
      yield sealed(pending.subarray(0, CHUNK_BYTES), false)
    parts = [pending]
    length = pending.length
  }
  yield sealed(Buffer.concat(parts), true)
}

/** Reads the requested number of bytes from a source; fewer at its end. */
const reader = (source: AsyncIterator<Buffer>): ((bytes: number) => Promise<Buffer>) => {
  let pending = Buffer.alloc(0)
  return async (bytes) => {
    while (pending.length < bytes) {
      const next = await source.next()
      if (next.done === true) break
      pending = Buffer.concat([pending, next.value])
    }
    const read = pending.subarray(0, bytes)
    pending = pending.subarray(read.length)
    return read
  }
}

/**
 * Decrypts the bytes of a file.
 * @param source the bytes after `MAGIC`
 * @throws BackupDamaged for a wrong passphrase and for a file that was changed or truncated
 */
export const decrypted = async function* (
  source: AsyncIterator<Buffer>,
  passphrase: string,
): AsyncGenerator<Buffer> {
  const read = reader(source)
  const key = await keyOf(passphrase, await read(SALT_BYTES))
  for (let chunk = 0; ; chunk++) {
    const length = await read(LENGTH_BYTES)
    if (length.length < LENGTH_BYTES) throw new BackupDamaged('it is cut off')
    const last = length.readUInt32BE() >= LAST
    const bytes = length.readUInt32BE() - (last ? LAST : 0)
    if (bytes > CHUNK_BYTES) throw new BackupDamaged('a chunk is too long')
    const sealed = await read(bytes + TAG_BYTES)
    if (sealed.length < bytes + TAG_BYTES) throw new BackupDamaged('it is cut off')
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(chunk))
      .setAAD(length)
      .setAuthTag(sealed.subarray(bytes))
    try {
      yield Buffer.concat([decipher.update(sealed.subarray(0, bytes)), decipher.final()])
    } catch (cause) {
      const what = chunk === 0 ? 'the passphrase is wrong, or the file was changed' : 'it was changed'
      throw new BackupDamaged(what, { cause })
    }
    if (!last) continue
    if ((await read(1)).length > 0) throw new BackupDamaged('something follows its end')
    return
  }
}
