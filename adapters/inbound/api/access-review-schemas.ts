import { Type } from 'typebox'
import { usualReviewSchedule } from '../../../domain/access-review/settings.ts'
import { membershipVias } from '../../../domain/membership/events.ts'
import { riskLevels } from '../../../domain/risk/events.ts'
import { roleKeys } from '../../../domain/roles.ts'
import { idOf } from '../http/route.ts'
import { clearable, line, nullable, prose, Time, timeInput, Version } from '../http/schemas.ts'

const strict = { additionalProperties: false } as const

export const ReviewStatuses = Type.Enum([
  'scheduled',
  'active',
  'closed',
  'applying',
  'completed',
  'cancelled',
])
export const ItemDecisions = Type.Enum(['approved', 'revoked', 'abstained'])
export const ItemStates = Type.Enum(['pending', 'approved', 'revoked', 'abstained'])
export const Recommendations = Type.Enum(['approve', 'revoke', 'none'])
export const ApplyStatuses = Type.Enum(['none', 'pending', 'applied', 'failed', 'manual'], {
  description: 'manual: something gives the access that only people can change; applyError says what',
})

const scopeType = Type.Enum(['application', 'group', 'package', 'role', 'user', 'service_account'], {
  description:
    'everybody with access to these applications, groups, packages or roles; the applications of these users; the roles of these service accounts',
})

const Scope = Type.Object(
  {
    type: scopeType,
    ids: Type.Array(
      Type.Union([
        idOf('application'),
        idOf('group'),
        idOf('accessPackage'),
        idOf('user'),
        Type.Enum(roleKeys),
      ]),
      { minItems: 1, maxItems: 200, uniqueItems: true, description: 'for role the keys of roles' },
    ),
    userFilter: Type.Optional(
      Type.Object(
        {
          groupIds: Type.Optional(
            Type.Array(idOf('group'), {
              minItems: 1,
              maxItems: 50,
              uniqueItems: true,
              description: 'members only',
            }),
          ),
          inactiveDays: Type.Optional(
            Type.Integer({ minimum: 1, maximum: 1000, description: 'no sign-in for so many days' }),
          ),
          riskLevel: Type.Optional(
            Type.Enum([...riskLevels], { description: 'with an open risk of this level, or a higher one' }),
          ),
        },
        strict,
      ),
    ),
  },
  { ...strict, title: 'ReviewScope' },
)

const reviewerTypes = Type.Enum(['manager', 'users', 'groups', 'owners', 'self'], {
  description:
    'manager: of the user; owners: of the group or package, for an application of the groups that give it; self: the user',
})

export const ReviewStage = Type.Object(
  {
    type: reviewerTypes,
    ids: Type.Array(Type.Union([idOf('user'), idOf('group')]), {
      maxItems: 50,
      uniqueItems: true,
      description: 'of users or groups; empty for the other types',
    }),
    fallbackIds: Type.Array(idOf('user'), {
      maxItems: 50,
      uniqueItems: true,
      description: 'users who review what nobody else of the stage can',
    }),
  },
  { ...strict, title: 'ReviewStage' },
)

/** The same in replies: it can name users and groups that do not exist any more. */
export const ReviewStageShown = Type.Object({
  type: reviewerTypes,
  ids: Type.Array(Type.String()),
  fallbackIds: Type.Array(Type.String()),
})

const startsAt = timeInput()
const durationDays = Type.Integer({ minimum: 1, maximum: 180 })
const repeat = Type.Enum(['none', 'monthly', 'quarterly', 'semiannual', 'annual'])

const Settings = Type.Object(
  {
    justificationRequired: Type.Enum(['never', 'on_revoke', 'always']),
    selfReview: Type.Boolean({ description: 'whether users may review their own access' }),
    bulkDecisions: Type.Boolean(),
    reminders: Type.Array(Type.Integer({ minimum: 1, maximum: 179 }), {
      maxItems: 10,
      uniqueItems: true,
      description: 'days before the end',
    }),
    recommendationInactiveDays: Type.Integer({ minimum: 1, maximum: 1000 }),
    onNoResponse: Type.Enum(['keep', 'revoke', 'recommendation']),
    autoApply: Type.Boolean(),
  },
  { ...strict, title: 'ReviewSettings' },
)

/** The schedule and the settings of a new review, which have defaults. */
export const newReview = {
  schedule: Type.Object(
    {
      startsAt,
      durationDays: Type.Optional({ ...durationDays, default: usualReviewSchedule.durationDays }),
      repeat: Type.Optional({ ...repeat, default: usualReviewSchedule.repeat }),
    },
    strict,
  ),
  settings: Type.Optional(Type.Partial(Settings, { ...strict, description: 'missing ones have defaults' })),
}

/** The fields of an access review in requests. */
export const accessReviewInput = {
  name: line(100, 'Quarterly review of Payroll'),
  scope: Scope,
  stages: Type.Array(ReviewStage, { minItems: 1, maxItems: 2 }),
  schedule: Type.Object({ startsAt, durationDays, repeat }, strict),
  settings: Settings,
}

export const accessReviewOptions = { description: clearable(prose(1000)) }

export const AccessReview = Type.Object(
  {
    id: idOf('accessReview'),
    name: Type.String(),
    description: nullable(Type.String()),
    scope: Type.Object({
      type: scopeType,
      ids: Type.Array(Type.String()),
      userFilter: Type.Optional(
        Type.Object({
          groupIds: Type.Optional(Type.Array(Type.String())),
          inactiveDays: Type.Optional(Type.Integer()),
          riskLevel: Type.Optional(Type.Enum([...riskLevels])),
        }),
      ),
    }),
    stages: Type.Array(ReviewStageShown),
    schedule: Type.Object({
      startsAt: Time,
      durationDays: Type.Integer(),
      repeat,
    }),
    settings: Settings,
    status: ReviewStatuses,
    snapshotAt: nullable(Type.String({ description: 'log position at which the items are computed' })),
    startedAt: nullable(Time),
    endsAt: nullable(Time),
    openedAt: nullable(Time),
    closedAt: nullable(Time),
    completedAt: nullable(Time),
    previousReviewId: nullable(idOf('accessReview')),
    counts: Type.Object({
      total: Type.Integer(),
      pending: Type.Integer(),
      approved: Type.Integer(),
      revoked: Type.Integer(),
      abstained: Type.Integer(),
      applied: Type.Integer(),
      failed: Type.Integer(),
      manual: Type.Integer(),
    }),
    names: Type.Record(Type.String(), Type.String(), {
      description: 'of what is reviewed, and of the reviewers, by id',
    }),
    createdAt: Time,
    updatedAt: Time,
    version: Version,
  },
  { title: 'AccessReview' },
)

const Path = Type.Object(
  {
    via: Type.Enum([...membershipVias, 'direct']),
    groupId: Type.Optional(Type.String()),
    groupName: Type.Optional(Type.String()),
    sourceId: Type.Optional(Type.String()),
    packageId: Type.Optional(Type.String()),
    requestId: Type.Optional(Type.String()),
    since: Time,
  },
  { title: 'ReviewedPath' },
)

export const AccessReviewItem = Type.Object(
  {
    id: idOf('accessReviewItem'),
    reviewId: idOf('accessReview'),
    userId: idOf('user'),
    userName: Type.String(),
    userEmail: nullable(Type.String()),
    resource: Type.Object({
      type: Type.Enum(['application', 'group', 'package', 'role']),
      id: Type.String(),
      name: Type.String(),
    }),
    accessVia: Type.Array(Path, {
      description: 'every way in which the user had the access at the snapshot',
    }),
    lastUsedAt: nullable(Time),
    recommendation: Recommendations,
    recommendationReason: Type.Enum(['recently_used', 'not_used', 'user_not_active', 'recently_granted']),
    stage: Type.Integer({ description: 'that decides, or has decided' }),
    reviewers: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
    decision: ItemStates,
    decisions: Type.Array(
      Type.Object({
        reviewerId: nullable(Type.String()),
        reviewerName: nullable(Type.String()),
        decision: ItemDecisions,
        justification: nullable(Type.String()),
        at: Time,
        stage: Type.Integer(),
      }),
      {
        description:
          'of each stage and each change of mind, oldest first; reviewerId null: nobody decided in time',
      },
    ),
    decidedAt: nullable(Time),
    applyStatus: ApplyStatuses,
    applyError: nullable(Type.String()),
  },
  { title: 'AccessReviewItem' },
)

export const decisionInput = {
  decision: ItemDecisions,
  justification: Type.Optional(prose(1000)),
}

export const bulkDecisionInput = {
  itemIds: Type.Array(idOf('accessReviewItem'), { minItems: 1, maxItems: 200, uniqueItems: true }),
  ...decisionInput,
}
