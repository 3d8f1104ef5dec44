/**
 * XAES-256-GCM (C2SP, c2sp.org/XAES-256-GCM): AES-256-GCM under a key derived per message from a 192-bit nonce.
 * Plain GCM allows 2^32 random nonces per key, which a busy token endpoint uses up in days; this has no such limit.
 * A box is nonce ‖ ciphertext ‖ tag.
 */
import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto'
import type { Cipher, KeyObject } from 'node:crypto'

const NONCE = 24
const TAG = 16

/** Returns this many random bytes */
export type Random = (size: number) => Buffer

/** A 256-bit key that is ready for use. It has an AES context: keep the instance if the key is used often. */
export interface BoxKey {
  readonly blocks: Cipher
  readonly subkey: Buffer
}

/** The ciphertext cannot be decrypted: it was changed, truncated, or encrypted for another purpose, place or key. */
export class SealBroken extends Error {
  constructor(
    message = 'decryption failed: the ciphertext is damaged or the key is wrong',
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'SealBroken'
  }
}

/** Ciphertext under a key that was accepted as lost (see accept-loss.ts): nothing can decrypt it. */
export class SealLost extends SealBroken {
  constructor(message = 'it is encrypted with a lost key', options?: ErrorOptions) {
    super(message, options)
    this.name = 'SealLost'
  }
}

/** @param raw 32 bytes */
export const boxKey = (raw: Buffer): BoxKey => {
  const blocks = createCipheriv('aes-256-ecb', raw, null).setAutoPadding(false)
  const l = blocks.update(Buffer.alloc(16))
  const subkey = Buffer.alloc(16)
  for (let i = 0; i < 16; i++) subkey[i] = ((l[i]! << 1) | (i < 15 ? l[i + 1]! >> 7 : 0)) & 0xff
  if (l[0]! & 0x80) subkey[15]! ^= 0x87
  return { blocks, subkey }
}

/** Node 24 needs 8 µs per cipher to find out that bytes are a key; other releases are faster with bytes. */
const keyForm: (bytes: Buffer) => Buffer | KeyObject = process.versions.node.startsWith('24.')
  ? createSecretKey
  : (bytes) => bytes

const messageKey = ({ blocks, subkey }: BoxKey, nonce: Buffer): Buffer | KeyObject => {
  const input = Buffer.alloc(32)
  input.set([0, 1, 0x58, 0], 0)
  input.set([0, 2, 0x58, 0], 16)
  nonce.copy(input, 4, 0, 12)
  nonce.copy(input, 20, 0, 12)
  for (let i = 0; i < 32; i++) input[i]! ^= subkey[i & 15]!
  return keyForm(blocks.update(input))
}

/** @param nonce 24 random bytes */
export const sealBox = (key: BoxKey, nonce: Buffer, plaintext: Buffer | string, aad: string): Buffer => {
  const cipher = createCipheriv('aes-256-gcm', messageKey(key, nonce), nonce.subarray(12))
  cipher.setAAD(Buffer.from(aad))
  const sealed = typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext)
  cipher.final()
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()])
}

/** @throws SealBroken */
export const openBox = (key: BoxKey, box: Buffer, aad: string): Buffer => {
  if (box.length < NONCE + TAG) throw new SealBroken()
  const nonce = box.subarray(0, NONCE)
  const decipher = createDecipheriv('aes-256-gcm', messageKey(key, nonce), nonce.subarray(12), {
    authTagLength: TAG,
  })
  decipher.setAAD(Buffer.from(aad)).setAuthTag(box.subarray(box.length - TAG))
  const plaintext = decipher.update(box.subarray(NONCE, box.length - TAG))
  try {
    decipher.final()
  } catch {
    throw new SealBroken()
  }
  return plaintext
}

export const newNonce = (random: Random): Buffer => random(NONCE)

const NONCES_AT_ONCE = 128

/** Nonces are generated in batches, and each is used once. They are not secret, so they can wait in memory. */
export const nonceSource = (random: Random): (() => Buffer) => {
  let drawn: Buffer = Buffer.alloc(0)
  return () => {
    if (drawn.length === 0) drawn = random(NONCE * NONCES_AT_ONCE)
    const nonce = drawn.subarray(0, NONCE)
    drawn = drawn.subarray(NONCE)
    return nonce
  }
}

/** Accepts only canonical encoding: base64url has spare bits and Node skips invalid letters. */
export const bytesOfText = (text: string): Buffer => {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new SealBroken()
  return bytes
}
