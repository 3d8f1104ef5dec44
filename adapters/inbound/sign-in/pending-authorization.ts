import type { AuthorizationRequest } from '../../../domain/oidc/authorization-request.ts'
import type { SignInReason } from '../../../domain/oidc/sign-in-need.ts'
import type { Instant } from '../../../domain/time.ts'

/** A request that waits while its person signs in. */
export interface PendingAuthorization {
  readonly request: AuthorizationRequest
  /** When the application sent the request; a sign-in that must be new has to be later. */
  readonly askedAt: Instant
  /** Someone is signed in, but the application requires more; the sign-in page states it. Null otherwise. */
  readonly reason: SignInReason | null
  /** The user was refused: all that is left is the way back. */
  readonly refused?: true
}
