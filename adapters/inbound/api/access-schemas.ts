import { Type } from 'typebox'
import { membershipVias } from '../../../domain/membership/events.ts'
import { causes } from '../../../read-models/queries/access-changes.ts'
import { idOf } from '../http/route.ts'
import { nullable, Time } from '../http/schemas.ts'

export const via = Type.Enum([...membershipVias])

const personStatus = Type.Enum(['invited', 'active', 'suspended', 'deleted'])
const applicationStatus = Type.Enum(['active', 'disabled', 'deleted'])

/** The actor, with the name at the time of the action. */
const Actor = Type.Object({ id: Type.String(), name: nullable(Type.String()) }, { title: 'ActorThen' })

const reaches = Type.Boolean({
  description: 'true while the user and the application are both active',
})

const PackageSource = Type.Object(
  {
    id: idOf('accessPackage'),
    name: Type.String(),
    requestId: nullable(
      idOf('accessRequest', { description: 'null if an administrator or a lifecycle rule assigned it' }),
    ),
    approvedBy: Type.Array(Type.String(), { description: 'empty if no approval was required' }),
    justification: nullable(Type.String({ description: 'of the request' })),
  },
  { title: 'PackageSource', description: 'for via package: the package, who approved it and why' },
)

const LifecycleSource = Type.Object(
  { id: idOf('lifecycleRule'), name: Type.String() },
  { title: 'LifecycleSource', description: 'for via lifecycle: the rule' },
)

const granted = {
  package: nullable(PackageSource),
  lifecycleRule: nullable(LifecycleSource),
  grantedBy: nullable(Actor),
  eventId: nullable(idOf('auditEvent', { description: 'audit entry of the membership' })),
}

const Path = Type.Object(
  {
    groupId: idOf('group'),
    groupName: Type.String(),
    via,
    sourceId: nullable(Type.String()),
    since: Time,
    until: nullable(Time),
    ...granted,
    assignedBy: nullable(Actor),
    assignmentEventId: nullable(
      idOf('auditEvent', { description: "audit entry of the group's assignment to the application" }),
    ),
  },
  { title: 'AccessPath', description: 'the group that gives access, and how the user became a member' },
)

/** Which users have access to which applications, and why: by user or by application. */
export const Access = {
  ofPerson: Type.Object(
    {
      applicationId: idOf('application'),
      name: Type.String(),
      status: applicationStatus,
      reaches,
      via: Type.Array(Path),
    },
    { title: 'PersonAccess' },
  ),
  toApplication: Type.Object(
    {
      userId: idOf('user'),
      email: Type.String(),
      name: Type.String(),
      status: personStatus,
      reaches,
      via: Type.Array(Path),
    },
    { title: 'ApplicationAccess' },
  ),
} as const

const Cause = Type.Object(
  {
    what: Type.Enum([...causes]),
    at: Time,
    by: nullable(Actor),
    eventId: nullable(idOf('auditEvent')),
    groupId: nullable(idOf('group')),
    via: nullable(via),
    reason: nullable(Type.String()),
  },
  { title: 'AccessCause' },
)

const changed = { change: Type.Enum(['gained', 'lost']), causes: Type.Array(Cause) }

const Side = Type.Object(
  {
    reaches,
    personStatus: nullable(personStatus),
    applicationStatus: nullable(applicationStatus),
    via: Type.Array(Path),
  },
  { title: 'AccessSide' },
)
const sides = { before: Side, after: Side }

const MemberSide = Type.Array(
  Type.Object(
    { via, sourceId: nullable(Type.String()), since: Time, until: nullable(Time), ...granted },
    { title: 'MembershipThen' },
  ),
)

const person = { userId: idOf('user'), email: Type.String(), name: Type.String() }

/** Access that users gained or lost between two times: by user, application or group. */
export const AccessChanges = {
  ofApplication: Type.Object({ ...person, ...sides, ...changed }, { title: 'ApplicationAccessChange' }),
  ofPerson: Type.Object(
    { applicationId: idOf('application'), name: Type.String(), ...sides, ...changed },
    { title: 'PersonAccessChange' },
  ),
  ofGroup: Type.Object(
    { ...person, before: MemberSide, after: MemberSide, ...changed },
    { title: 'GroupMemberChange' },
  ),
} as const
