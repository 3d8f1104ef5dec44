import type { ErrorCode } from '../../../domain/errors.ts'
import type { SignInFailure } from '../../../domain/sign-in/events.ts'

/** What is recorded of a refused sign-in with an identity provider, by its error. Others are not recorded. */
export const federatedFailures: Readonly<Partial<Record<ErrorCode, SignInFailure>>> = {
  ERR_ACCOUNT_SUSPENDED: 'account_suspended',
  ERR_NOT_LINKED: 'not_linked',
  ERR_EMAIL_NOT_VERIFIED: 'email_not_verified',
  ERR_DOMAIN_NOT_ALLOWED: 'domain_not_allowed',
  ERR_PROVIDER_DENIED: 'provider_denied',
  ERR_PROVIDER_FAILED: 'provider_error',
}
