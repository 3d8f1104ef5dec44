import { Type } from 'typebox'
import { idOf } from '../http/route.ts'
import { nullable, prose, Time, timeInput, Version } from '../http/schemas.ts'
import { ApprovalStages, duration } from './access-package-schemas.ts'

export const RequestStatuses = Type.Enum([
  'pending',
  'approved',
  'scheduled',
  'delivered',
  'failed',
  'denied',
  'cancelled',
  'expired',
])
const RequestTypes = Type.Enum(['grant', 'extend', 'remove'], {
  description: 'extend and remove are about a package that the user has; nobody has to approve a removal',
})

const person = Type.Object({ id: idOf('user'), name: Type.String() })
const nullableTime = nullable(Time)

export const AccessRequest = Type.Object(
  {
    id: idOf('accessRequest'),
    packageId: idOf('accessPackage'),
    packageName: Type.String({ description: 'at the time of the request' }),
    requester: person,
    forUser: Type.Object(person.properties, { description: 'who gets the access' }),
    type: RequestTypes,
    status: RequestStatuses,
    justification: nullable(Type.String()),
    answers: Type.Record(Type.String(), Type.Union([Type.String(), Type.Boolean()]), {
      description: 'by the ids of the questions',
    }),
    requestedDuration: nullable(Type.String()),
    startsAt: nullableTime,
    stages: ApprovalStages,
    stage: Type.Integer({ description: 'the current stage, from 1; 0 if no approval is required' }),
    eligibleApprovers: Type.Array(person, { description: 'who can decide it now' }),
    approverOrigin: nullable(
      Type.Enum(['stage', 'escalation', 'owners', 'administrators', 'reassigned'], {
        description:
          'why they decide: the stage names them; nobody of it can, so it goes to the escalation, the owners or global administrators; or somebody reassigned it',
      }),
    ),
    decisions: Type.Array(
      Type.Object({
        approverId: nullable(idOf('user')),
        approverName: nullable(Type.String()),
        decision: Type.Enum(['approve', 'deny']),
        comment: nullable(Type.String()),
        at: Time,
        stage: Type.Integer(),
      }),
      { description: 'oldest first; without an approver if no approval was required' },
    ),
    expiresAt: nullable(Type.String({ format: 'date-time', description: 'until when it can be decided' })),
    decidedAt: nullableTime,
    assignmentId: nullable(idOf('packageAssignment')),
    error: nullable(Type.String({ description: 'why it could not be delivered' })),
    createdAt: Time,
    updatedAt: Time,
    version: Version,
  },
  { title: 'AccessRequest' },
)

export const accessRequestInput = {
  packageId: idOf('accessPackage'),
  type: Type.Optional(RequestTypes),
  forUserId: Type.Optional(idOf('user', { description: 'one of your reports; default: yourself' })),
  justification: Type.Optional(prose(2000)),
  answers: Type.Optional(
    Type.Record(
      Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' }),
      Type.Union([Type.String({ ...prose(2000), minLength: 0 }), Type.Boolean()]),
      { maxProperties: 20, additionalProperties: false, description: 'by the ids of the questions' },
    ),
  ),
  requestedDuration: Type.Optional(duration('if the package lets you choose')),
  startsAt: Type.Optional(timeInput('within the next year; default: once it is approved')),
}

export const commentInput = { comment: Type.Optional(prose(2000)) }
export const denialInput = { comment: prose(2000) }
