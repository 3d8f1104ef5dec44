import type { Instant } from '../time.ts'

/** What a redeemed authorization code stands for, and every token that comes of it. */
export interface GrantData {
  readonly grantId: string
  readonly applicationId: string
  readonly userId: string
  readonly sessionId: string
  readonly scopes: readonly string[]
  readonly authTime: Instant
}

export type GrantEvent =
  | { type: 'grant.issued'; data: GrantData }
  | {
      type: 'grant.revoked'
      data: { grantId: string; applicationId: string; userId: string; reason: 'code_reused' | 'revoked' }
    }
