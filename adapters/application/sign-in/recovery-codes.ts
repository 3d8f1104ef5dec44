/** Recovery codes: each opens the account once, for whoever has no other way in at hand. */
import type { Services } from '../services/services.ts'
import { secretsFor } from '../commands/secrets.ts'
import type { Actor } from '../services/handle.ts'

const CODES = 10
const HALF = 5
/** Crockford's base32: no two of these are taken for each other, and letters that might be are read as what they look like. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const lookAlikes: Readonly<Record<string, string>> = { o: '0', i: '1', l: '1' }

/** Ten characters of five bits each: 50 bits. */
const codeFrom = (secret: string): string =>
  [...Buffer.from(secret, 'base64url').subarray(0, 2 * HALF)]
    .map((byte) => ALPHABET.charAt(byte % ALPHABET.length))
    .join('')

/** @returns ten characters without the hyphen; null for what is no recovery code */
export const readRecoveryCode = (typed: string): string | null => {
  const code = typed.toLowerCase().replaceAll(/[oil]/g, (letter) => lookAlikes[letter] ?? letter)
  return code.length === 2 * HALF && [...code].every((letter) => ALPHABET.includes(letter)) ? code : null
}

/** What is kept of a code, and of whose it is. */
export const recoveryCodeHash = (
  { digest }: Pick<Services['vault'], 'digest'>,
  userId: string,
  code: string,
): string => digest('recovery-code', `${userId}|${code}`)

/** New codes as they are handed out once, `xxxxx-xxxxx`, and the hashes to keep. */
export const recoveryCodeMaker = (services: Pick<Services, 'vault' | 'random'>) => {
  const newSecret = secretsFor(services)
  return (userId: string, actor: Actor): { codes: readonly string[]; hashes: readonly string[] } => {
    const codes = Array.from({ length: CODES }, (_, n) =>
      codeFrom(newSecret('', `recovery-code|${userId}|${String(n)}`, actor)),
    )
    return {
      codes: codes.map((code) => `${code.slice(0, HALF)}-${code.slice(HALF)}`),
      hashes: codes.map((code) => recoveryCodeHash(services.vault, userId, code)),
    }
  }
}
