import type { AuthorizationRequest } from '../../../domain/oidc/authorization-request.ts'
import type { SignInReason } from '../../../domain/oidc/sign-in-need.ts'
import type { Instant } from '../../../domain/time.ts'

/** A request that is pending while its user signs in. */
export interface PendingAuthorization {
  readonly request: AuthorizationRequest
  /** When the application sent the request; a required new sign-in must be later */
  readonly askedAt: Instant
  /** Why the application requires another sign-in from a signed-in user, for the sign-in page; null otherwise */
  readonly reason: SignInReason | null
  /** The user was rejected, and can only go back */
  readonly refused?: true
}
