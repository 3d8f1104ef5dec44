import type { Instant } from '../time.ts'

/** The sources of memberships. */
export const membershipVias = [
  'assigned',
  'rule',
  'package',
  'scim',
  'lifecycle',
  'identity_provider',
] as const

export type MembershipVia = (typeof membershipVias)[number]

export type MembershipEvent =
  | {
      type: 'membership.granted'
      data: {
        groupId: string
        userId: string
        via: MembershipVia
        /** Identifies the origin if `via` does not: the package assignment, the lifecycle rule, the provider. */
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
