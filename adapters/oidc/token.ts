/**
 * RFC 6749 §3.2, §4.1.3–4, §5; OpenID Connect Core §3.1.3: the token endpoint. One look-up, one durable append, one
 * signature. Client, redirect URI and PKCE are checked before the code is used up.
 */
import { acrOf } from '../../domain/oidc/acr.ts'
import { acceptsAuthorization } from '../../domain/oidc/authorization-client.ts'
import { claimsFor } from '../../domain/oidc/claims.ts'
import { clientCredentials, type PresentedClient } from '../../domain/oidc/client-credentials.ts'
import { parametersProblem, type Parameters } from '../../domain/oidc/parameters.ts'
import { tokenErrors, type TokenErrorCode } from '../../domain/oidc/token-errors.ts'
import { parseTokenRequest, type CodeGrantRequest } from '../../domain/oidc/token-request.ts'
import type { ApplicationConfiguration } from '../../read-models/queries/configuration.ts'
import { epochSeconds } from '../clock.ts'
import type { Configuration } from '../configuration.ts'
import { authenticateClient } from './client-authentication.ts'
import type { AuthorizationCode } from './codes.ts'
import { actingPerson, type OidcContext } from './context.ts'
import { accessTokenHash, signIdToken } from './id-tokens.ts'
import type { TokenVerdict } from './token-check.ts'

/** The endpoint says no. */
export class TokenError extends Error {
  readonly code: TokenErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(code: TokenErrorCode, description: string, headers: Readonly<Record<string, string>> = {}) {
    super(description)
    this.name = 'TokenError'
    this.code = code
    this.status = tokenErrors[code]
    this.headers = headers
  }
}

export interface TokenResponse {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly scope: string
  readonly id_token?: string
}

export interface TokenCall {
  readonly authorization: string | undefined
  readonly ip: string
  readonly requestId: string
}

const VOID = 'the person, their session or their assignment to this application no longer allows it'

export const tokenEndpoint = (context: OidcContext) => {
  const { services, codes, tokens, check } = context
  const { clock, configuration: cache, publicUrl } = services

  const authenticate = (
    presented: PresentedClient,
    configuration: Configuration,
  ): ApplicationConfiguration => {
    const application = authenticateClient(presented, configuration, clock.now())
    if (application !== null) return application
    throw new TokenError(
      'invalid_client',
      'the client is not known, is switched off, or did not prove who it is',
      presented.method === 'client_secret_basic' ? { 'WWW-Authenticate': 'Basic realm="oauth2"' } : {},
    )
  }

  const respond = async (
    code: AuthorizationCode,
    application: ApplicationConfiguration,
    { activeKey }: Configuration,
    state: Extract<TokenVerdict, { verdict: 'good' }>['state'],
  ): Promise<TokenResponse> => {
    const { grantId, applicationId, userId, sessionId, scopes, authorizedAt, nonce } = code
    const { idTokenLifetimeSeconds, accessTokenLifetimeSeconds } = application.settings
    const reference = { grantId, applicationId, userId, sessionId, scopes, authorizedAt }
    const accessToken = tokens.issue(reference, accessTokenLifetimeSeconds)
    const response = {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: accessTokenLifetimeSeconds,
      scope: scopes.join(' '),
    } as const
    if (!scopes.includes('openid')) return response
    if (activeKey === null) throw new TokenError('temporarily_unavailable', 'there is no signing key yet')
    const iat = epochSeconds(clock.now())
    const acr = acrOf(state.strength)
    const idToken = await signIdToken(
      {
        iss: publicUrl,
        aud: application.clientId,
        azp: application.clientId,
        iat,
        exp: iat + idTokenLifetimeSeconds,
        auth_time: epochSeconds(code.authTime),
        sid: sessionId,
        at_hash: accessTokenHash(accessToken),
        ...(acr === null ? {} : { acr }),
        ...(nonce === null ? {} : { nonce }),
        ...claimsFor(scopes, { userId, ...state }),
      },
      activeKey,
    )
    return { ...response, id_token: idToken }
  }

  const redeem = async (
    code: AuthorizationCode,
    request: CodeGrantRequest,
    {
      application,
      configuration,
      outcome,
    }: {
      readonly application: ApplicationConfiguration
      readonly configuration: Configuration
      readonly outcome: TokenVerdict
    },
    { ip, requestId }: TokenCall,
  ): Promise<TokenResponse> => {
    const problem = codes.problem(code, application.id, request)
    if (problem !== null) throw new TokenError('invalid_grant', problem)
    if (!acceptsAuthorization({ type: application.type, ...application.settings }, request.redirectUri))
      throw new TokenError('invalid_grant', 'redirect_uri is not registered any more')
    if (outcome.verdict !== 'good') throw new TokenError('invalid_grant', VOID)
    const refusal = await codes.redeem(code, actingPerson(code, ip, requestId))
    if (refusal !== null) throw new TokenError('invalid_grant', refusal)
    return respond(code, application, configuration, outcome.state)
  }

  return async (body: Parameters | null, call: TokenCall): Promise<TokenResponse> => {
    if (body === null)
      throw new TokenError('invalid_request', 'expected a body of type application/x-www-form-urlencoded')
    const problem = parametersProblem(body)
    if (problem !== null) throw new TokenError('invalid_request', problem)
    const credentials = clientCredentials(call.authorization, body)
    if ('error' in credentials)
      throw new TokenError(
        credentials.error,
        credentials.description,
        credentials.error === 'invalid_client' && call.authorization !== undefined
          ? { 'WWW-Authenticate': 'Basic realm="oauth2"' }
          : {},
      )

    const code = codes.open(body.get('code') ?? '')
    // The check's one query also tells whether the configuration in memory is behind, so the client is looked at after it.
    const checked = code === null ? null : await check(code, code.scopes.includes('groups'))
    const configuration = checked?.configuration ?? (await cache.fresh())
    const application = authenticate(credentials.client, configuration)
    const parsed = parseTokenRequest(body, application.type)
    if ('error' in parsed) throw new TokenError(parsed.error, parsed.description)
    if (code === null || checked === null)
      throw new TokenError('invalid_grant', 'the code is not one of this service')
    return redeem(code, parsed.request, { ...checked, application }, call)
  }
}
