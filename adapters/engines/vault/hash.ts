/** Hashes of secrets that are only compared: client secrets, API keys, links. */
import { hash, timingSafeEqual } from 'node:crypto'
import type { Random } from './aead.ts'

/** Returns SHA-256 as base64url (43 characters). For 256-bit random secrets only: a guessable one needs a slow hash. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'base64url')

/** Compares hashes of {@link hashSecret} in constant time. */
export const sameHash = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

/** Returns a new 256-bit secret: the prefix (`svs_`, `svk_`, `whsec_`) and 43 characters of base64url. */
export const newSecret = (prefix: string, random: Random): string => prefix + random(32).toString('base64url')
