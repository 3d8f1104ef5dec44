/**
 * RFC 6749 §4.1.3, OpenID Connect Core §3.1.3: exchanges a code for tokens, with one lookup, one durable append and
 * one signature.
 */
import { FIRST_GENERATION } from '../../../../domain/grant/decider.ts'
import { acceptsAuthorization } from '../../../../domain/oidc/authorization-client.ts'
import type { CodeGrantRequest } from '../../../../domain/oidc/token-request.ts'
import type { AuthorizationCode } from '../codes.ts'
import { actingPerson } from '../../http/request-origin.ts'
import type { OidcContext, TokenCall } from '../context.ts'
import { TokenError } from '../protocol-errors.ts'
import { VOID, type TokenVerdict } from '../../../application/sign-in/token-check.ts'
import type { Client, TokenResponse, TokenResponses } from '../token-response.ts'

/**
 * Checks client, redirect URI and PKCE before redeeming the code.
 * @throws TokenError
 */
export const authorizationCodeGrant =
  ({ codes }: Pick<OidcContext, 'codes'>, responses: TokenResponses) =>
  async (
    code: AuthorizationCode,
    request: CodeGrantRequest,
    client: Client,
    outcome: TokenVerdict,
    call: TokenCall,
  ): Promise<TokenResponse> => {
    const { application } = client
    const problem = codes.problem(code, application.id, request)
    if (problem !== null) throw new TokenError('invalid_grant', problem)
    if (!acceptsAuthorization({ type: application.type, ...application.settings }, request.redirectUri))
      throw new TokenError('invalid_grant', 'redirect_uri is no longer registered')
    if (outcome.verdict !== 'good') throw new TokenError('invalid_grant', VOID)
    return responses.forPerson(
      { reference: code, state: outcome.state, nonce: code.nonce },
      client,
      async () => {
        const refusal = await codes.redeem(code, actingPerson(code, call))
        if (refusal !== null) throw new TokenError('invalid_grant', refusal)
        return FIRST_GENERATION
      },
    )
  }
