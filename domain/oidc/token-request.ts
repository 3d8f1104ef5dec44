/**
 * RFC 6749 §3.2, §4.1.3: the token request. Order of checks: the parameters as such, the grant type, whether this kind
 * of application may use it, what that grant needs.
 */
import type { OidcApplicationType } from '../application/events.ts'
import { grantTypesOf } from '../application/grant-types.ts'
import type { Parameters } from './parameters.ts'
import type { TokenErrorCode } from './token-errors.ts'

export interface CodeGrantRequest {
  readonly grantType: 'authorization_code'
  readonly code: string
  readonly redirectUri: string
  readonly codeVerifier: string | undefined
}

export type TokenRequest =
  { readonly request: CodeGrantRequest } | { readonly error: TokenErrorCode; readonly description: string }

/** The grant types that are served. */
export const servedGrantTypes = ['authorization_code'] as const

const isServed = (type: string): type is (typeof servedGrantTypes)[number] =>
  (servedGrantTypes as readonly string[]).includes(type)

export const parseTokenRequest = (body: Parameters, type: OidcApplicationType): TokenRequest => {
  const grantType = body.get('grant_type')
  if (grantType === undefined) return { error: 'invalid_request', description: 'grant_type is required' }
  if (!isServed(grantType))
    return {
      error: 'unsupported_grant_type',
      description: `grant_type must be ${servedGrantTypes.join(' or ')}`,
    }
  if (!grantTypesOf(type).includes(grantType))
    return { error: 'unauthorized_client', description: 'this kind of application may not use this grant' }
  const code = body.get('code')
  const redirectUri = body.get('redirect_uri')
  if (code === undefined) return { error: 'invalid_request', description: 'code is required' }
  if (redirectUri === undefined) return { error: 'invalid_request', description: 'redirect_uri is required' }
  return { request: { grantType, code, redirectUri, codeVerifier: body.get('code_verifier') } }
}
