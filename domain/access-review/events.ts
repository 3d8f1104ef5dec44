import type { Change } from '../changes.ts'
import type { MembershipVia } from '../membership/events.ts'
import type { RiskLevel } from '../risk/events.ts'
import type { Instant } from '../time.ts'

/**
 * Whose access is reviewed: of everybody to these applications, groups, packages or administrative roles; of these users
 * to all applications; of these service accounts to their roles.
 */
export type ReviewScopeType = 'application' | 'group' | 'package' | 'role' | 'user' | 'service_account'

export interface ReviewScope {
  readonly type: ReviewScopeType
  /** Ids, for `role` role keys */
  readonly ids: readonly string[]
  /** Only these users; missing: all */
  readonly userFilter?: {
    readonly groupIds?: readonly string[]
    /** Only users who have not signed in for so many days */
    readonly inactiveDays?: number
    /** Only users with an open risk of this level, or a higher one */
    readonly riskLevel?: RiskLevel
  }
}

/**
 * Who reviews: the manager of the user, the named users, members of the named groups, the owners of the group or package
 * (for an application: of the groups that give it), or the user.
 */
export type ReviewerType = 'manager' | 'users' | 'groups' | 'owners' | 'self'

export interface ReviewStage {
  readonly type: ReviewerType
  /** Of users or groups; empty for the other types */
  readonly ids: readonly string[]
  /** Users who review what nobody else of the stage can */
  readonly fallbackIds: readonly string[]
}

export type ReviewRepeat = 'none' | 'monthly' | 'quarterly' | 'semiannual' | 'annual'

export interface ReviewSettings {
  readonly justificationRequired: 'never' | 'on_revoke' | 'always'
  /** Whether users may review their own access. */
  readonly selfReview: boolean
  readonly bulkDecisions: boolean
  /** Days before the end on which reviewers with open items get an email */
  readonly reminders: readonly number[]
  /** Access that was not used for so many days is recommended for removal. */
  readonly recommendationInactiveDays: number
  /** What happens to items without a decision at the end. */
  readonly onNoResponse: 'keep' | 'revoke' | 'recommendation'
  /** Whether decisions are applied when the review closes. Otherwise an administrator does it. */
  readonly autoApply: boolean
}

export interface AccessReviewFields {
  readonly name: string
  readonly description?: string
  readonly scope: ReviewScope
  /** One or two; the reviewers of the second decide after those of the first. */
  readonly stages: readonly ReviewStage[]
  readonly schedule: {
    readonly startsAt: Instant
    readonly durationDays: number
    readonly repeat: ReviewRepeat
  }
  readonly settings: ReviewSettings
}

/** The reviewed resource, with its name at the position of the review */
export interface ReviewedResource {
  readonly type: 'application' | 'group' | 'package' | 'role'
  /** For a role its key */
  readonly id: string
  readonly name: string
}

/** One way in which a user has the access */
export interface ReviewedPath {
  readonly via: MembershipVia | 'direct'
  readonly groupId?: string
  readonly groupName?: string
  /** The package assignment, the rule, the provider */
  readonly sourceId?: string
  readonly packageId?: string
  readonly requestId?: string
  readonly since: Instant
}

export type Recommendation = 'approve' | 'revoke' | 'none'
export type RecommendationReason = 'recently_used' | 'not_used' | 'user_not_active' | 'recently_granted'

export interface ReviewItem {
  readonly itemId: string
  readonly userId: string
  readonly resource: ReviewedResource
  readonly paths: readonly ReviewedPath[]
  readonly lastUsedAt?: Instant
  readonly recommendation: Recommendation
  readonly reason: RecommendationReason
  /** The reviewers of each stage that has any */
  readonly reviewers: readonly (readonly string[])[]
}

export type ItemDecision = 'approved' | 'revoked' | 'abstained'
/** `manual`: something else gives the access, which only people can change; `error` says what. */
export type ApplyStatus = 'applied' | 'failed' | 'manual'

export interface ReviewCounts {
  readonly total: number
  readonly approved: number
  readonly revoked: number
  readonly abstained: number
  readonly applied: number
  readonly failed: number
  readonly manual: number
}

interface ItemSubject {
  readonly reviewId: string
  readonly itemId: string
  readonly userId: string
  readonly resource: ReviewedResource
}

export type AccessReviewEvent =
  | {
      type: 'access_review.created'
      data: {
        reviewId: string
        /** Who answers for what it applies; a repetition has the author of the review before */
        authorId: string | null
        previousReviewId?: string
        /** When the first of a series starts: the others repeat its day of the month */
        seriesStartsAt?: Instant
        /** The package whose settings ask for it */
        ofPackageId?: string
      } & AccessReviewFields
    }
  | { type: 'access_review.updated'; data: { reviewId: string; changes: readonly Change[] } }
  | {
      type: 'access_review.started'
      data: {
        reviewId: string
        /** The log position at which the population is computed */
        position: string
        startedAt: Instant
        endsAt: Instant
      }
    }
  /** A part of the population. Last use and recommendation are recorded because their sources are not kept for ever. */
  | {
      type: 'access_review.items_recorded'
      data: { reviewId: string; part: number; items: readonly ReviewItem[] }
    }
  /** The population is complete. */
  | { type: 'access_review.opened'; data: { reviewId: string; parts: number; items: number } }
  | { type: 'access_review.reminded'; data: { reviewId: string; daysLeft: number } }
  | {
      type: 'access_review.item_decided'
      data: ItemSubject & {
        stage: number
        decision: ItemDecision
        /** Whether no further stage decides */
        final: boolean
        /** Null if nobody decided in time */
        reviewerId: string | null
        justification?: string
      }
    }
  | {
      type: 'access_review.item_reassigned'
      data: ItemSubject & {
        stage: number
        reviewerIds: readonly string[]
        previousReviewerIds: readonly string[]
      }
    }
  | {
      type: 'access_review.item_applied'
      data: ItemSubject & { status: ApplyStatus; error?: string }
    }
  | { type: 'access_review.closed'; data: { reviewId: string; reason: 'ended' | 'by_administrator' } }
  | { type: 'access_review.applying'; data: { reviewId: string } }
  | { type: 'access_review.completed'; data: { reviewId: string; counts: ReviewCounts } }
  /** Before it started */
  | { type: 'access_review.deleted'; data: { reviewId: string } }
  | { type: 'access_review.cancelled'; data: { reviewId: string; reason?: string } }
