/**
 * OpenID Connect Core §5.3, RFC 6750 §2.1, §2.2, §3: claims about the person. The token comes in the Authorization
 * header or in a posted form, never in the address and never in both. One query, no write.
 */
import type { IncomingMessage } from 'node:http'
import { claimsFor, type PersonClaims } from '../../domain/oidc/claims.ts'
import { bearerErrors, type BearerErrorCode } from '../../domain/oidc/token-errors.ts'
import type { OidcContext } from './context.ts'
import { formOf } from './form-body.ts'

/** The endpoint says no. `code` is null when no token came at all (RFC 6750 §3.1: then nothing more is said). */
export class BearerError extends Error {
  readonly code: BearerErrorCode | null
  readonly status: number
  readonly challenge: string

  constructor(code: BearerErrorCode | null, description: string) {
    super(description)
    this.name = 'BearerError'
    this.code = code
    this.status = code === null ? 401 : bearerErrors[code]
    this.challenge =
      code === null
        ? 'Bearer realm="userinfo"'
        : `Bearer realm="userinfo", error="${code}", error_description="${description}"`
  }
}

const tokenIn = async (request: IncomingMessage): Promise<string> => {
  const { authorization } = request.headers
  const inHeader = /^Bearer +([\w.~+/-]+=*) *$/i.exec(authorization ?? '')?.[1]
  if (authorization !== undefined && /^Bearer\b/i.test(authorization) && inHeader === undefined)
    throw new BearerError('invalid_request', 'the Authorization header is not valid')
  const form = request.method === 'POST' ? await formOf(request) : null
  const inBody = form?.get('access_token')
  if (form?.repeated.includes('access_token') === true)
    throw new BearerError('invalid_request', 'access_token may be sent once only')
  if (inHeader !== undefined && inBody !== undefined)
    throw new BearerError('invalid_request', 'the token was sent in two ways at once')
  const token = inHeader ?? inBody
  if (token === undefined) throw new BearerError(null, 'an access token is required')
  return token
}

export const userinfoEndpoint =
  ({ tokens, check }: Pick<OidcContext, 'tokens' | 'check'>) =>
  async (request: IncomingMessage): Promise<PersonClaims> => {
    const token = tokens.open(await tokenIn(request))
    if (token === null) throw new BearerError('invalid_token', 'the token is not valid or has expired')
    const { outcome } = await check(token, token.scopes.includes('groups'))
    if (outcome.verdict !== 'good') throw new BearerError('invalid_token', 'the token is no longer valid')
    if (!token.scopes.includes('openid'))
      throw new BearerError('insufficient_scope', 'the scope openid is required')
    return claimsFor(token.scopes, { userId: token.userId, ...outcome.state })
  }
