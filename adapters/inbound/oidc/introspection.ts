/**
 * RFC 7662: whether a token is valid now. Only the client that it was issued to and the API that it is for get
 * details. Other clients get the same response as for an invalid token.
 */
import { isConfidential } from '../../../domain/application/grant-types.ts'
import type { Parameters } from '../../../domain/oidc/parameters.ts'
import { oidcOnly, type OidcApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import type { AccessToken } from './access-tokens.ts'
import type { Configuration } from '../../application/services/configuration.ts'
import { scopeClientOf } from './clients.ts'
import { actingApplication } from '../http/request-origin.ts'
import type { OidcContext, TokenCall } from './context.ts'
import { countOne, TokenError } from './protocol-errors.ts'
import { isOffline, subjectOf } from '../../application/sign-in/references.ts'
import type { RefreshToken } from './refresh-tokens.ts'
import type { Checked } from '../../application/sign-in/token-check.ts'
import { presentedForm, provenClient } from './token.ts'

const INACTIVE = { active: false } as const

export interface ActiveToken {
  readonly active: true
  readonly scope: string
  readonly client_id: string
  readonly sub: string
  readonly exp: number
  readonly iat: number
  readonly iss: string
  readonly username?: string
  readonly token_type?: 'Bearer'
  readonly nbf?: number
  readonly aud?: readonly string[]
  readonly jti?: string
  readonly sid?: string
}

export type Introspection = typeof INACTIVE | ActiveToken

/** Returns the token with what the application may still use, without APIs that were revoked since. */
const asGranted = (
  token: AccessToken,
  application: OidcApplicationConfiguration,
  configuration: Configuration,
  issuer: string,
): AccessToken => {
  const { served, apis } = scopeClientOf(application, configuration)
  return {
    ...token,
    scopes: token.scopes.filter(
      (name) => served.includes(name) || apis.some(({ scopes }) => scopes.includes(name)),
    ),
    audience: token.audience.filter(
      (target) => target === issuer || apis.some(({ identifier }) => identifier === target),
    ),
  }
}

const mayAsk = (
  { applicationId, audience }: AccessToken,
  asker: OidcApplicationConfiguration,
  { apiResources }: Configuration,
): boolean =>
  applicationId === asker.id ||
  apiResources.some(
    ({ identifier, ownerApplicationIds }) =>
      audience.includes(identifier) && ownerApplicationIds.includes(asker.id),
  )

export const introspectionEndpoint = (context: OidcContext) => {
  const { services, tokens, refreshTokens, check, checkApplication, limits } = context
  const { configuration: cache, publicUrl } = services

  const applicationToken = async (
    token: AccessToken,
    prove: (configuration: Configuration) => OidcApplicationConfiguration,
  ): Promise<Introspection> => {
    const application = oidcOnly(await checkApplication(token))
    const configuration = cache.now()
    const asker = prove(configuration)
    if (application === null) return INACTIVE
    const granted = asGranted(token, application, configuration, publicUrl)
    if (!mayAsk(granted, asker, configuration)) return INACTIVE
    return describe(granted, application.clientId, application.clientId)
  }

  const describe = (
    { scopes, audience, tokenId, iat, exp }: AccessToken,
    clientId: string,
    sub: string,
  ): ActiveToken => ({
    active: true,
    scope: scopes.join(' '),
    client_id: clientId,
    token_type: 'Bearer',
    exp,
    iat,
    nbf: iat,
    sub,
    aud: audience,
    iss: publicUrl,
    jti: tokenId,
  })

  const refreshToken = async (
    token: RefreshToken,
    { application: checked, outcome }: Checked,
    asker: OidcApplicationConfiguration,
    call: TokenCall,
  ): Promise<Introspection> => {
    const application = oidcOnly(checked)
    const own = token.applicationId === asker.id
    if (!own || outcome.verdict !== 'good' || application === null) return INACTIVE
    if (!(await refreshTokens.isCurrent(token, actingApplication(asker.id, call)))) return INACTIVE
    const { scopes, userId, sessionId, iat, exp } = token
    return {
      active: true,
      scope: scopes.join(' '),
      client_id: application.clientId,
      username: outcome.state.email,
      exp,
      iat,
      sub: userId,
      iss: publicUrl,
      sid: sessionId,
    }
  }

  /** @throws TokenError */
  return async (body: Parameters | null, call: TokenCall): Promise<Introspection> => {
    const { form, client } = presentedForm(body, call.authorization)
    const prove = (configuration: Configuration): OidcApplicationConfiguration => {
      const asker = provenClient(client, configuration, context)
      if (!isConfidential(asker.type))
        throw new TokenError('invalid_client', 'introspection requires a client secret')
      countOne(limits.introspect, asker.id)
      return asker
    }
    const text = form.get('token')
    if (text === undefined) {
      prove(await cache.fresh())
      throw new TokenError('invalid_request', 'token is required')
    }
    const access = await tokens.open(text)
    const refresh = access === null ? refreshTokens.open(text) : null
    if (access?.userId === null) return applicationToken(access, prove)
    const reference = access ?? refresh
    if (reference === null) {
      prove(await cache.fresh())
      return INACTIVE
    }
    const { userId, sessionId } = reference
    if (userId === null || sessionId === null) return INACTIVE
    // One query for everything: its result also shows whether the caller is still a client.
    const offline = access?.offline ?? isOffline(reference)
    const checked = await check(subjectOf({ ...reference, userId, sessionId }, offline), false)
    const asker = prove(checked.configuration)
    if (refresh !== null) return refreshToken(refresh, checked, asker, call)
    const { outcome, configuration } = checked
    const application = oidcOnly(checked.application)
    if (access === null || application === null || outcome.verdict !== 'good') return INACTIVE
    const granted = asGranted(access, application, configuration, publicUrl)
    if (!mayAsk(granted, asker, configuration)) return INACTIVE
    return {
      ...describe(granted, application.clientId, userId),
      username: outcome.state.email,
      sid: sessionId,
    }
  }
}
