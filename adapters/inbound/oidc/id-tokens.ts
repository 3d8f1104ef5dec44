/** OpenID Connect Core §2, §3.1.3.6: ID tokens, RS256 (RFC 7518 §3.3), signed off the event loop. */
import { hash } from 'node:crypto'
import { compactVerify, errors } from 'jose'
import type { PersonClaims } from '../../../domain/oidc/claims.ts'
import type { IdTokenHint } from '../../../domain/oidc/end-session.ts'
import type { Configuration, SigningKey } from '../../application/services/configuration.ts'
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
  hash('sha256', accessToken, 'buffer').subarray(0, 16).toString('base64url')

export const signIdToken = (claims: IdTokenClaims, key: SigningKey): Promise<string> =>
  signJwt({ typ: 'JWT' }, claims, key)

/**
 * Returns the claims of an ID token that this service issued, expired or not (id_token_hint: OpenID Connect Core
 * §3.1.2.1, RP-Initiated Logout 1.0 §2). Null if its key is no longer published, or it is not an ID token.
 */
export const openIdTokenHint = async (
  token: string,
  issuer: string,
  configuration: Configuration,
): Promise<IdTokenHint | null> => {
  try {
    const { payload, protectedHeader } = await compactVerify(token, publishedKeys(configuration), {
      algorithms: ['RS256'],
    })
    const claims = JSON.parse(new TextDecoder().decode(payload)) as Partial<Record<string, unknown>>
    // Access tokens and logout tokens have no at_hash.
    const { iss, aud, sub, sid, at_hash: isIdToken } = claims
    if (protectedHeader.typ !== 'JWT' || iss !== issuer || isIdToken === undefined) return null
    return typeof aud === 'string' && typeof sub === 'string' && typeof sid === 'string'
      ? { clientId: aud, userId: sub, sessionId: sid }
      : null
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof SyntaxError) return null
    throw error
  }
}
