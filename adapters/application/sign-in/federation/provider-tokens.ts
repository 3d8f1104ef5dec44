/**
 * Signed statements that OpenID providers send outside of a sign-in: logout tokens (OpenID Connect Back-Channel Logout
 * 1.0 §2.4) and security event tokens (RFC 8417).
 */
import { createRemoteJWKSet, customFetch, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose'
import { boundedCache } from '../../../kernel/bounded-cache.ts'
import type { Services } from '../../services/services.ts'
import { fetchBy, messageOf } from './openid-client.ts'
import type { openidProviders } from './openid-provider.ts'
import { CLOCK_TOLERANCE, type OauthProvider } from './provider-protocol.ts'

/** A token that is older was delayed, or is sent again. */
const MAX_AGE_SECONDS = 600
const KEYS_MS = 600_000
/** Anyone can send a token with an unknown key id. */
const COOLDOWN_MS = 30_000
const TIMEOUT_MS = 8000

/** Asymmetric algorithms only: a shared secret would prove nothing that the client does not know. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

/** The token is not one that the provider made for this service. The message says what was expected. */
export class TokenRefused extends Error {
  readonly reason: 'invalid_request' | 'invalid_key' | 'invalid_issuer' | 'invalid_audience'

  constructor(reason: TokenRefused['reason'], message: string) {
    super(message)
    this.name = 'TokenRefused'
    this.reason = reason
  }
}

const reasonOf = (error: unknown): TokenRefused['reason'] => {
  const { code, claim } = error as { code?: unknown; claim?: unknown }
  if (claim === 'iss') return 'invalid_issuer'
  if (claim === 'aud') return 'invalid_audience'
  return code === 'ERR_JWKS_NO_MATCHING_KEY' || code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'
    ? 'invalid_key'
    : 'invalid_request'
}

export const providerTokens = (
  { egress }: Pick<Services, 'egress'>,
  { metadata }: Pick<ReturnType<typeof openidProviders>, 'metadata'>,
) => {
  const keySets = boundedCache<JWTVerifyGetKey>(200, { ttl: KEYS_MS })

  const keysAt = (address: string): JWTVerifyGetKey => {
    const known = keySets.get(address)
    if (known !== undefined) return known
    const fetched = fetchBy(egress)
    const keys = createRemoteJWKSet(new URL(address), {
      cooldownDuration: COOLDOWN_MS,
      timeoutDuration: TIMEOUT_MS,
      [customFetch]: (url, { method, headers }) =>
        fetched(url, {
          method,
          headers: Object.fromEntries(headers),
          redirect: 'manual',
          body: null,
        } as never),
    })
    keySets.set(address, keys)
    return keys
  }

  return {
    /**
     * Returns the claims of a token that the provider has signed for one of these audiences.
     * @param types allowed values of the `typ` header; null: the header is missing
     * @throws TokenRefused, ProviderFailed if the keys of the provider cannot be read
     */
    verified: async (
      provider: OauthProvider,
      token: string,
      types: readonly (string | null)[],
      audience: readonly string[],
    ): Promise<JWTPayload> => {
      const { issuer, jwksUri } = await metadata(provider)
      try {
        const { payload, protectedHeader } = await jwtVerify(token, keysAt(jwksUri), {
          issuer,
          audience: [...audience],
          algorithms: ALGORITHMS,
          clockTolerance: CLOCK_TOLERANCE,
          maxTokenAge: MAX_AGE_SECONDS,
          requiredClaims: ['jti'],
        })
        const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '') ?? null
        if (!types.includes(type))
          throw new TokenRefused('invalid_request', `typ: expected ${types.join(' or ')}`)
        return payload
      } catch (error) {
        if (error instanceof TokenRefused) throw error
        throw new TokenRefused(reasonOf(error), messageOf(error))
      }
    },
  }
}
