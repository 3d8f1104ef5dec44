/**
 * OpenID Connect Discovery 1.0 §3, RFC 8414 §2, RFC 9207 §3, RP-Initiated Logout 1.0 §2.1, Back-Channel
 * Logout 1.0 §2.1: exactly what this version supports.
 */
import { grantTypes } from '../application/grant-types.ts'
import { acrValues } from './acr.ts'
import { prompts } from './authorization-request.ts'
import { claimNames } from './claims.ts'
import { clientAuthMethods, secretAuthMethods } from './client-credentials.ts'
import { servedScopes } from './scopes.ts'

/** @param issuer the public address, without a trailing slash */
export const discoveryDocument = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth2/authorize`,
  token_endpoint: `${issuer}/oauth2/token`,
  userinfo_endpoint: `${issuer}/oauth2/userinfo`,
  jwks_uri: `${issuer}/oauth2/keys`,
  device_authorization_endpoint: `${issuer}/oauth2/device_authorization`,
  introspection_endpoint: `${issuer}/oauth2/introspect`,
  revocation_endpoint: `${issuer}/oauth2/revoke`,
  end_session_endpoint: `${issuer}/oauth2/logout`,
  scopes_supported: servedScopes,
  response_types_supported: ['code'],
  response_modes_supported: ['query', 'form_post'],
  grant_types_supported: grantTypes,
  code_challenge_methods_supported: ['S256'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  token_endpoint_auth_methods_supported: clientAuthMethods,
  introspection_endpoint_auth_methods_supported: secretAuthMethods,
  revocation_endpoint_auth_methods_supported: clientAuthMethods,
  acr_values_supported: acrValues,
  claim_types_supported: ['normal'],
  claims_supported: claimNames,
  claims_parameter_supported: false,
  prompt_values_supported: prompts,
  ui_locales_supported: ['en', 'de'],
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
  authorization_response_iss_parameter_supported: true,
  backchannel_logout_supported: true,
  backchannel_logout_session_supported: true,
})
