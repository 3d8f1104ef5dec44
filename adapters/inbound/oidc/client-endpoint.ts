/**
 * RFC 6749 §5, RFC 7009 §2, RFC 7662 §2: the common part of the endpoints that authenticate clients. They receive a
 * posted form, return JSON or an OAuth error, and must not be cached.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Parameters } from '../../../domain/oidc/parameters.ts'
import type { OidcDeps, TokenCall } from './context.ts'
import { formOf } from '../http/form-body.ts'
import { networkOf } from '../../kernel/client-ip.ts'
import { hashSecret } from '../../engines/vault/hash.ts'
import { keptUserAgent } from '../http/user-agent.ts'
import { TokenError, tooMany } from './protocol-errors.ts'
import { isUnavailable, isUnstorable } from '../http/errors.ts'
import { neverStored, sendEmpty, sendJson, setHeaders } from '../http/respond.ts'
import { requestIdOf } from '../http/request-id.ts'

export type ClientEndpoint = (body: Parameters | null, call: TokenCall) => Promise<object | undefined>

/**
 * Failures are counted per network and presented secret, so a wrong secret does not use up the attempts of other
 * secrets. Secrets are 256 random bits, so guessing needs no limit. The limit is for clients that keep sending an
 * invalid secret.
 */
const failureOwner = (ip: string, authorization: string | undefined, form: Parameters | null): string =>
  hashSecret(
    JSON.stringify([
      networkOf(ip),
      authorization ?? null,
      form?.all('client_id') ?? [],
      form?.all('client_secret') ?? [],
    ]),
  )

const refusalOf = (error: unknown): TokenError => {
  if (error instanceof TokenError) return error
  if (isUnstorable(error)) return new TokenError('invalid_request', 'a parameter contains U+0000')
  return isUnavailable(error)
    ? new TokenError('temporarily_unavailable', 'try again', { 'Retry-After': '1' })
    : new TokenError('server_error', 'the request could not be completed')
}

export const clientEndpoint =
  (answer: ClientEndpoint, deps: Pick<OidcDeps, 'clientIp' | 'onError' | 'limits'>) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = requestIdOf(request)
    neverStored(response, requestId)
    const ip = deps.clientIp(request)
    const failures = deps.limits['client-failure']
    let owner: string | null = null
    try {
      const { authorization } = request.headers
      const userAgent = keptUserAgent(request.headers['user-agent'])
      const form = await formOf(request)
      owner = failureOwner(ip, authorization, form)
      // Checked first: a secret that failed too often is not compared again.
      if (failures.isEmpty(owner)) throw tooMany(failures, owner)
      const body = await answer(form, { authorization, ip, userAgent, requestId })
      if (body === undefined) sendEmpty(response, 200)
      else sendJson(response, 200, body)
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal.code === 'invalid_client' && owner !== null) failures.take(owner)
      if (refusal.code === 'server_error') deps.onError(error, requestId)
      setHeaders(response, refusal.headers)
      sendJson(response, refusal.status, { error: refusal.code, error_description: refusal.message })
    }
  }
