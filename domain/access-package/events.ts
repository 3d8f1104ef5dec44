import type { ReviewStage } from '../access-review/events.ts'
import type { Change } from '../changes.ts'

/** Applications are granted through groups. */
export interface PackageGrant {
  readonly type: 'group'
  readonly groupId: string
}

/** Who may request a package for themselves. */
export interface PackageRequesters {
  readonly scope: 'everyone' | 'groups'
  /** Empty for `everyone` */
  readonly groupIds: readonly string[]
}

/** Who decides in a stage. `manager` is the manager of the user who gets the access. */
export type ApproverType = 'users' | 'groups' | 'manager' | 'package_owners'

export interface ApprovalStage {
  /** `ids`: of users or groups; empty for the other types */
  readonly approvers: { readonly type: ApproverType; readonly ids: readonly string[] }
  /** Whether one approver is enough, or all must approve. */
  readonly mode: 'any' | 'all'
  /** Until when the stage must be decided, in hours from its start. */
  readonly timeoutHours: number
  /** The user who decides if nobody else can, or has in time. */
  readonly escalateTo?: string
  /** Whether an approval needs a comment. A denial always does. */
  readonly justificationRequired: boolean
}

export interface PackageQuestion {
  readonly id: string
  readonly label: string
  readonly type: 'text' | 'choice' | 'boolean'
  /** For `choice` */
  readonly choices?: readonly string[]
  readonly required: boolean
}

/** ISO 8601 durations of an assignment. */
export interface PackageDuration {
  /** Without a default, an assignment does not expire unless the requester chooses. */
  readonly default?: string
  readonly max?: string
  readonly requesterMayChoose: boolean
}

/** Regular access reviews of everybody who has the package. */
export interface PackageReview {
  /** Days from the publication, and from one review to the next */
  readonly everyDays: number
  readonly reviewers: ReviewStage
}

export interface AccessPackageFields {
  readonly name: string
  readonly description?: string
  readonly grants: readonly PackageGrant[]
  /** Whether users can request it. If not, only administrators and lifecycle rules assign it. */
  readonly requestable: boolean
  readonly requesters: PackageRequesters
  readonly approval: { readonly required: boolean; readonly stages: readonly ApprovalStage[] }
  readonly requesterJustificationRequired: boolean
  /** Missing: assignments do not expire. */
  readonly duration?: PackageDuration
  /** Packages that a user must not have at the same time (separation of duties), in both directions. */
  readonly incompatiblePackageIds: readonly string[]
  readonly ownerIds: readonly string[]
  readonly questions: readonly PackageQuestion[]
  /** Missing: only reviews that an administrator creates. */
  readonly review?: PackageReview
}

export type AccessPackageStatus = 'draft' | 'published' | 'archived'

export type AccessPackageEvent =
  | { type: 'access_package.created'; data: { packageId: string } & AccessPackageFields }
  | { type: 'access_package.updated'; data: { packageId: string; changes: readonly Change[] } }
  | { type: 'access_package.published'; data: { packageId: string } }
  | { type: 'access_package.archived'; data: { packageId: string } }
  | { type: 'access_package.deleted'; data: { packageId: string } }
