/** Recovery codes: each one signs the user in once, for example after a lost device. */
import type { Services } from '../services/services.ts'
import { secretsFor } from '../commands/secrets.ts'
import type { Actor } from '../services/handle.ts'

const CODES = 10
const HALF = 5
/** Crockford's base32: its characters are not confused with each other, and similar letters are accepted. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const lookAlikes: Readonly<Record<string, string>> = { o: '0', i: '1', l: '1' }

/** Ten characters of five bits each: 50 bits. */
const codeFrom = (secret: string): string =>
  [...Buffer.from(secret, 'base64url').subarray(0, 2 * HALF)]
    .map((byte) => ALPHABET.charAt(byte % ALPHABET.length))
    .join('')

/** @returns ten characters without the hyphen; null if it is not a recovery code */
export const readRecoveryCode = (typed: string): string | null => {
  const code = typed.toLowerCase().replaceAll(/[oil]/g, (character) => lookAlikes[character] ?? character)
  return code.length === 2 * HALF && [...code].every((character) => ALPHABET.includes(character))
    ? code
    : null
}

/** The stored hash of a user's code. */
export const recoveryCodeHash = (
  { digest }: Pick<Services['vault'], 'digest'>,
  userId: string,
  code: string,
): string => digest('recovery-code', `${userId}|${code}`)

/** New codes to show once, `xxxxx-xxxxx`, and the hashes to store. */
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
