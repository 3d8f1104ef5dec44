/** What becomes of an error at the end of a sign-in with an identity provider. */
import { DomainError, errors, type ErrorCode } from '../../../domain/errors.ts'
import type { SignInFailure } from '../../../domain/sign-in/events.ts'
import type { Services } from '../../application/services/services.ts'
import {
  ProviderDenied,
  ProviderFailed,
  ProviderRequestUnknown,
} from '../../application/sign-in/federation/provider-protocol.ts'

/** Characters of a provider's explanation that the log keeps */
const MAX_REASON = 500

/** What is recorded of a refused sign-in with an identity provider, by its error. Others are not recorded. */
export const federatedFailures: Readonly<Partial<Record<ErrorCode, SignInFailure>>> = {
  ERR_ACCOUNT_SUSPENDED: 'account_suspended',
  ERR_NOT_LINKED: 'not_linked',
  ERR_EMAIL_NOT_VERIFIED: 'email_not_verified',
  ERR_DOMAIN_NOT_ALLOWED: 'domain_not_allowed',
  ERR_PROVIDER_DENIED: 'provider_denied',
  ERR_PROVIDER_FAILED: 'provider_error',
}

/** Returns the code for users. The log says what exactly is wrong with a provider, for administrators. */
export const failureCode =
  ({ warn }: Pick<Services, 'warn'>) =>
  (error: unknown, identityProviderId: string): ErrorCode => {
    if (error instanceof ProviderDenied || error instanceof ProviderFailed) {
      const reason = error.message.slice(0, MAX_REASON)
      warn({ identityProviderId, reason }, 'sign-in with an identity provider failed')
      if (error instanceof ProviderRequestUnknown) return 'ERR_PROVIDER_STATE'
      return error instanceof ProviderDenied ? 'ERR_PROVIDER_DENIED' : 'ERR_PROVIDER_FAILED'
    }
    if (error instanceof DomainError && Object.hasOwn(errors, error.code)) return error.code
    throw error
  }
