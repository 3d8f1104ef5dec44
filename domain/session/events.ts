import type { RiskLevel } from '../risk/events.ts'
import type { Instant } from '../time.ts'

/** Sign-in methods. */
export type SignInMethod =
  | 'passkey'
  | 'security_key'
  | 'authenticator_code'
  | 'recovery_code'
  | 'magic_link'
  | 'identity_provider'
  /** The same, with a provider whose word about phishing-resistant sign-ins an administrator trusts */
  | 'phishing_resistant_identity_provider'
  | 'enrollment_link'
  | 'development'
export type Strength = 'otp' | 'federated' | 'phishing_resistant'
export type SessionEndReason =
  | 'sign_out'
  | 'user_revoked'
  | 'admin_revoked'
  | 'application_logout'
  | 'provider_logout'

export type SessionEvent =
  | {
      type: 'session.started'
      data: {
        sessionId: string
        userId: string
        /** SHA-256 of the cookie's value. */
        tokenHash: string
        methods: readonly SignInMethod[]
        /** Ids of the methods used; null if they were not recorded. */
        methodIds: readonly string[] | null
        /** RFC 8176 */
        amr: readonly string[]
        authTime: Instant
        expiresAt: Instant
        strength: Strength
        ip: string | null
        userAgent: string | null
        deviceId: string | null
        /** `City, CC`, or only the name of the country */
        location: string | null
        /** Of the sign-in */
        risk: RiskLevel | 'none'
        /** The session at the identity provider, as a hash; missing if there is none, or the provider did not say */
        providerSession?: string
      }
    }
  /** The user signed in again: from now on another secret opens the session. */
  | {
      type: 'session.reauthenticated'
      data: {
        sessionId: string
        userId: string
        tokenHash: string
        methods: readonly SignInMethod[]
        methodIds: readonly string[] | null
        amr: readonly string[]
        authTime: Instant
        expiresAt: Instant
        strength: Strength
        /** Of this sign-in */
        risk: RiskLevel | 'none'
        /** The session at the identity provider, as a hash; missing if there is none, or the provider did not say */
        providerSession?: string
      }
    }
  /** An operator created the session at the server's terminal, without a sign-in. */
  | { type: 'session.created_for_development'; data: { sessionId: string; userId: string } }
  /** A proof that could have started a session was added to an existing one. */
  | { type: 'session.proof_spent'; data: { sessionId: string; userId: string; intoSessionId: string } }
  | { type: 'session.ended'; data: { sessionId: string; userId: string; reason: SessionEndReason } }
