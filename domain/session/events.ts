import type { Instant } from '../time.ts'

export type SignInMethod = 'passkey' | 'security_key' | 'enrollment_link' | 'development'
export type Strength = 'otp' | 'federated' | 'phishing_resistant'
export type SessionEndReason = 'sign_out' | 'user_revoked' | 'admin_revoked' | 'application_logout'

export type SessionEvent =
  | {
      type: 'session.started'
      data: {
        sessionId: string
        userId: string
        /** SHA-256 of the cookie's value. */
        tokenHash: string
        methods: readonly SignInMethod[]
        /** RFC 8176 */
        amr: readonly string[]
        authTime: Instant
        expiresAt: Instant
        strength: Strength
        ip: string | null
        userAgent: string | null
      }
    }
  | { type: 'session.ended'; data: { sessionId: string; userId: string; reason: SessionEndReason } }
