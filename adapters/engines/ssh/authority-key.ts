import { createPrivateKey, type KeyObject } from 'node:crypto'

const SEED_BYTES = 32

/** RFC 8410 §7: a PKCS #8 Ed25519 key up to its seed. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Creates a new Ed25519 key for an SSH authority (RFC 8709). */
export const newAuthorityKey = (random: (bytes: number) => Buffer): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, random(SEED_BYTES)]),
    format: 'der',
    type: 'pkcs8',
  })
