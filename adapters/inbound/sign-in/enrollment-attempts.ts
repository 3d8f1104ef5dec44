import { DomainError, type ErrorCode } from '../../../domain/errors.ts'
import type { SignInFailure } from '../../../domain/sign-in/events.ts'
import { openLink, type OpenLink } from '../../../read-models/queries/account.ts'
import { hashSecret } from '../../engines/vault/hash.ts'
import { signInCompletion, type SignInRequest, type SignInServices } from './complete-sign-in.ts'
import { usableLink } from '../../application/sign-in/enrollment.ts'

const reasons: Readonly<Partial<Record<ErrorCode, SignInFailure>>> = {
  ERR_LINK_EXPIRED: 'link_expired',
  ERR_ACCOUNT_SUSPENDED: 'account_suspended',
  ERR_PROVIDER_REQUIRED: 'provider_required',
  ERR_REGISTRATION_FAILED: 'bad_passkey',
  ERR_CODE_MISMATCH: 'bad_code',
}

/**
 * Runs the last step of an enrolment, before its sign-in. A failure is recorded as a failed sign-in attempt.
 * @throws DomainError ERR_LINK_EXPIRED, ERR_ACCOUNT_SUSPENDED, ERR_PROVIDER_REQUIRED, and errors of the step
 */
export const enrollmentAttempts = (services: SignInServices) => {
  const { pool, clock } = services
  const { failed } = signInCompletion(services)
  return async <T>(
    request: SignInRequest,
    token: string,
    step: (link: OpenLink) => Promise<T>,
  ): Promise<T> => {
    const link = await openLink(pool, hashSecret(token), clock.now())
    try {
      return await step(await usableLink(services, link))
    } catch (error) {
      const reason = error instanceof DomainError ? reasons[error.code] : undefined
      const { userId = null, email = null } = link ?? {}
      if (reason !== undefined)
        await failed(request, { userId, email, method: 'enrollment_link', reason }, null)
      throw error
    }
  }
}
