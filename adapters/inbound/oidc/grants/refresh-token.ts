/**
 * RFC 6749 §6, OpenID Connect Core §12: new tokens for a refresh token, which is single-use unless rotation is
 * disabled.
 */
import { isConfidential } from '../../../../domain/application/grant-types.ts'
import type { OidcApplicationType } from '../../../../domain/application/events.ts'
import type { RefreshTokenRequest } from '../../../../domain/oidc/token-request.ts'
import { actingPerson } from '../../http/request-origin.ts'
import type { OidcContext, TokenCall } from '../context.ts'
import { TokenError } from '../protocol-errors.ts'
import type { RefreshToken } from '../refresh-tokens.ts'
import type { PolicyOrigin } from '../../../application/sign-in/access-policies.ts'
import { VOID, type GoodState, type TokenVerdict } from '../../../application/sign-in/token-check.ts'
import type { Client, TokenResponse, TokenResponses } from '../token-response.ts'

/**
 * Where the user is: with a client on a server, where they signed in; its own address says nothing about the user.
 */
const originOf = (
  type: OidcApplicationType,
  { signInIp, signInUserAgent }: Pick<GoodState, 'signInIp' | 'signInUserAgent'>,
  call: TokenCall,
): PolicyOrigin => (isConfidential(type) ? { ip: signInIp ?? call.ip, userAgent: signInUserAgent } : call)

/** @throws TokenError */
export const refreshTokenGrant =
  ({ refreshTokens, policies }: Pick<OidcContext, 'refreshTokens' | 'policies'>, responses: TokenResponses) =>
  async (
    token: RefreshToken,
    { scope }: RefreshTokenRequest,
    client: Client,
    outcome: TokenVerdict,
    call: TokenCall,
  ): Promise<TokenResponse> => {
    const { application, configuration } = client
    if (token.applicationId !== application.id)
      throw new TokenError('invalid_grant', 'the refresh token was issued to another client')
    if (outcome.verdict !== 'good') throw new TokenError('invalid_grant', VOID)
    const { state } = outcome
    const decision = policies.decide(
      configuration,
      state,
      application.id,
      originOf(application.type, state, call),
    )
    if (decision.outcome !== 'allow')
      throw new TokenError('invalid_grant', 'an access policy requires the user to sign in again')
    return responses.forPerson({ reference: token, state, scope }, client, async () => {
      const used = await refreshTokens.use(token, application.settings, actingPerson(token, call))
      if ('refusal' in used) throw new TokenError('invalid_grant', used.refusal)
      return used.generation
    })
  }
