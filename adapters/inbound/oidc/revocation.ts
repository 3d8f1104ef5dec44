/**
 * RFC 7009: a client revokes a token. All tokens of its grant are revoked (§2.1), which is in effect before the
 * response. An unknown token gets the same response as a revoked one (§2.2).
 */
import { grantDecider, grantStream } from '../../../domain/grant/decider.ts'
import type { Parameters } from '../../../domain/oidc/parameters.ts'
import { actingApplication, actingPerson } from '../http/request-origin.ts'
import type { OidcContext, TokenCall } from './context.ts'
import { countOne, TokenError } from './protocol-errors.ts'
import { presentedForm, provenClient, shareOf } from './token.ts'

/** @throws TokenError */
export const revocationEndpoint = (context: OidcContext) => {
  const { services, tokens, refreshTokens, limits } = context
  const { configuration: cache, handle } = services
  return async (body: Parameters | null, call: TokenCall): Promise<undefined> => {
    const { form, client } = presentedForm(body, call.authorization)
    const application = provenClient(client, await cache.fresh(), context)
    countOne(limits.token, shareOf(application, call.ip))
    const text = form.get('token')
    if (text === undefined) throw new TokenError('invalid_request', 'token is required')
    const token = (await tokens.open(text)) ?? refreshTokens.open(text)
    if (token === null) return undefined
    if (token.applicationId !== application.id)
      throw new TokenError('invalid_grant', 'the token was issued to another client')
    const { grantId, applicationId, userId, sessionId } = token
    const actor =
      userId === null || sessionId === null
        ? actingApplication(application.id, call)
        : actingPerson({ userId, sessionId }, call)
    const parties = { grantId, applicationId, userId }
    await handle(grantDecider, grantStream(grantId), { type: 'revoke', parties, reason: 'revoked' }, actor)
    return undefined
  }
}
