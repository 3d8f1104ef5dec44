import type { Prompt } from '../../../domain/oidc/authorization-request.ts'
import type { GrantedScopes } from '../../../domain/oidc/scopes.ts'
import type { SignInReason } from '../../../domain/oidc/sign-in-need.ts'
import type { Instant } from '../../../domain/time.ts'

/** What an application would send: with OpenID Connect its scopes, with SAML nothing more. */
export type TestedRequest =
  | ({ readonly protocol: 'oidc'; readonly redirectUri: string } & GrantedScopes)
  | { readonly protocol: 'saml'; readonly acsUrl: string }

/** A test sign-in that is pending while its user signs in. It ends with a report instead of an answer. */
export interface PendingTest {
  readonly protocol: 'test'
  /** The administrator who started it; another user can continue it */
  readonly startedBy: string
  readonly askedAt: Instant
  readonly prompts: readonly Prompt[]
  readonly request: TestedRequest
  /** Why another sign-in is required from a signed-in user; null otherwise */
  readonly reason: SignInReason | null
  /** As in other pending requests; a report is shown instead */
  readonly refused?: true
}
