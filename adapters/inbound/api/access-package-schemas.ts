import { Type } from 'typebox'
import { assignmentVias } from '../../../domain/package-assignment/events.ts'
import { idOf } from '../http/route.ts'
import { clearable, line, nullable, prose, Time, timeInput, Version } from '../http/schemas.ts'
import { ReviewStage, ReviewStageShown } from './access-review-schemas.ts'

export const PackageStatuses = Type.Enum(['draft', 'published', 'archived'])
const approverTypes = Type.Enum(['users', 'groups', 'manager', 'package_owners'], {
  description: 'manager: the manager of the user who gets the access',
})
const modes = Type.Enum(['any', 'all'], {
  description: 'whether one approver is enough, or all must approve',
})

/** Of a duration; the rules say which ones are valid. */
export const duration = (description: string) =>
  Type.String({
    minLength: 2,
    maxLength: 40,
    pattern: '^P[0-9A-Z]+$',
    title: 'an ISO 8601 duration without seconds, from one minute to ten years',
    examples: ['P90D'],
    description,
  })

const ids = <K extends 'group' | 'user' | 'accessPackage'>(kind: K, maxItems: number, description: string) =>
  Type.Array(idOf(kind), { maxItems, uniqueItems: true, description })

const questionId = Type.String({
  pattern: '^[a-z][a-z0-9_]{0,39}$',
  title: 'up to 40 lower-case letters, digits and underscores, starting with a letter',
  examples: ['cost_centre'],
})

const Question = {
  id: questionId,
  label: line(200, 'Which cost centre pays?'),
  type: Type.Enum(['text', 'choice', 'boolean']),
  choices: Type.Optional(
    Type.Array(line(100, 'Sales'), { maxItems: 50, uniqueItems: true, description: 'for type choice' }),
  ),
  required: Type.Boolean(),
}

const Stage = {
  approvers: Type.Object(
    {
      type: approverTypes,
      ids: Type.Array(Type.Union([idOf('user'), idOf('group')]), {
        maxItems: 50,
        uniqueItems: true,
        description: 'of users or groups; empty for the other types',
      }),
    },
    { additionalProperties: false },
  ),
  mode: modes,
  timeoutHours: Type.Integer({
    minimum: 1,
    maximum: 720,
    default: 336,
    description: 'after which the request escalates or expires',
  }),
  escalateTo: Type.Optional(
    idOf('user', { description: 'who decides if nobody else can, or nobody has in time' }),
  ),
  justificationRequired: Type.Boolean({
    description: 'whether an approval needs a comment; a denial always does',
  }),
}

const strict = { additionalProperties: false } as const

const Grants = Type.Array(Type.Object({ type: Type.Enum(['group']), groupId: idOf('group') }, strict), {
  minItems: 1,
  maxItems: 50,
  description: 'the groups that users with the package are members of',
})

const Requesters = Type.Object(
  {
    scope: Type.Enum(['everyone', 'groups']),
    groupIds: ids('group', 50, 'for the scope groups'),
  },
  { ...strict, description: 'who may request it' },
)

const Approval = Type.Object(
  {
    required: Type.Boolean(),
    stages: Type.Array(Type.Object(Stage, strict), { maxItems: 3, description: 'in order' }),
  },
  strict,
)

const DurationSettings = {
  default: Type.Optional(duration('of an assignment unless the requester chooses')),
  max: Type.Optional(duration('that a requester may choose')),
  requesterMayChoose: Type.Boolean(),
}

const Review = Type.Object(
  {
    everyDays: Type.Integer({
      minimum: 7,
      maximum: 1000,
      description: 'from the publication, and from one review to the next',
    }),
    reviewers: ReviewStage,
  },
  { ...strict, description: 'regular access reviews of everybody who has the package; null: none' },
)

/** The fields of an access package in requests. */
export const accessPackageInput = {
  name: line(100, 'Finance reports'),
  grants: Grants,
}

export const accessPackageOptions = {
  requestable: Type.Optional(
    Type.Boolean({ default: true, description: 'false: only administrators and lifecycle rules assign it' }),
  ),
  requesters: Type.Optional(Requesters),
  approval: Type.Optional(Approval),
  requesterJustificationRequired: Type.Optional(Type.Boolean({ default: true })),
  incompatiblePackageIds: Type.Optional(
    ids(
      'accessPackage',
      50,
      'packages that a user must not have at the same time (separation of duties), in both directions',
    ),
  ),
  ownerIds: Type.Optional(ids('user', 50, 'users who decide if no approver can')),
  questions: Type.Optional(
    Type.Array(Type.Object(Question, strict), { maxItems: 20, description: 'asked with a request' }),
  ),
  description: clearable(prose(1000)),
  review: clearable(Review),
  duration: clearable(
    Type.Object(DurationSettings, { ...strict, description: 'null: assignments do not expire' }),
  ),
}

const named = <K extends 'group' | 'user' | 'accessPackage'>(kind: K) =>
  Type.Object({ id: idOf(kind), name: nullable(Type.String()) })

const StageShown = Type.Object({
  ...Stage,
  approvers: Type.Object({ type: approverTypes, ids: Type.Array(Type.String()) }),
  escalateTo: Type.Optional(Type.String()),
})

export const ApprovalStages = Type.Array(StageShown)

const questions = Type.Array(Type.Object(Question))
const durationShown = nullable(Type.Object(DurationSettings))

export const AccessPackage = Type.Object(
  {
    id: idOf('accessPackage'),
    status: PackageStatuses,
    name: Type.String(),
    description: nullable(Type.String()),
    groups: Type.Array(named('group'), { description: 'that it grants' }),
    requestable: Type.Boolean(),
    requesters: Type.Object({
      scope: Type.Enum(['everyone', 'groups']),
      groupIds: Type.Array(Type.String()),
    }),
    approval: Type.Object({ required: Type.Boolean(), stages: ApprovalStages }),
    requesterJustificationRequired: Type.Boolean(),
    duration: durationShown,
    incompatiblePackages: Type.Array(named('accessPackage')),
    owners: Type.Array(named('user')),
    questions,
    review: nullable(Type.Object({ everyDays: Type.Integer(), reviewers: ReviewStageShown })),
    nextReviewAt: nullable(Time),
    names: Type.Record(Type.String(), Type.String(), {
      description: 'of the users and groups in requesters, approval and review, by id',
    }),
    assignments: Type.Integer({ description: 'current and scheduled' }),
    pendingRequests: Type.Integer(),
    createdAt: Time,
    updatedAt: Time,
    version: Version,
  },
  { title: 'AccessPackage' },
)

const nullableTime = nullable(Time)

export const PackageAssignment = Type.Object(
  {
    id: idOf('packageAssignment'),
    userId: idOf('user'),
    userName: Type.String(),
    packageId: idOf('accessPackage'),
    packageName: Type.String(),
    status: Type.Enum(['scheduled', 'active', 'expired', 'revoked', 'failed'], {
      description: 'expired from its end on, even before an event records it',
    }),
    via: Type.Enum([...assignmentVias]),
    requestId: nullable(idOf('accessRequest')),
    startsAt: Time,
    expiresAt: nullableTime,
    grantedAt: Time,
    grantedBy: nullable(Type.String()),
    endedAt: nullableTime,
    endedBy: nullable(Type.String()),
    endReason: nullable(Type.String()),
    eventId: nullable(idOf('auditEvent')),
  },
  { title: 'PackageAssignment' },
)

export const assignmentInput = {
  userId: idOf('user'),
  expiresAt: clearable(timeInput('null or missing: it does not expire')),
}

export const RequestablePackage = Type.Object(
  {
    id: idOf('accessPackage'),
    name: Type.String(),
    description: nullable(Type.String()),
    groups: Type.Array(named('group')),
    approvalRequired: Type.Boolean(),
    requesterJustificationRequired: Type.Boolean(),
    duration: durationShown,
    questions,
    requestable: Type.Boolean({ description: 'false: the user has it, and nobody can request it' }),
    assignment: nullable(
      Type.Object({
        id: idOf('packageAssignment'),
        status: Type.Enum(['scheduled', 'active']),
        startsAt: Time,
        expiresAt: nullableTime,
      }),
    ),
    pendingRequestId: nullable(idOf('accessRequest')),
  },
  { title: 'RequestablePackage' },
)
