/**
 * RFC 6749 §5.1, OpenID Connect Core §3.1.3.3: issues the tokens of a grant, with what the application may currently
 * use.
 */
import { accessTokenFormatOf } from '../../../domain/application/access-token-format.ts'
import { grantTypesOf } from '../../../domain/application/grant-types.ts'
import { claimsFor } from '../../../domain/oidc/claims.ts'
import {
  ADMIN_TOKEN_SECONDS,
  isAdminGrant,
  narrowedScopes,
  stillGranted,
} from '../../../domain/oidc/scopes.ts'
import type { OidcApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import { epochSeconds } from '../../kernel/clock.ts'
import type { Configuration, SigningKey } from '../../application/services/configuration.ts'
import { accessTokenTerms, type NewAccessToken } from './access-tokens.ts'
import { adminScopeClientOf, scopeClientOf } from './clients.ts'
import type { OidcContext } from './context.ts'
import { accessTokenHash, idTokenClaims, signIdToken } from './id-tokens.ts'
import { TokenError } from './protocol-errors.ts'
import { isOffline, type PersonReference } from '../../application/sign-in/references.ts'
import type { GoodState } from '../../application/sign-in/token-check.ts'

export interface TokenResponse {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly scope?: string
  readonly refresh_token?: string
  readonly id_token?: string
}

/** An application at the time of its authentication. */
export interface Client {
  readonly application: OidcApplicationConfiguration
  readonly configuration: Configuration
}

export interface PersonTokens {
  readonly reference: PersonReference
  readonly state: GoodState
  /** The scopes that a refresh requests; undefined for all */
  readonly scope?: string | undefined
  readonly nonce?: string | null
}

/** @throws TokenError */
const signingKeyOf = ({ activeKey }: Configuration): SigningKey => {
  if (activeKey === null) throw new TokenError('temporarily_unavailable', 'no signing key is available yet')
  return activeKey
}

export const tokenResponses = ({
  services,
  tokens,
  refreshTokens,
}: Pick<OidcContext, 'services' | 'tokens' | 'refreshTokens'>) => {
  const { clock, publicUrl } = services

  const accessToken = async (
    token: Omit<NewAccessToken, 'applicationId' | 'audience'>,
    granted: { readonly audience: readonly string[]; readonly apiResourceIds: readonly string[] },
    { application, configuration }: Client,
    key: SigningKey,
  ): Promise<Pick<TokenResponse, 'access_token' | 'token_type' | 'expires_in'>> => {
    const { lifetimeSeconds, audience } = accessTokenTerms(granted, { application, configuration }, publicUrl)
    const lifetime =
      token.adminProof === undefined ? lifetimeSeconds : Math.min(lifetimeSeconds, ADMIN_TOKEN_SECONDS)
    const whole: NewAccessToken = { ...token, applicationId: application.id, audience }
    const text =
      accessTokenFormatOf(application.type, application.apiGrants) === 'jwt'
        ? await tokens.issueJwt(whole, application.clientId, lifetime, key)
        : tokens.issueOpaque(whole, lifetime)
    return { access_token: text, token_type: 'Bearer', expires_in: lifetime }
  }

  const idToken = (
    { reference, state, nonce = null }: PersonTokens,
    scopes: readonly string[],
    application: OidcApplicationConfiguration,
    at: string,
    key: SigningKey,
  ): Promise<string> => {
    return signIdToken(
      {
        ...idTokenClaims({
          issuer: publicUrl,
          application,
          session: reference,
          strength: state.strength,
          iat: epochSeconds(clock.now()),
        }),
        at_hash: accessTokenHash(at),
        ...(nonce === null ? {} : { nonce }),
        ...claimsFor(scopes, reference.userId, state),
      },
      key,
    )
  }

  /**
   * Returns the currently granted scopes and the requested ones.
   * @throws TokenError invalid_scope
   */
  const scopesFor = (
    reference: PersonReference,
    scope: string | undefined,
    { application, configuration }: Client,
  ) => {
    const scopeClient = isAdminGrant(reference)
      ? adminScopeClientOf(application, configuration)
      : scopeClientOf(application, configuration)
    const { scopes: left, apiResourceIds } = stillGranted(reference, scopeClient)
    const scopes = narrowedScopes(scope, left)
    if (scopes === null) throw new TokenError('invalid_scope', 'scope exceeds what was granted')
    return {
      offline: isOffline({ scopes: left }),
      requested: stillGranted({ scopes, apiResourceIds }, scopeClient),
    }
  }

  return {
    /**
     * Signs while the log records the redemption, so the response takes as long as the slower of the two. If the
     * append fails, the signed tokens are discarded.
     * @param take redeems the code or refresh token; returns the generation of the new refresh token
     * @throws TokenError invalid_scope, temporarily_unavailable, before anything is redeemed; also errors of `take`
     */
    forPerson: async (
      what: PersonTokens,
      client: Client,
      take: () => Promise<number>,
    ): Promise<TokenResponse> => {
      const { application, configuration } = client
      const { reference } = what
      const { grantId, userId, sessionId, authorizedAt } = reference
      const adminProof = isAdminGrant(reference) ? { adminProof: reference.authTime } : {}
      const { offline, requested } = scopesFor(reference, what.scope, client)
      const { scopes } = requested
      const key = signingKeyOf(configuration)
      const signed = async () => {
        const access = await accessToken(
          { grantId, userId, sessionId, authorizedAt, scopes, offline: isOffline(reference), ...adminProof },
          requested,
          client,
          key,
        )
        const id = scopes.includes('openid')
          ? { id_token: await idToken(what, scopes, application, access.access_token, key) }
          : {}
        return { access, id }
      }
      const [generation, { access, id }] = await Promise.all([take(), signed()])
      const isRefreshed = offline && grantTypesOf(application.type).includes('refresh_token')
      return {
        ...access,
        scope: scopes.join(' '),
        ...(isRefreshed
          ? {
              refresh_token: refreshTokens.issue(
                reference,
                generation,
                application.settings.refreshTokenLifetimeSeconds,
              ),
            }
          : {}),
        ...id,
      }
    },

    /** RFC 6749 §4.4.3: no refresh token, no ID token. */
    forApplication: async (
      grantId: string,
      granted: {
        readonly scopes: readonly string[]
        readonly audience: readonly string[]
        readonly apiResourceIds: readonly string[]
      },
      client: Client,
    ): Promise<TokenResponse> => {
      const { scopes } = granted
      const { position: authorizedAt } = client.configuration
      const access = await accessToken(
        { grantId, userId: null, sessionId: null, authorizedAt, scopes, offline: false },
        granted,
        client,
        signingKeyOf(client.configuration),
      )
      return { ...access, ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }) }
    },
  }
}

export type TokenResponses = ReturnType<typeof tokenResponses>
