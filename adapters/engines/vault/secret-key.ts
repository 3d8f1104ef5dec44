/** Derives the key that encrypts the keyring from SVC_SECRET_KEY, and its fingerprint. */
import { hkdfSync } from 'node:crypto'
import { boxKey } from './aead.ts'
import type { BoxKey } from './aead.ts'

const SHORTEST = 32

export interface WrappingKey {
  readonly key: BoxKey
  /** 22 characters of base64url; identifies the key without revealing anything about it */
  readonly fingerprint: string
}

/** A secret key is unusable or not the one that this database was used with. The message names the variable. */
export class SecretKeyError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SecretKeyError'
  }
}

/** HKDF-SHA256 (RFC 5869) without salt: the input is uniform or at least long, and `info` separates the uses. */
export const derive = (key: Buffer | string, info: string, size: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', info, size))

/**
 * @param variable the environment variable that the key came from, for messages
 * @throws SecretKeyError if the key is shorter than 32 characters
 */
export const wrappingKey = (secretKey: string, variable = 'SVC_SECRET_KEY'): WrappingKey => {
  if (secretKey.length < SHORTEST) {
    throw new SecretKeyError(
      `${variable} must be at least ${SHORTEST} random characters, for example the output of "openssl rand -base64 32".`,
    )
  }
  return {
    key: boxKey(derive(secretKey, 'svc vault wrapping key', 32)),
    fingerprint: derive(secretKey, 'svc vault fingerprint', 16).toString('base64url'),
  }
}
