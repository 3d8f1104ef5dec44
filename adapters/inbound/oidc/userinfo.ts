/**
 * OpenID Connect Core §5.3, RFC 6750 §2.1, §2.2, §3: claims about the user. The token comes in the Authorization
 * header or in a posted form, never in the URL and never in both. Needs one query and no write.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { claimsFor, type PersonClaims } from '../../../domain/oidc/claims.ts'
import { networkOf } from '../../kernel/client-ip.ts'
import type { OidcContext, OidcDeps } from './context.ts'
import { formOf } from '../http/form-body.ts'
import { BearerError, countOne, TokenError } from './protocol-errors.ts'
import { subjectOf } from '../../application/sign-in/references.ts'
import { isUnavailable } from '../http/errors.ts'
import { neverStored, sendJson, setHeaders } from '../http/respond.ts'
import { requestIdOf } from '../http/request-id.ts'

const tokenIn = async (request: IncomingMessage): Promise<string> => {
  const { authorization } = request.headers
  const inHeader = /^Bearer +([\w.~+/-]+=*) *$/i.exec(authorization ?? '')?.[1]
  if (authorization !== undefined && /^Bearer\b/i.test(authorization) && inHeader === undefined)
    throw new BearerError('invalid_request', 'the Authorization header is not valid')
  const form = request.method === 'POST' ? await formOf(request) : null
  const inBody = form?.get('access_token')
  if (form?.repeated.includes('access_token') === true)
    throw new BearerError('invalid_request', 'access_token was sent more than once')
  if (inHeader !== undefined && inBody !== undefined)
    throw new BearerError('invalid_request', 'the token was sent in more than one way')
  const token = inHeader ?? inBody
  if (token === undefined) throw new BearerError(null, 'an access token is required')
  return token
}

type UserinfoContext = Pick<OidcContext, 'tokens' | 'check'> & Pick<OidcDeps, 'limits' | 'clientIp'>

const claimsOf =
  ({ tokens, check, limits, clientIp }: UserinfoContext) =>
  async (request: IncomingMessage): Promise<PersonClaims> => {
    const token = await tokens.open(await tokenIn(request))
    countOne(limits.userinfo, token?.applicationId ?? networkOf(clientIp(request)))
    if (token === null) throw new BearerError('invalid_token', 'the token is not valid or has expired')
    const { userId, sessionId } = token
    if (userId === null || sessionId === null)
      throw new BearerError('insufficient_scope', 'the token is not for a user')
    const { outcome } = await check(
      subjectOf({ ...token, userId, sessionId }, token.offline),
      token.scopes.includes('groups'),
    )
    if (outcome.verdict !== 'good') throw new BearerError('invalid_token', 'the token is no longer valid')
    if (!token.scopes.includes('openid'))
      throw new BearerError('insufficient_scope', 'the scope openid is required')
    return claimsFor(token.scopes, userId, outcome.state)
  }

export const userinfoEndpoint = (context: UserinfoContext & Pick<OidcDeps, 'onError'>) => {
  const claims = claimsOf(context)
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = requestIdOf(request)
    neverStored(response, requestId)
    try {
      sendJson(response, 200, await claims(request))
    } catch (error) {
      if (error instanceof BearerError) {
        response.setHeader('WWW-Authenticate', error.challenge)
        sendJson(response, error.status, {
          error: error.code ?? 'invalid_token',
          error_description: error.message,
        })
        return
      }
      if (error instanceof TokenError) {
        setHeaders(response, error.headers)
        sendJson(response, error.status, { error: error.code, error_description: error.message })
        return
      }
      const outage = isUnavailable(error)
      if (outage) response.setHeader('Retry-After', '1')
      else context.onError(error, requestId)
      sendJson(response, outage ? 503 : 500, { error: outage ? 'temporarily_unavailable' : 'server_error' })
    }
  }
}
