/**
 * RFC 7636 with method S256 only; `plain` is rejected. RFC 9700 §2.1.1, §4.8.2: required for every client
 * except web applications that an administrator exempts; a verifier without a challenge is rejected.
 */

/** SHA-256 of ASCII text as base64url without padding. */
export type Sha256 = (text: string) => string

/** base64url of 32 bytes: 43 characters, the last of which carries four bits. */
const CHALLENGE = /^[\w-]{42}[AEIMQUYcgkosw048]$/
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

/** What is wrong with the challenge of an authorization request; null if it is valid. */
export const challengeProblem = (
  sent: { readonly challenge: string | undefined; readonly method: string | undefined },
  required: boolean,
): string | null => {
  const { challenge, method } = sent
  if (challenge === undefined) {
    if (method !== undefined) return 'code_challenge_method was sent without code_challenge'
    return required ? 'code_challenge is required, with code_challenge_method S256' : null
  }
  // If omitted, the method is plain (RFC 7636 §4.3).
  if (method !== 'S256') return 'code_challenge_method must be S256'
  return CHALLENGE.test(challenge)
    ? null
    : 'code_challenge must be the base64url of a SHA-256 (43 characters)'
}

/**
 * Whether the verifier proves that the caller created the challenge. Comparing hashes of secrets does not
 * need constant time.
 */
export const isVerified = (challenge: string | null, verifier: string | undefined, sha256: Sha256): boolean =>
  challenge === null
    ? verifier === undefined
    : verifier !== undefined && VERIFIER.test(verifier) && sha256(verifier) === challenge
