import type { Prompt } from '../../../domain/oidc/authorization-request.ts'
import type { GrantedScopes } from '../../../domain/oidc/scopes.ts'
import type { Instant } from '../../../domain/time.ts'
import type { PendingSignIn } from './pending-sign-in.ts'

/** What an application would send: with OpenID Connect its scopes, with SAML nothing more. */
export type TestedRequest =
  | ({ readonly protocol: 'oidc'; readonly redirectUri: string } & GrantedScopes)
  | { readonly protocol: 'saml'; readonly acsUrl: string }

/** A test sign-in that is pending while its user signs in. It ends with a report instead of an answer. */
export interface PendingTest extends PendingSignIn {
  readonly protocol: 'test'
  /** The administrator who started it; another user can continue it */
  readonly startedBy: string
  readonly askedAt: Instant
  readonly prompts: readonly Prompt[]
  readonly request: TestedRequest
}
