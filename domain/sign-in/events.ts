import type { PolicyDecision, PolicyFacts } from '../policy/evaluate.ts'
import type { SignInRisk } from '../risk/events.ts'
import type { SignInMethod } from '../session/events.ts'

export type SignInResult = 'success' | 'failure' | 'interrupted'

/** The method; `session` if an existing session opened an application, `device_code` for a terminal. */
export type SignInEventMethod =
  | Exclude<SignInMethod, 'development' | 'phishing_resistant_identity_provider'>
  | 'device_code'
  | 'session'

export type SignInFailure =
  | 'unknown_user'
  | 'bad_passkey'
  | 'bad_code'
  | 'code_reused'
  | 'too_many_attempts'
  | 'link_expired'
  | 'account_suspended'
  | 'account_not_active'
  | 'method_not_allowed'
  | 'not_assigned'
  | 'blocked_by_policy'
  | 'app_disabled'
  | 'request_expired'
  | 'provider_denied'
  | 'provider_error'
  | 'provider_required'
  | 'email_not_verified'
  | 'not_linked'
  | 'domain_not_allowed'

export type SignInInterruption =
  | 'stronger_auth_required'
  | 'reauth_required'
  | 'link_confirmation_required'
  | 'cancelled'

/** What access policies decided about an attempt, and the facts that they decided on. */
export type SignInDecision = PolicyDecision & {
  readonly facts: PolicyFacts
  /** Log position of the configuration: the policies of that position were evaluated */
  readonly position: string
}

/** A risk of an attempt, and the id of the risk event that it becomes. */
export type RaisedRisk = SignInRisk & { readonly riskEventId: string }

/** One sign-in attempt. */
export interface SignInAttempt {
  /** `evt_` id */
  readonly signInId: string
  /** Null for an unknown address. */
  readonly userId: string | null
  /** As entered, at most 254 characters; the user's own if nothing was entered. */
  readonly email: string | null
  /** Null for the pages of the service itself. */
  readonly appId: string | null
  readonly result: SignInResult
  readonly method: SignInEventMethod | null
  /** The identity provider that vouched for the user; null for any other method */
  readonly identityProviderId: string | null
  readonly ip: string | null
  /** `City, CC`, or only the name of the country */
  readonly location: string | null
  /** For example `Chrome on macOS` */
  readonly device: string | null
  readonly deviceId: string | null
  readonly userAgent: string | null
  readonly risk: 'none' | 'low' | 'medium' | 'high'
  /** Null on success. */
  readonly reason: SignInFailure | SignInInterruption | null
  readonly sessionId: string | null
  readonly amr: readonly string[]
  /** Null for an attempt that failed before policies were evaluated, or was recorded by an earlier version. */
  readonly decision: SignInDecision | null
  /** Risks of this attempt; null if there are none: an empty list would be encrypted with every sign-in */
  readonly risks: readonly RaisedRisk[] | null
}

export type SignInEvent = { type: 'sign_in.recorded'; data: SignInAttempt }
