/**
 * Access tokens. Opaque ones are sealed references; JWTs (RFC 9068) are for APIs, which validate them on their own.
 * Their header contains the same sealed reference, so this service knows more about them than the API does. Opening a
 * token needs no lookup; its validity is looked up by its grant and session.
 */
import { decodeProtectedHeader, errors, jwtVerify, type JWTVerifyResult } from 'jose'
import type { Instant } from '../../../domain/time.ts'
import type { OidcApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import { epochSeconds, type Clock } from '../../kernel/clock.ts'
import type { Configuration, ConfigurationCache } from '../../application/services/configuration.ts'
import { newId } from '../../kernel/ids.ts'
import type { Vault } from '../../engines/vault/vault.ts'
import { hashSecret } from '../../engines/vault/hash.ts'
import { sealedJson } from '../../engines/vault/sealed-json.ts'
import { boundedCache } from '../../kernel/bounded-cache.ts'
import { publishedKeys, signJwt } from './signed-jwt.ts'

interface Reference {
  readonly grantId: string
  readonly applicationId: string
  /** Log position of the read models at the time of the grant */
  readonly authorizedAt: string
  /** Null if an application acts for itself; then `sessionId` is null too */
  readonly userId: string | null
  readonly sessionId: string | null
  /** Whether it outlives an expired session: the grant decides this, not the scopes of the token */
  readonly offline: boolean
  /** Only of a grant with the scope `admin`: when the user who approved it had last signed in */
  readonly adminProof?: Instant
}

export interface AccessToken extends Reference {
  /** `jti` */
  readonly tokenId: string
  readonly scopes: readonly string[]
  /** Identifiers of the APIs that it is for; this service's address if there is none */
  readonly audience: readonly string[]
  /** Seconds since 1970 */
  readonly iat: number
  readonly exp: number
}

/** The claims of RFC 9068 §2.2, and no others. */
interface JwtClaims {
  readonly iss: string
  readonly sub: string
  readonly aud: readonly string[]
  readonly exp: number
  readonly iat: number
  readonly nbf: number
  readonly jti: string
  readonly client_id: string
  readonly scope: string
}

export type NewAccessToken = Omit<AccessToken, 'tokenId' | 'iat' | 'exp'>

interface Opened {
  readonly token: AccessToken
  /** The key that signed it; null for an opaque token */
  readonly kid: string | null
}

/** Maximum number of tokens in memory. APIs ask about the same tokens again and again. */
const MAX_OPENED = 10_000

/** Returns how long an access token lasts, and who it is for: the APIs of its scopes, or this service. */
export const accessTokenTerms = (
  granted: { readonly audience: readonly string[]; readonly apiResourceIds: readonly string[] },
  {
    application,
    configuration,
  }: { readonly application: OidcApplicationConfiguration; readonly configuration: Configuration },
  publicUrl: string,
): { readonly lifetimeSeconds: number; readonly audience: readonly string[] } => {
  const lifetimes = granted.apiResourceIds.flatMap(
    (id) => configuration.apiResourceById.get(id)?.accessTokenLifetimeSeconds ?? [],
  )
  return {
    lifetimeSeconds: Math.min(application.settings.accessTokenLifetimeSeconds, ...lifetimes),
    audience: granted.audience.length > 0 ? granted.audience : [publicUrl],
  }
}

const TYP = 'at+jwt'
const JWT = /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/

export const accessTokens = (deps: {
  readonly vault: Pick<Vault, 'seal' | 'open'>
  readonly clock: Clock
  readonly configuration: ConfigurationCache
  readonly publicUrl: string
}) => {
  const { vault, clock, configuration: cache, publicUrl } = deps
  const tokens = sealedJson<AccessToken>(vault, 'access-token')
  const references = sealedJson<Reference>(vault, 'access-token-reference')
  // By the hash of the token, so that it holds nothing that could be presented. The expiry, the signing key and
  // everything else that can change is checked each time.
  const recent = boundedCache<Opened>(MAX_OPENED)

  const verify = async (
    token: string,
    configuration: Configuration,
  ): Promise<JWTVerifyResult<JwtClaims> | null> => {
    try {
      return await jwtVerify<JwtClaims>(token, publishedKeys(configuration), {
        algorithms: ['RS256'],
        typ: TYP,
        issuer: publicUrl,
        currentDate: new Date(clock.now()),
      })
    } catch (error) {
      if (error instanceof errors.JOSEError) return null
      throw error
    }
  }

  const isPublished = (kid: string): boolean => cache.now().signingKeys.some((key) => key.kid === kid)

  const openJwt = async (token: string): Promise<Opened | null> => {
    const kid = kidOf(token)
    if (kid === undefined) return null
    const verified = await verify(token, isPublished(kid) ? cache.now() : await cache.fresh())
    const sealed = verified?.protectedHeader['ref']
    const reference = typeof sealed === 'string' ? references.open(sealed) : null
    if (verified === null || reference === null) return null
    const { jti, scope, aud, iat, exp } = verified.payload
    const scopes = scope.split(' ').filter((name) => name !== '')
    return { token: { ...reference, tokenId: jti, scopes, audience: aud, iat, exp }, kid }
  }

  const openOpaque = (sealed: string): Opened | null => {
    const token = tokens.open(sealed)
    return token === null ? null : { token, kid: null }
  }

  return {
    issueOpaque: (token: NewAccessToken, lifetimeSeconds: number): string => {
      const iat = epochSeconds(clock.now())
      return tokens.seal({ ...token, tokenId: newId('accessToken'), iat, exp: iat + lifetimeSeconds })
    },

    issueJwt: (
      { scopes, audience, ...reference }: NewAccessToken,
      clientId: string,
      lifetimeSeconds: number,
      key: NonNullable<Configuration['activeKey']>,
    ): Promise<string> => {
      const iat = epochSeconds(clock.now())
      const claims: JwtClaims = {
        iss: publicUrl,
        sub: reference.userId ?? clientId,
        aud: audience,
        exp: iat + lifetimeSeconds,
        iat,
        nbf: iat,
        jti: newId('accessToken'),
        client_id: clientId,
        scope: scopes.join(' '),
      }
      const ref = references.seal(reference)
      return signJwt({ typ: TYP, ref }, claims, key)
    },

    /** Returns null if it is not one of ours or has expired. */
    open: async (token: string): Promise<AccessToken | null> => {
      const hash = hashSecret(token)
      const known = recent.get(hash)
      const holds = known !== undefined && (known.kid === null || isPublished(known.kid))
      const opened = holds ? known : JWT.test(token) ? await openJwt(token) : openOpaque(token)
      if (opened === null || opened.token.exp <= epochSeconds(clock.now())) return null
      if (!holds) recent.set(hash, opened)
      return opened.token
    },
  }
}

export type AccessTokens = ReturnType<typeof accessTokens>

const kidOf = (token: string): string | undefined => {
  try {
    return decodeProtectedHeader(token).kid
  } catch {
    return undefined
  }
}
