import type { Instant } from '../time.ts'

/** The source of a membership. */
export type MembershipVia = 'assigned' | 'rule' | 'package' | 'scim' | 'lifecycle'

export type MembershipEvent =
  | {
      type: 'membership.granted'
      data: {
        groupId: string
        userId: string
        via: MembershipVia
        /** Identifies the origin if `via` does not: the package assignment, the lifecycle run. */
        sourceId?: string
        expiresAt?: Instant
      }
    }
  | {
      type: 'membership.expiry_changed'
      data: {
        groupId: string
        userId: string
        via: MembershipVia
        sourceId?: string
        expiresAt: Instant | null
      }
    }
  | {
      type: 'membership.withdrawn'
      data: {
        groupId: string
        userId: string
        via: MembershipVia
        sourceId?: string
        reason: 'removed' | 'expired' | 'rule_no_longer_matches'
      }
    }
