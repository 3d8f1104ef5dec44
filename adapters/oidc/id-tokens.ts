/** OpenID Connect Core §2, §3.1.3.6: ID tokens, RS256 (RFC 7518 §3.3), signed off the event loop. */
import { createHash } from 'node:crypto'
import { compactVerify, errors } from 'jose'
import type { PersonClaims } from '../../domain/oidc/claims.ts'
import type { Configuration, SigningKey } from '../configuration.ts'
import { publishedKeys, signJwt } from './signed-jwt.ts'

export interface IdTokenClaims extends PersonClaims {
  readonly iss: string
  readonly aud: string
  readonly azp: string
  readonly iat: number
  readonly exp: number
  readonly auth_time: number
  readonly sid: string
  readonly at_hash: string
  readonly acr?: string
  readonly nonce?: string
}

/** Left half of the SHA-256 of the token that comes with it (OpenID Connect Core §3.1.3.6). */
export const accessTokenHash = (accessToken: string): string =>
  createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url')

export const signIdToken = (claims: IdTokenClaims, key: SigningKey): Promise<string> =>
  signJwt({ typ: 'JWT' }, claims, key)

/**
 * Whom an ID token of ours names, whether or not it has run out (OpenID Connect Core §3.1.2.1, id_token_hint).
 * Null when its key is not published any more, it was issued to another client, or it is none.
 */
export const idTokenSubject = async (
  token: string,
  clientId: string,
  issuer: string,
  configuration: Configuration,
): Promise<string | null> => {
  try {
    const { payload, protectedHeader } = await compactVerify(token, publishedKeys(configuration), {
      algorithms: ['RS256'],
    })
    const claims = JSON.parse(new TextDecoder().decode(payload)) as Partial<Record<string, unknown>>
    const { iss, aud, sub, at_hash: isIdToken } = claims
    if (protectedHeader.typ !== 'JWT') return null
    return iss === issuer && aud === clientId && typeof sub === 'string' && isIdToken !== undefined
      ? sub
      : null
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof SyntaxError) return null
    throw error
  }
}
