import type { GrantType } from '../application/grant-types.ts'
import type { Instant } from '../time.ts'

/** How a person let an application act for them. */
export type PersonGrantType = Extract<
  GrantType,
  'authorization_code' | 'urn:ietf:params:oauth:grant-type:device_code'
>

/** What a redeemed code stands for, and every token that comes of it. */
export interface GrantData {
  readonly grantId: string
  readonly applicationId: string
  readonly userId: string
  readonly sessionId: string
  readonly scopes: readonly string[]
  /** The APIs that its access tokens are for, besides the service itself. */
  readonly apiResourceIds: readonly string[]
  readonly authTime: Instant
  readonly grantType: PersonGrantType
}

export type GrantRevocationReason = 'code_reused' | 'refresh_token_reused' | 'revoked'

export type GrantEvent =
  | { type: 'grant.issued'; data: GrantData }
  | {
      /** A refresh token was used: those of older generations are void (RFC 9700 §4.14.2). */
      type: 'grant.refreshed'
      data: {
        grantId: string
        applicationId: string
        userId: string
        /** Of the refresh token handed out; the first one is of generation 0. */
        generation: number
        refreshedAt: Instant
      }
    }
  | {
      type: 'grant.revoked'
      data: {
        grantId: string
        applicationId: string
        /** Null where an application acted for itself. */
        userId: string | null
        reason: GrantRevocationReason
      }
    }
  | {
      /** Everything that a person had let an application do is taken back. */
      type: 'grant.all_revoked'
      data: { applicationId: string; userId: string; reason: 'sign_out' | 'user_revoked' }
    }
