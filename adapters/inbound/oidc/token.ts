/** RFC 6749 §3.2, §5: the token endpoint. */
import { isConfidential } from '../../../domain/application/grant-types.ts'
import { clientCredentials, type PresentedClient } from '../../../domain/oidc/client-credentials.ts'
import { parametersProblem, type Parameters } from '../../../domain/oidc/parameters.ts'
import { parseTokenRequest } from '../../../domain/oidc/token-request.ts'
import type { OidcApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import type { Configuration } from '../../application/services/configuration.ts'
import { networkOf } from '../../kernel/client-ip.ts'
import { authenticateClient } from './client-authentication.ts'
import type { OidcContext, TokenCall } from './context.ts'
import { authorizationCodeGrant } from './grants/authorization-code.ts'
import { clientCredentialsGrant } from './grants/client-credentials.ts'
import { deviceCodeGrant } from './grants/device-code.ts'
import { refreshTokenGrant } from './grants/refresh-token.ts'
import { countOne, TokenError } from './protocol-errors.ts'
import { isOffline, subjectOf, type PersonReference } from '../../application/sign-in/references.ts'
import type { TokenVerdict } from '../../application/sign-in/token-check.ts'
import { tokenResponses, type TokenResponse } from './token-response.ts'

/**
 * Returns the form of a request to an endpoint that authenticates clients, and the client that it names.
 * @throws TokenError invalid_request, invalid_client
 */
export const presentedForm = (
  body: Parameters | null,
  authorization: string | undefined,
): { readonly form: Parameters; readonly client: PresentedClient } => {
  if (body === null)
    throw new TokenError('invalid_request', 'expected a body of type application/x-www-form-urlencoded')
  const problem = parametersProblem(body)
  if (problem !== null) throw new TokenError('invalid_request', problem)
  const credentials = clientCredentials(authorization, body)
  if ('error' in credentials) throw new TokenError(credentials.error, credentials.description)
  return { form: body, client: credentials.client }
}

/** Anyone can claim to be a client without a secret, so each network has its own limit for it. */
export const shareOf = ({ id, type }: OidcApplicationConfiguration, ip: string): string =>
  isConfidential(type) ? id : `${id} ${networkOf(ip)}`

/** @throws TokenError invalid_client */
export const provenClient = (
  presented: PresentedClient,
  configuration: Configuration,
  { services, secretUsed }: Pick<OidcContext, 'services' | 'secretUsed'>,
): OidcApplicationConfiguration => {
  const proven = authenticateClient(presented, configuration, services.clock.now())
  if (proven !== null) {
    if (proven.secretId !== null) secretUsed(proven.secretId)
    return proven.application
  }
  throw new TokenError('invalid_client', 'the client is unknown, disabled, or failed to authenticate')
}

export const tokenEndpoint = (context: OidcContext) => {
  const { services, codes, refreshTokens, check, limits } = context
  const { configuration: cache } = services
  const responses = tokenResponses(context)
  const redeemCode = authorizationCodeGrant(context, responses)
  const refresh = refreshTokenGrant(context, responses)
  const actForItself = clientCredentialsGrant(responses)
  const redeemDeviceCode = deviceCodeGrant(context, responses)

  /**
   * The query of the check also shows whether the configuration in memory is outdated, so the client is checked
   * afterwards.
   */
  const checked = async (
    reference: PersonReference | null,
  ): Promise<{ readonly configuration: Configuration; readonly outcome: TokenVerdict }> =>
    reference === null
      ? { configuration: await cache.fresh(), outcome: { verdict: 'void' } }
      : check(subjectOf(reference, isOffline(reference)), reference.scopes.includes('groups'))

  return async (body: Parameters | null, call: TokenCall): Promise<TokenResponse> => {
    const { form, client: presented } = presentedForm(body, call.authorization)
    const grantType = form.get('grant_type')
    const code = grantType === 'authorization_code' ? codes.open(form.get('code') ?? '') : null
    const refreshToken =
      grantType === 'refresh_token' ? refreshTokens.open(form.get('refresh_token') ?? '') : null
    const { configuration, outcome } = await checked(code ?? refreshToken)
    const application = provenClient(presented, configuration, context)
    countOne(limits.token, shareOf(application, call.ip))
    const client = { application, configuration }
    const parsed = parseTokenRequest(form, application.type)
    if ('error' in parsed) throw new TokenError(parsed.error, parsed.description)
    const { request } = parsed
    switch (request.grantType) {
      case 'authorization_code':
        if (code === null) throw new TokenError('invalid_grant', 'the code was not issued by this service')
        return redeemCode(code, request, client, outcome, call)
      case 'refresh_token':
        if (refreshToken === null)
          throw new TokenError('invalid_grant', 'the refresh token is not valid or has expired')
        return refresh(refreshToken, request, client, outcome, call)
      case 'client_credentials':
        return actForItself(request, client)
      case 'urn:ietf:params:oauth:grant-type:device_code':
        return redeemDeviceCode(request, client, call)
    }
  }
}
