import type { GrantType } from '../application/grant-types.ts'
import type { Instant } from '../time.ts'

/** How a user authorized an application. */
export type PersonGrantType = Extract<
  GrantType,
  'authorization_code' | 'urn:ietf:params:oauth:grant-type:device_code'
>

/** The contents of a redeemed code and of every token issued from it. */
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
      /** A refresh token was used: older generations are invalid (RFC 9700 §4.14.2). */
      type: 'grant.refreshed'
      data: {
        grantId: string
        applicationId: string
        userId: string
        /** Generation of the issued refresh token; the first is 0 */
        generation: number
        refreshedAt: Instant
      }
    }
  | {
      type: 'grant.revoked'
      data: {
        grantId: string
        applicationId: string
        /** Null if an application acted for itself. */
        userId: string | null
        reason: GrantRevocationReason
      }
    }
  | {
      /** All grants of a user for an application are revoked. */
      type: 'grant.all_revoked'
      data: { applicationId: string; userId: string; reason: 'sign_out' | 'user_revoked' }
    }
