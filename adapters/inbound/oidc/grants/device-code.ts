/**
 * RFC 8628 §3.4, §3.5: exchanges a device code for tokens once the user has approved the sign-in. The log makes it
 * single-use.
 */
import { DomainError } from '../../../../domain/errors.ts'
import { FIRST_GENERATION, grantDecider, grantStream } from '../../../../domain/grant/decider.ts'
import type { TokenErrorCode } from '../../../../domain/oidc/token-errors.ts'
import type { DeviceCodeRequest } from '../../../../domain/oidc/token-request.ts'
import { actingPerson } from '../../http/request-origin.ts'
import type { OidcContext, TokenCall } from '../context.ts'
import type { DeviceCodePoll } from '../../../application/sign-in/device-authorizations.ts'
import { TokenError } from '../protocol-errors.ts'
import { isOffline, subjectOf } from '../../../application/sign-in/references.ts'
import { VOID } from '../../../application/sign-in/token-check.ts'
import type { Client, TokenResponse, TokenResponses } from '../token-response.ts'

const refusals: Readonly<
  Record<Exclude<DeviceCodePoll['outcome'], 'approved'>, readonly [TokenErrorCode, string]>
> = {
  pending: ['authorization_pending', 'the user has not decided yet'],
  slow_down: ['slow_down', 'wait 5 seconds longer between requests from now on'],
  denied: ['access_denied', 'the user denied the request'],
  expired: ['expired_token', 'the device code has expired'],
  unknown: ['invalid_grant', 'the device code was not issued to this client'],
}

/** @throws TokenError */
export const deviceCodeGrant =
  (
    {
      services,
      deviceAuthorizations,
      check,
    }: Pick<OidcContext, 'services' | 'deviceAuthorizations' | 'check'>,
    responses: TokenResponses,
  ) =>
  async (
    { grantType, deviceCode }: DeviceCodeRequest,
    { application }: Pick<Client, 'application'>,
    call: TokenCall,
  ): Promise<TokenResponse> => {
    const polled = await deviceAuthorizations.poll(deviceCode, application.id)
    if (polled.outcome !== 'approved') {
      const [code, description] = refusals[polled.outcome]
      throw new TokenError(code, description)
    }
    const { grant: reference } = polled
    const { outcome, configuration } = await check(
      subjectOf(reference, isOffline(reference)),
      reference.scopes.includes('groups'),
    )
    if (outcome.verdict !== 'good') throw new TokenError('invalid_grant', VOID)
    const { grantId, applicationId, userId, sessionId, scopes, apiResourceIds, authTime } = reference
    const grant = { grantId, applicationId, userId, sessionId, scopes, apiResourceIds, authTime, grantType }
    return responses.forPerson(
      { reference, state: outcome.state },
      { application, configuration },
      async () => {
        try {
          // Grants are not in the read models, so there is no projection to wait for.
          await services.handle(
            grantDecider,
            grantStream(grantId),
            { type: 'issue', grant },
            actingPerson(reference, call),
            { wait: 'recorded', presumed: { state: grantDecider.initial, revision: -1 } },
          )
        } catch (error) {
          if (!(error instanceof DomainError) || error.code !== 'ERR_CONFLICT') throw error
          throw new TokenError('invalid_grant', 'the device code was already used')
        }
        return FIRST_GENERATION
      },
    )
  }
