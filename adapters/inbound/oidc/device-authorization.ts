/**
 * RFC 8628 §3.1, §3.2: a device starts a sign-in and receives the code that its user must enter, and the address of
 * the page.
 */
import { grantTypesOf } from '../../../domain/application/grant-types.ts'
import type { Parameters } from '../../../domain/oidc/parameters.ts'
import { decideScopes } from '../../../domain/oidc/scopes.ts'
import { networkOf } from '../../kernel/client-ip.ts'
import { adminScopeClientOf } from './clients.ts'
import type { OidcContext, TokenCall } from './context.ts'
import { DEVICE_CODE_SECONDS } from '../../application/sign-in/device-authorizations.ts'
import { countOne, TokenError } from './protocol-errors.ts'
import { presentedForm, provenClient } from './token.ts'

export interface DeviceAuthorizationResponse {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly verification_uri_complete: string
  readonly expires_in: number
  readonly interval: number
}

/** @throws TokenError */
export const deviceAuthorizationEndpoint = (
  context: Pick<OidcContext, 'services' | 'deviceAuthorizations' | 'secretUsed' | 'limits'>,
) => {
  const { services, deviceAuthorizations, limits } = context
  const { configuration: cache, publicUrl } = services
  return async (body: Parameters | null, call: TokenCall): Promise<DeviceAuthorizationResponse> => {
    countOne(limits.browser, networkOf(call.ip))
    const { form, client } = presentedForm(body, call.authorization)
    const configuration = await cache.fresh()
    const application = provenClient(client, configuration, context)
    if (!grantTypesOf(application.type).includes('urn:ietf:params:oauth:grant-type:device_code'))
      throw new TokenError('unauthorized_client', 'only the command-line client may use this grant')
    const decided = decideScopes(
      form.get('scope'),
      form.all('resource'),
      adminScopeClientOf(application, configuration),
    )
    if ('error' in decided) throw new TokenError(decided.error, decided.description)
    const begun = await deviceAuthorizations.begin(application.id, decided.granted, call.ip)
    const page = `${publicUrl}/device`
    return {
      device_code: begun.deviceCode,
      user_code: begun.userCode,
      verification_uri: page,
      verification_uri_complete: `${page}?code=${begun.userCode}`,
      expires_in: DEVICE_CODE_SECONDS,
      interval: begun.pollSeconds,
    }
  }
}
