/** Secrets that only ever need comparing: client secrets, API keys, links. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Random } from './aead.ts'

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

/** SHA-256 as base64url (43 characters). For 256-bit random secrets only: a guessable one needs a slow hash. */
export const hashSecret = (secret: string): string => sha256(secret).toString('base64url')

/** Compares without telling by its duration where, or in what length, they differ. */
export const equalConstantTime = (a: string, b: string): boolean => timingSafeEqual(sha256(a), sha256(b))

/** A new 256-bit secret: the prefix (`svs_`, `svk_`, `whsec_`) and 43 characters of base64url. */
export const newSecret = (prefix: string, random: Random): string => prefix + random(32).toString('base64url')
