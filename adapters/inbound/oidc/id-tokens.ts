/** OpenID Connect Core §2, §3.1.3.6: ID tokens, RS256 (RFC 7518 §3.3), signed off the event loop. */
import { hash } from 'node:crypto'
import { compactVerify, errors } from 'jose'
import { acrOf } from '../../../domain/oidc/acr.ts'
import type { PersonClaims } from '../../../domain/oidc/claims.ts'
import type { IdTokenHint } from '../../../domain/oidc/end-session.ts'
import type { Strength } from '../../../domain/session/events.ts'
import type { Instant } from '../../../domain/time.ts'
import type { OidcApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import { epochSeconds } from '../../kernel/clock.ts'
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

/** Returns the claims that every ID token has, besides those about one request and about the profile of its user. */
export const idTokenClaims = ({
  issuer,
  application: { clientId, settings },
  session: { sessionId, authTime },
  strength,
  iat,
}: {
  readonly issuer: string
  readonly application: OidcApplicationConfiguration
  readonly session: { readonly sessionId: string; readonly authTime: Instant }
  readonly strength: Strength
  /** Seconds since 1970 */
  readonly iat: number
}) => {
  const acr = acrOf(strength)
  return {
    iss: issuer,
    aud: clientId,
    azp: clientId,
    iat,
    exp: iat + settings.idTokenLifetimeSeconds,
    auth_time: epochSeconds(authTime),
    sid: sessionId,
    ...(acr === null ? {} : { acr }),
  }
}

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
