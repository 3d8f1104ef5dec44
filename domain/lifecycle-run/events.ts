import type { LifecycleAction, LifecycleActionType, LifecycleTriggerType } from '../lifecycle-rule/events.ts'
import type { Instant } from '../time.ts'

/** Why a rule acts on a user. */
export interface RunTrigger {
  /** `manual`: an administrator ran the rule for this user. */
  readonly type: LifecycleTriggerType | 'manual'
  /** Identifies what happened for this rule and user: the id of an event, or a date. It happens once. */
  readonly key: string
  /** The event that triggered it; null for dates */
  readonly eventId: string | null
  /** When it happened, or should have happened */
  readonly at: Instant
  /** For dates of the profile: that date. The run is skipped if it has changed before a delay is over. */
  readonly date?: string
}

export type RunStatus = 'scheduled' | 'running' | 'succeeded' | 'partially_failed' | 'failed' | 'skipped'

export type SkipReason =
  /** The change that triggered it was made by rules, which trigger each other. */
  | 'loop'
  | 'rule_not_enabled'
  | 'user_gone'
  /** During the delay, the user stopped matching the conditions, or the date was changed. */
  | 'no_longer_applies'

interface Subject {
  readonly runId: string
  readonly ruleId: string
  readonly userId: string
}

/** A message of an error that administrators can read. */
export interface StepError {
  readonly code: string
  readonly message: string
}

export type LifecycleRunEvent =
  | {
      type: 'lifecycle_run.created'
      data: Subject & {
        trigger: RunTrigger
        /** When the actions are due */
        dueAt: Instant
        /** As the rule says at the time of the trigger */
        actions: readonly LifecycleAction[]
        /** 1, or one more than the run that caused the trigger. */
        depth: number
        /**
         * The users who all must be global administrators for actions on an account with a role; null: such actions
         * are refused.
         */
        privilegedBy: readonly string[] | null
      }
    }
  | { type: 'lifecycle_run.skipped'; data: Subject & { reason: SkipReason } }
  | {
      type: 'lifecycle_run.email_sent'
      data: Subject & { step: number; recipientIds: readonly string[]; subject: string; text: string }
    }
  | {
      type: 'lifecycle_run.step_ended'
      data: Subject & {
        /** From 0 */
        step: number
        action: LifecycleActionType
        status: 'succeeded' | 'failed'
        error?: StepError
      }
    }
  | {
      type: 'lifecycle_run.finished'
      data: Subject & { status: 'succeeded' | 'partially_failed' | 'failed' }
    }
