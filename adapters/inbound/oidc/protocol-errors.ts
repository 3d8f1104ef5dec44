/** Errors of the protocol endpoints. */
import {
  bearerErrors,
  tokenErrors,
  type BearerErrorCode,
  type TokenErrorCode,
} from '../../../domain/oidc/token-errors.ts'
import type { Bucket } from '../http/rate-limit.ts'

/** RFC 6749 §5.2: errors of the token endpoint and similar ones. A 401 always has a challenge (RFC 9110 §15.5.2). */
export class TokenError extends Error {
  readonly code: TokenErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(code: TokenErrorCode, description: string, headers: Readonly<Record<string, string>> = {}) {
    super(description)
    this.name = 'TokenError'
    this.code = code
    this.status = tokenErrors[code]
    this.headers = {
      ...(this.status === 401 ? { 'WWW-Authenticate': 'Basic realm="oauth2"' } : {}),
      ...headers,
    }
  }
}

/**
 * Counts a request.
 * @throws TokenError too_many_requests if the owner has none left
 */
export const countOne = (bucket: Bucket, owner: string): void => {
  if (!bucket.take(owner)) throw tooMany(bucket, owner)
}

export const tooMany = (bucket: Bucket, owner: string): TokenError =>
  new TokenError('too_many_requests', 'too many requests; see Retry-After', bucket.headers(owner))

/** RFC 6750 §3.1. `code` is null if no token was sent: then the response contains no error. */
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
