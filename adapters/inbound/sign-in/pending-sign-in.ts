import type { SignInReason } from '../../../domain/oidc/sign-in-need.ts'
import type { RiskType } from '../../../domain/risk/events.ts'

/** What every pending request knows about the sign-in that it waits for. */
export interface PendingSignIn {
  /** Why another sign-in is required from a signed-in user, for the sign-in page; null or omitted otherwise */
  readonly reason?: SignInReason | null
  /** The risk for which an access policy requires it; null or omitted otherwise */
  readonly risk?: RiskType | null
  /** The user was rejected, and can only go back */
  readonly refused?: true
}
