import type { AuthorizationRequest } from '../../../domain/oidc/authorization-request.ts'
import type { Instant } from '../../../domain/time.ts'
import type { PendingSignIn } from './pending-sign-in.ts'

/** A request that is pending while its user signs in. */
export interface PendingAuthorization extends PendingSignIn {
  readonly request: AuthorizationRequest
  /** When the application sent the request; a required new sign-in must be later */
  readonly askedAt: Instant
}
