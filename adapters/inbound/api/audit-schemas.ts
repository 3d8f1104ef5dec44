import { Type } from 'typebox'
import { idOf } from '../http/route.ts'
import { nullable, Time } from '../http/schemas.ts'

const Change = Type.Object({
  field: Type.String(),
  from: Type.Unknown(),
  to: Type.Unknown({ description: '• replaces a secret' }),
})

export const AuditEvent = Type.Object(
  {
    id: idOf('auditEvent'),
    time: Time,
    actorId: nullable(Type.String({ description: 'null for actions of the service itself' })),
    actorType: Type.Enum(['user', 'service_account', 'system', 'scim', 'cli']),
    actorName: nullable(Type.String({ description: 'at the time of the entry' })),
    credential: Type.Object({
      type: Type.String({ description: 'session, api_key, cli_token or none' }),
      id: nullable(Type.String()),
    }),
    action: Type.String({ examples: ['user.invite'] }),
    summary: Type.String(),
    targetType: Type.String({ examples: ['user'] }),
    targetId: Type.String(),
    target: Type.String({ description: 'name at that time, or id if it has no name' }),
    otherId: nullable(
      Type.String({ description: 'the other party: the user of a membership, the group of an assignment' }),
    ),
    other: nullable(Type.String({ description: 'name at that time' })),
    ip: nullable(Type.String()),
    userAgent: nullable(
      Type.String({
        maxLength: 256,
        description:
          'of the request; null for actions without a request, and for entries recorded before this field existed',
      }),
    ),
    correlationId: Type.String({ description: 'shared by all entries of one request' }),
    causationId: nullable(
      Type.String({ description: 'the event, lifecycle run or access review that caused this one' }),
    ),
    changes: Type.Array(Change),
    outcome: Type.Enum(['success', 'denied'], { description: 'denied: the service rejected the attempt' }),
    position: Type.String({ description: 'position in the event log; increases' }),
    hash: Type.String({ description: 'hash of its leaf in the audit tree (RFC 6962 §2.1), base64' }),
  },
  { title: 'AuditEvent' },
)
