/**
 * Every error code of the JSON API, with its HTTP status and default message.
 * HTTP responses, OpenAPI and the docs are generated from this list. Codes are never reused.
 */
export const errors = {
  ERR_INVALID_JSON: {
    status: 400,
    message: 'The body must be a JSON object of at most 1 MiB with known fields only.',
  },
  ERR_CEREMONY_EXPIRED: { status: 400, message: 'This setup step has expired. Start it again.' },
  ERR_PROVIDER_STATE: {
    status: 400,
    message: 'This sign-in with an identity provider has expired or was already used. Start it again.',
  },
  ERR_REGISTRATION_FAILED: { status: 400, message: 'The new passkey could not be verified.' },
  ERR_UNAUTHENTICATED: { status: 401, message: 'Sign in, or send a valid key or token.' },
  ERR_PASSKEY_REJECTED: { status: 401, message: 'The passkey could not be verified.' },
  ERR_CODE_MISMATCH: { status: 401, message: 'The code is wrong or was already used.' },
  ERR_REAUTH_REQUIRED: { status: 401, message: 'Sign in again to continue.' },
  ERR_FORBIDDEN: { status: 403, message: 'Your roles do not allow this.' },
  ERR_CROSS_SITE: { status: 403, message: 'The request came from another website.' },
  ERR_ACCOUNT_SUSPENDED: { status: 403, message: 'This account is suspended. Ask an administrator.' },
  ERR_NOT_ASSIGNED: { status: 403, message: 'None of your groups has access to this application.' },
  ERR_BLOCKED_BY_POLICY: { status: 403, message: 'An access policy blocked this sign-in.' },
  ERR_STRONGER_AUTH_REQUIRED: { status: 403, message: 'A policy requires a passkey or security key.' },
  ERR_PROVIDER_REQUIRED: {
    status: 403,
    message: "Users of this domain sign in with their organization's identity provider.",
  },
  ERR_PROVIDER_DENIED: { status: 403, message: 'The identity provider did not sign you in.' },
  ERR_EMAIL_NOT_VERIFIED: {
    status: 403,
    message: 'The identity provider did not confirm your email address.',
  },
  ERR_NOT_LINKED: {
    status: 403,
    message: 'This external account is not linked to an account here. Sign in another way and link it.',
  },
  ERR_DOMAIN_NOT_ALLOWED: {
    status: 403,
    message: 'This identity provider does not sign in users of your email domain.',
  },
  ERR_SELF_APPROVAL: { status: 403, message: 'You cannot decide your own access request.' },
  ERR_NO_PRINCIPALS: { status: 403, message: 'None of your groups maps to an SSH principal.' },
  ERR_NOT_FOUND: { status: 404, message: 'The item was not found.' },
  ERR_NO_ROUTE: { status: 404, message: 'No route matches this path and method.' },
  ERR_AUTH_REQUEST_EXPIRED: {
    status: 404,
    message: "The application's sign-in request has expired or was already used.",
  },
  ERR_LINK_EXPIRED: { status: 404, message: 'This link has expired or was already used. Request a new one.' },
  ERR_DEVICE_CODE: { status: 404, message: 'This code is wrong, has expired or was already used.' },
  ERR_NOT_CONFIGURED: { status: 404, message: 'Outbound provisioning is not set up for this application.' },
  ERR_CONFLICT: { status: 409, message: 'This conflicts with the current state.' },
  ERR_LAST_METHOD: { status: 409, message: 'This is the last sign-in method and cannot be removed.' },
  ERR_LAST_ADMIN: { status: 409, message: 'The last active global administrator cannot be removed.' },
  ERR_BUILT_IN: { status: 409, message: 'The built-in CLI application cannot be deleted.' },
  ERR_STALE: { status: 412, message: 'The record has changed since it was read.' },
  ERR_TOO_LARGE: { status: 413, message: 'The upload is too large.' },
  ERR_INVALID: { status: 422, message: 'A field is missing or invalid.' },
  ERR_NOT_VERIFIED: { status: 422, message: "The domain's verification TXT record was not found." },
  ERR_TOKEN_UNREADABLE: {
    status: 422,
    message: 'The saved SCIM token cannot be decrypted with the current key.',
  },
  ERR_TOO_MANY_ATTEMPTS: { status: 429, message: 'Too many wrong codes. Wait and try again.' },
  ERR_RATE_LIMITED: { status: 429, message: 'Too many requests. Slow down.' },
  ERR_INTERNAL: { status: 500, message: 'The request could not be completed.' },
  ERR_PROVIDER_FAILED: { status: 502, message: 'The identity provider returned an invalid response.' },
  ERR_SCIM_CONNECTION: { status: 502, message: "The application's SCIM endpoint failed." },
  ERR_UNAVAILABLE: { status: 503, message: 'The service is unavailable. Try again.' },
} as const satisfies Record<string, { status: number; message: string }>

export type ErrorCode = keyof typeof errors

/** A rejected command or query. `field` is a JSON pointer into the request body. */
export interface Refusal {
  readonly code: ErrorCode
  readonly message?: string
  readonly field?: string
}

/** An error with a refusal for the caller. Any other error is a bug and returns ERR_INTERNAL. */
export class DomainError extends Error implements Refusal {
  readonly code: ErrorCode
  declare readonly field?: string

  constructor(code: ErrorCode, message?: string, field?: string) {
    super(message ?? errors[code].message)
    this.name = 'DomainError'
    this.code = code
    if (field !== undefined) this.field = field
  }
}
