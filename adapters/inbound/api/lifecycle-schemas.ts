import { Type } from 'typebox'
import {
  emailRecipients,
  lifecycleActionTypes,
  lifecycleCategories,
  lifecycleTriggerTypes,
  plainActionTypes,
  type LifecycleAction,
} from '../../../domain/lifecycle-rule/events.ts'
import { placeholders } from '../../../domain/lifecycle-rule/message.ts'
import { usualReviewSchedule } from '../../../domain/access-review/settings.ts'
import { duration } from './access-package-schemas.ts'
import { ReviewStage, ReviewStageShown } from './access-review-schemas.ts'
import { Rule, RuleInput } from './group-schemas.ts'
import { fields, idOf, oneOf } from '../http/route.ts'
import { clearable, line, nullable, printable, prose, Time, Version } from '../http/schemas.ts'

export const LifecycleStatuses = Type.Enum(['disabled', 'enabled', 'paused_by_guard'], {
  description: 'paused_by_guard: more users were due than maxPerRun; enable it again to continue',
})
export const RunStatuses = Type.Enum([
  'scheduled',
  'running',
  'succeeded',
  'partially_failed',
  'failed',
  'skipped',
])
export const Categories = Type.Enum([...lifecycleCategories])

const days = Type.Integer({ minimum: 0, maximum: 3650 })

const TriggerInput = fields(
  {
    type: Type.Enum([...lifecycleTriggerTypes]),
    attribute: Type.Optional(
      printable(80, 'for attribute_changed: a field of the profile or custom.<key>; missing: any'),
    ),
    groupId: Type.Optional(idOf('group', { description: 'for group_joined and group_left' })),
    packageId: Type.Optional(
      idOf('accessPackage', { description: 'for assignment_expiring; missing: any package' }),
    ),
    days: Type.Optional(days),
    atTime: Type.Optional(
      Type.String({
        pattern: '^(?:[01][0-9]|2[0-3]):[0-5][0-9]$',
        title: 'a time of day as HH:MM',
        examples: ['17:00'],
        description:
          'where the user is, for dates of the profile; default: 17:00 for on_end_date, else 09:00',
      }),
    ),
    timeZone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 60,
        pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$',
        title: 'an IANA time zone',
        examples: ['Europe/Berlin'],
        description: 'of users who have none; default: UTC',
      }),
    ),
  },
  { title: 'LifecycleTriggerInput' },
)

const continueOnError = Type.Optional(
  Type.Boolean({ default: true, description: 'false: a failure ends the run' }),
)

const ActionInput = oneOf([
  fields(
    {
      type: Type.Enum(['add_to_group', 'remove_from_group']),
      groupId: idOf('group'),
      continueOnError,
    },
    { title: 'LifecycleGroupActionInput' },
  ),
  fields(
    {
      type: Type.Literal('assign_package'),
      packageId: idOf('accessPackage'),
      duration: Type.Optional(duration('after which the assignment expires')),
      continueOnError,
    },
    { title: 'LifecycleAssignActionInput' },
  ),
  fields(
    { type: Type.Literal('remove_package'), packageId: idOf('accessPackage'), continueOnError },
    { title: 'LifecyclePackageActionInput' },
  ),
  fields({ type: Type.Enum([...plainActionTypes]), continueOnError }, { title: 'LifecyclePlainActionInput' }),
  fields(
    {
      type: Type.Literal('send_email'),
      to: Type.Enum([...emailRecipients], {
        description: 'the user whom the rule acts on, their manager, or the named users',
      }),
      userIds: Type.Optional(
        Type.Array(idOf('user'), { maxItems: 10, uniqueItems: true, description: 'for to: users' }),
      ),
      subject: line(150, 'Welcome, {{user.name}}'),
      text: Type.String({
        ...prose(4000),
        description: `plain text without links; placeholders: ${placeholders.map((name) => `{{${name}}}`).join(', ')}`,
      }),
      continueOnError,
    },
    { title: 'LifecycleEmailActionInput' },
  ),
  fields(
    {
      type: Type.Literal('start_review'),
      reviewers: ReviewStage,
      durationDays: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 180, default: usualReviewSchedule.durationDays }),
      ),
      continueOnError,
    },
    { title: 'LifecycleReviewActionInput', description: 'an access review of all applications of the user' },
  ),
])

const actions = Type.Array(ActionInput, {
  minItems: 1,
  maxItems: 20,
  description: 'carried out in this order',
})

type SentAction = { readonly type: string; readonly continueOnError?: boolean | undefined }

/** Actions with the defaults of what was not sent. */
export const completedActions = (all: readonly SentAction[]): readonly LifecycleAction[] =>
  all.map(
    ({ continueOnError = true, ...action }) =>
      ({
        ...(action.type === 'start_review' ? { durationDays: usualReviewSchedule.durationDays } : {}),
        ...action,
        ...(action.type === 'send_email' && !('userIds' in action) ? { userIds: [] } : {}),
        continueOnError,
      }) as unknown as LifecycleAction,
  )

/** The fields of a lifecycle rule in requests. */
export const lifecycleRuleInput = {
  name: line(100, 'New employees'),
  trigger: TriggerInput,
  actions,
}

export const lifecycleRuleOptions = {
  description: clearable(prose(1000)),
  conditions: clearable(RuleInput),
  delayMinutes: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 525_600, default: 0, description: 'between trigger and actions' }),
  ),
  category: clearable(Categories),
  maxPerRun: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 5000,
      default: 100,
      description: 'if more users are due in an hour, the rule is paused instead',
    }),
  ),
}

const Trigger = Type.Object(
  {
    type: Type.Enum([...lifecycleTriggerTypes]),
    attribute: Type.Optional(Type.String()),
    groupId: Type.Optional(Type.String()),
    packageId: Type.Optional(Type.String()),
    days: Type.Optional(Type.Integer()),
    atTime: Type.Optional(Type.String()),
    timeZone: Type.Optional(Type.String()),
  },
  { title: 'LifecycleTrigger' },
)

const Action = Type.Object(
  {
    type: Type.Enum([...lifecycleActionTypes]),
    continueOnError: Type.Boolean(),
    groupId: Type.Optional(Type.String()),
    packageId: Type.Optional(Type.String()),
    duration: Type.Optional(Type.String()),
    to: Type.Optional(Type.Enum([...emailRecipients])),
    userIds: Type.Optional(Type.Array(Type.String())),
    subject: Type.Optional(Type.String()),
    text: Type.Optional(Type.String()),
    reviewers: Type.Optional(ReviewStageShown),
    durationDays: Type.Optional(Type.Integer()),
  },
  { title: 'LifecycleAction' },
)

const account = nullable(Type.Object({ id: Type.String(), name: nullable(Type.String()) }))
const nullableTime = nullable(Time)

export const LifecycleRule = Type.Object(
  {
    id: idOf('lifecycleRule'),
    status: LifecycleStatuses,
    enabled: Type.Boolean(),
    name: Type.String(),
    description: nullable(Type.String()),
    trigger: Trigger,
    conditions: nullable(Rule),
    actions: Type.Array(Action),
    delayMinutes: Type.Integer(),
    category: nullable(Categories),
    maxPerRun: Type.Integer(),
    names: Type.Record(Type.String(), Type.String(), {
      description: 'of the users, groups and access packages in it, by id',
    }),
    savedBy: account,
    enabledBy: account,
    actsOnAdministrators: Type.Boolean({
      description:
        'whether it acts on accounts with a role: only if global administrators last saved and enabled it, and still are',
    }),
    pausedAt: nullableTime,
    pausedUsers: nullable(Type.Integer({ description: 'how many users were due when it was paused' })),
    pausedStarted: nullable(Type.Integer({ description: 'how many of them were started before' })),
    lastRunAt: nullableTime,
    runCount: Type.Integer(),
    createdAt: Time,
    updatedAt: Time,
    version: Version,
  },
  { title: 'LifecycleRule' },
)

export const LifecycleRun = Type.Object(
  {
    id: idOf('run'),
    ruleId: idOf('lifecycleRule'),
    ruleName: Type.String(),
    userId: idOf('user'),
    userName: Type.String(),
    status: RunStatuses,
    trigger: Type.Enum([...lifecycleTriggerTypes, 'manual']),
    triggerEventId: nullable(Type.String({ description: 'of the recorded event; null for dates' })),
    triggeredAt: Time,
    dueAt: Time,
    depth: Type.Integer({ description: 'more than 1 if another run caused it; at most 5' }),
    steps: Type.Array(
      Type.Object({
        action: Type.Enum([...lifecycleActionTypes]),
        status: Type.Enum(['pending', 'succeeded', 'failed', 'not_run']),
        error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
        at: nullableTime,
      }),
    ),
    skipReason: nullable(Type.Enum(['loop', 'rule_not_enabled', 'user_gone', 'no_longer_applies'])),
    createdAt: Time,
    startedAt: nullableTime,
    finishedAt: nullableTime,
    eventId: nullable(idOf('auditEvent')),
  },
  { title: 'LifecycleRun' },
)

export const LifecyclePreview = Type.Object(
  {
    total: Type.Integer({ description: 'at most 1000 are counted' }),
    users: Type.Array(
      Type.Object({
        id: idOf('user'),
        name: Type.String(),
        email: Type.String(),
        at: nullable(Type.String({ format: 'date-time', description: 'for dates: when' })),
        hasRole: Type.Boolean({ description: 'the account has an administrator role' }),
      }),
      { description: 'the first 200' },
    ),
    wouldPause: Type.Boolean({ description: 'whether they are more than maxPerRun' }),
  },
  { title: 'LifecyclePreview' },
)

export const LifecycleSchedule = Type.Array(
  Type.Object(
    {
      ruleId: idOf('lifecycleRule'),
      ruleName: Type.String(),
      trigger: Type.Enum([...lifecycleTriggerTypes]),
      at: Time,
    },
    { title: 'LifecycleScheduled' },
  ),
)
