/**
 * RFC 6749 §5.2, RFC 8628 §3.5, RFC 8707 §2, RFC 6750 §3.1: errors of the token and userinfo endpoints, and
 * their HTTP status. No RFC has an error code for too many requests (RFC 6585 §4 defines only the status):
 * other services use `too_many_requests`.
 */

export const tokenErrors = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  invalid_scope: 400,
  invalid_target: 400,
  authorization_pending: 400,
  slow_down: 400,
  access_denied: 400,
  expired_token: 400,
  server_error: 500,
  temporarily_unavailable: 503,
  too_many_requests: 429,
} as const

export type TokenErrorCode = keyof typeof tokenErrors

export const bearerErrors = { invalid_request: 400, invalid_token: 401, insufficient_scope: 403 } as const

export type BearerErrorCode = keyof typeof bearerErrors
