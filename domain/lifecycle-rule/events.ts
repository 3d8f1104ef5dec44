import type { ReviewStage } from '../access-review/events.ts'
import type { Change } from '../changes.ts'
import type { GroupRule } from '../group/rule.ts'

/** Triggers by something that happened. */
export const eventTriggers = [
  'user_created',
  'user_activated',
  'attribute_changed',
  'group_joined',
  'group_left',
  'user_suspended',
] as const
/** Triggers by a date of the user's profile, at a time of day where the user is. */
export const profileDateTriggers = [
  'days_before_start',
  'days_after_start',
  'days_before_end',
  'on_end_date',
] as const
/** All triggers by time. */
export const dateTriggers = [...profileDateTriggers, 'inactive_days', 'assignment_expiring'] as const

export const lifecycleTriggerTypes = [...eventTriggers, ...dateTriggers] as const

export type EventTriggerType = (typeof eventTriggers)[number]
export type ProfileDateTriggerType = (typeof profileDateTriggers)[number]
export type DateTriggerType = (typeof dateTriggers)[number]
export type LifecycleTriggerType = (typeof lifecycleTriggerTypes)[number]

export interface LifecycleTrigger {
  readonly type: LifecycleTriggerType
  /** For `attribute_changed`: only this one. Missing: any. */
  readonly attribute?: string
  /** For `group_joined` and `group_left` */
  readonly groupId?: string
  /** For `assignment_expiring`: only assignments of this package. Missing: of any. */
  readonly packageId?: string
  /** For triggers that count days, from 0 */
  readonly days?: number
  /** For dates of the profile: HH:MM where the user is */
  readonly atTime?: string
  /** For dates of the profile: IANA zone of users who have none. Missing: UTC. */
  readonly timeZone?: string
}

/** Actions without parameters. */
export const plainActionTypes = [
  'remove_from_all_groups',
  'remove_all_packages',
  'cancel_requests',
  'suspend',
  'reactivate',
  'delete',
  'end_sessions',
  'revoke_tokens',
  'reset_methods',
] as const

export const lifecycleActionTypes = [
  'add_to_group',
  'remove_from_group',
  'assign_package',
  'remove_package',
  ...plainActionTypes,
  'send_email',
  'start_review',
] as const

export type LifecycleActionType = (typeof lifecycleActionTypes)[number]

export const emailRecipients = ['user', 'manager', 'users'] as const

export type LifecycleAction = {
  /** Whether the actions after it are carried out if it fails. */
  readonly continueOnError: boolean
} & (
  | { readonly type: 'add_to_group' | 'remove_from_group'; readonly groupId: string }
  /** `duration`: ISO 8601; missing: the assignment does not expire */
  | { readonly type: 'assign_package'; readonly packageId: string; readonly duration?: string }
  | { readonly type: 'remove_package'; readonly packageId: string }
  | { readonly type: (typeof plainActionTypes)[number] }
  | {
      readonly type: 'send_email'
      readonly to: (typeof emailRecipients)[number]
      /** For `users`; else empty */
      readonly userIds: readonly string[]
      readonly subject: string
      /** Plain text with placeholders */
      readonly text: string
    }
  /** An access review of all applications of the user */
  | {
      readonly type: 'start_review'
      readonly reviewers: ReviewStage
      /** How long reviewers have */
      readonly durationDays: number
    }
)

export const lifecycleCategories = ['joiner', 'mover', 'leaver'] as const

export interface LifecycleRuleFields {
  readonly name: string
  readonly description?: string
  readonly trigger: LifecycleTrigger
  /** Missing: every user. */
  readonly conditions?: GroupRule
  readonly actions: readonly LifecycleAction[]
  /** Between the trigger and the actions. */
  readonly delayMinutes: number
  readonly category?: (typeof lifecycleCategories)[number]
  /** If more users are due at once, or within an hour, the rule is paused instead. */
  readonly maxPerRun: number
}

/** Who saved or enabled a rule, and whether as a global administrator. */
export interface Authority {
  readonly userId: string | null
  readonly isGlobalAdmin: boolean
}

export type LifecycleRuleStatus = 'disabled' | 'enabled' | 'paused_by_guard'

export type LifecycleRuleEvent =
  | {
      type: 'lifecycle_rule.created'
      data: { ruleId: string; enabled: boolean; by: Authority } & LifecycleRuleFields
    }
  | { type: 'lifecycle_rule.updated'; data: { ruleId: string; changes: readonly Change[]; by: Authority } }
  | { type: 'lifecycle_rule.enabled'; data: { ruleId: string; by: Authority } }
  | { type: 'lifecycle_rule.disabled'; data: { ruleId: string } }
  /** More users were due than the rule may act on: `users` in an hour, of which `started` were started. */
  | { type: 'lifecycle_rule.paused'; data: { ruleId: string; users: number; started: number; limit: number } }
  | { type: 'lifecycle_rule.deleted'; data: { ruleId: string } }
