/**
 * RFC 6749 §6, OpenID Connect Core §12: new tokens for a refresh token, which is single-use unless rotation is
 * disabled.
 */
import type { RefreshTokenRequest } from '../../../../domain/oidc/token-request.ts'
import { actingPerson } from '../../http/request-origin.ts'
import type { OidcContext, TokenCall } from '../context.ts'
import { TokenError } from '../protocol-errors.ts'
import type { RefreshToken } from '../refresh-tokens.ts'
import { VOID, type TokenVerdict } from '../../../application/sign-in/token-check.ts'
import type { Client, TokenResponse, TokenResponses } from '../token-response.ts'

/** @throws TokenError */
export const refreshTokenGrant =
  ({ refreshTokens }: Pick<OidcContext, 'refreshTokens'>, responses: TokenResponses) =>
  async (
    token: RefreshToken,
    { scope }: RefreshTokenRequest,
    client: Client,
    outcome: TokenVerdict,
    call: TokenCall,
  ): Promise<TokenResponse> => {
    const { application } = client
    if (token.applicationId !== application.id)
      throw new TokenError('invalid_grant', 'the refresh token was issued to another client')
    if (outcome.verdict !== 'good') throw new TokenError('invalid_grant', VOID)
    return responses.forPerson({ reference: token, state: outcome.state, scope }, client, async () => {
      const used = await refreshTokens.use(token, application.settings, actingPerson(token, call))
      if ('refusal' in used) throw new TokenError('invalid_grant', used.refusal)
      return used.generation
    })
  }
