import { DomainError } from '../../../domain/errors.ts'
import { readRecoveryCode } from './recovery-codes.ts'

export interface TypedCode {
  readonly kind: 'authenticator_code' | 'recovery_code'
  /** Six digits, or ten characters without the hyphen. */
  readonly code: string
}

/** Separators that users and keyboards add to a code. */
const bare = (typed: string): string => typed.normalize('NFKC').replaceAll(/[\s\p{Pd}]/gu, '')

const SIX_DIGITS = /^[0-9]{6}$/

/**
 * Parses the six digits of an authenticator app.
 * @throws DomainError ERR_INVALID
 */
export const authenticatorCode = (typed: string): string => {
  const code = bare(typed)
  if (SIX_DIGITS.test(code)) return code
  throw new DomainError('ERR_INVALID', 'code: expected the six digits that the app shows', '/code')
}

/**
 * Parses a code for sign-in.
 * @throws DomainError ERR_INVALID for any other form
 */
export const signInCode = (typed: string): TypedCode => {
  const text = bare(typed)
  if (SIX_DIGITS.test(text)) return { kind: 'authenticator_code', code: text }
  const recovery = readRecoveryCode(text)
  if (recovery !== null) return { kind: 'recovery_code', code: recovery }
  throw new DomainError(
    'ERR_INVALID',
    'code: expected six digits of an authenticator app, or a recovery code in the form xxxxx-xxxxx',
    '/code',
  )
}
