import { Type } from 'typebox'
import { idOf } from '../http/route.ts'
import { nullable, Time } from './schemas.ts'

export const via = Type.Enum(['assigned', 'rule', 'package', 'scim', 'lifecycle'])

const Path = Type.Object(
  {
    groupId: idOf('group'),
    groupName: Type.String(),
    via,
    sourceId: nullable(Type.String()),
    since: Time,
    until: nullable(Time),
  },
  { title: 'AccessPath', description: 'the group that gives access, and how the person came into it' },
)

/** Who reaches what, and why, from either side. */
export const Access = {
  ofPerson: Type.Object(
    {
      applicationId: idOf('application'),
      name: Type.String(),
      status: Type.Enum(['active', 'disabled', 'deleted']),
      via: Type.Array(Path),
    },
    { title: 'PersonAccess' },
  ),
  toApplication: Type.Object(
    {
      userId: idOf('user'),
      email: Type.String(),
      name: Type.String(),
      status: Type.Enum(['invited', 'active', 'suspended', 'deleted']),
      via: Type.Array(Path),
    },
    { title: 'ApplicationAccess' },
  ),
} as const
