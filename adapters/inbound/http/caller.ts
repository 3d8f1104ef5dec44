/** Who sends a request to the JSON API, and by which credential. `kind` says how the credential is used. */
import type { Id } from '../../../domain/ids.ts'
import type { Role } from '../../../domain/roles.ts'
import type { SignInMethod } from '../../../domain/session/events.ts'
import type { SignInDecision } from '../../../domain/sign-in/events.ts'
import { proofOf } from '../../../domain/session/proof.ts'

export interface AnonymousCaller {
  readonly kind: 'anonymous'
}

/** A user signed in with the `svc_session` cookie */
export interface SessionCaller {
  readonly kind: 'session'
  readonly userId: Id<'user'>
  readonly name: string
  readonly email: string
  readonly roles: readonly Role[]
  readonly sessionId: Id<'session'>
  /** RFC 3339; the time of the user's last sign-in */
  readonly authTime: string
  /** All methods that were used to sign in to the session */
  readonly methods: readonly SignInMethod[]
  /** Roles that apply after a sign-in with a passkey or security key */
  readonly withheldRoles?: readonly Role[]
  /** Roles that were granted after `authTime`: they apply after the user signs in again */
  readonly newRoles: readonly Role[]
  /** What access policies decided about the use of the API */
  readonly decision: SignInDecision
}

/** Whether the session was opened with a passkey or security key. */
export const isStrong = ({ methods }: Pick<SessionCaller, 'methods'>): boolean =>
  proofOf(methods) === 'phishing_resistant'

/** A user with an access token of the command-line client. */
export interface CliTokenCaller {
  readonly kind: 'cli_token'
  readonly userId: Id<'user'>
  readonly name: string
  readonly email: string
  readonly roles: readonly Role[]
  readonly tokenId: Id<'accessToken'>
  readonly sessionId?: Id<'session'>
  /** What access policies decided about the use of the API */
  readonly decision: SignInDecision
}

/** A user with an access token of the command-line client that has the scope `admin`: the token has their roles. */
export interface AdminTokenCaller {
  readonly kind: 'admin_token'
  readonly userId: Id<'user'>
  readonly name: string
  readonly email: string
  /** Roles that the user has now, and had when they approved the token */
  readonly roles: readonly Role[]
  /** Roles that apply to a session with a passkey or security key */
  readonly withheldRoles?: readonly Role[]
  readonly tokenId: Id<'accessToken'>
  readonly sessionId: Id<'session'>
  /** RFC 3339; the time of the sign-in before the user approved the token */
  readonly authTime: string
  /** The methods of the session that approved it */
  readonly methods: readonly SignInMethod[]
  /** What access policies decided about the use of the API */
  readonly decision: SignInDecision
}

/** A service account with one of its API keys */
export interface ApiKeyCaller {
  readonly kind: 'api_key'
  readonly userId: Id<'user'>
  readonly name: string
  readonly roles: readonly Role[]
  readonly keyId: Id<'apiKey'>
  readonly scopes: readonly string[]
}

export type PersonCaller = SessionCaller | CliTokenCaller
export type KnownCaller = PersonCaller | AdminTokenCaller | ApiKeyCaller
export type Caller = AnonymousCaller | KnownCaller

/** Returns the name of the credential in the audit trail. */
export interface CredentialUsed {
  readonly type: 'session' | 'api_key' | 'cli_token'
  readonly id: string
}

export const anonymous: AnonymousCaller = { kind: 'anonymous' }

/** Returns the caller's credential; null for an anonymous caller. */
export const credentialOf = (caller: Caller): CredentialUsed | null => {
  switch (caller.kind) {
    case 'anonymous':
      return null
    case 'session':
      return { type: 'session', id: caller.sessionId }
    case 'cli_token':
    case 'admin_token':
      return { type: 'cli_token', id: caller.tokenId }
    case 'api_key':
      return { type: 'api_key', id: caller.keyId }
  }
}

/** Returns the acting user or service account; null for an anonymous caller. */
export const actorIdOf = (caller: Caller): Id<'user'> | null =>
  caller.kind === 'anonymous' ? null : caller.userId
