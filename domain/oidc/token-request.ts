/**
 * RFC 6749 §3.2, §4.1.3, §4.4.2, §6; RFC 8628 §3.4: the token request. Order of checks: the parameters in general, the
 * grant type, whether this type of application can use it, the requirements of that grant.
 */
import type { OidcApplicationType } from '../application/events.ts'
import { grantTypes, grantTypesOf, isGrantType } from '../application/grant-types.ts'
import type { Parameters } from './parameters.ts'
import type { TokenErrorCode } from './token-errors.ts'

export interface CodeGrantRequest {
  readonly grantType: 'authorization_code'
  readonly code: string
  readonly redirectUri: string
  readonly codeVerifier: string | undefined
}

export interface RefreshTokenRequest {
  readonly grantType: 'refresh_token'
  readonly refreshToken: string
  readonly scope: string | undefined
}

export interface ClientCredentialsRequest {
  readonly grantType: 'client_credentials'
  readonly scope: string | undefined
  readonly resources: readonly string[]
}

export interface DeviceCodeRequest {
  readonly grantType: 'urn:ietf:params:oauth:grant-type:device_code'
  readonly deviceCode: string
}

export type GrantRequest =
  | CodeGrantRequest
  | RefreshTokenRequest
  | ClientCredentialsRequest
  | DeviceCodeRequest

export type TokenRequest =
  | { readonly request: GrantRequest }
  | { readonly error: TokenErrorCode; readonly description: string }

const required = (name: string): TokenRequest => ({
  error: 'invalid_request',
  description: `${name} is required`,
})

export const parseTokenRequest = (body: Parameters, type: OidcApplicationType): TokenRequest => {
  const { get } = body
  const grantType = get('grant_type')
  if (grantType === undefined) return required('grant_type')
  if (!isGrantType(grantType))
    return { error: 'unsupported_grant_type', description: `grant_type must be ${grantTypes.join(' or ')}` }
  if (!grantTypesOf(type).includes(grantType))
    return { error: 'unauthorized_client', description: 'this type of application cannot use this grant' }
  switch (grantType) {
    case 'authorization_code': {
      const code = get('code')
      const redirectUri = get('redirect_uri')
      if (code === undefined) return required('code')
      if (redirectUri === undefined) return required('redirect_uri')
      return { request: { grantType, code, redirectUri, codeVerifier: get('code_verifier') } }
    }
    case 'refresh_token': {
      const refreshToken = get('refresh_token')
      if (refreshToken === undefined) return required('refresh_token')
      return { request: { grantType, refreshToken, scope: get('scope') } }
    }
    case 'client_credentials':
      return { request: { grantType, scope: get('scope'), resources: body.all('resource') } }
    case 'urn:ietf:params:oauth:grant-type:device_code': {
      const deviceCode = get('device_code')
      return deviceCode === undefined ? required('device_code') : { request: { grantType, deviceCode } }
    }
  }
}
