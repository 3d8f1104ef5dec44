import { Type } from 'typebox'
import { idOf } from '../http/route.ts'
import { nullable, Time } from '../http/schemas.ts'

const Change = Type.Object({
  field: Type.String(),
  from: Type.Unknown(),
  to: Type.Unknown({ description: '• stands for a secret' }),
})

export const AuditEvent = Type.Object(
  {
    id: idOf('auditEvent'),
    time: Time,
    actorId: nullable(Type.String({ description: 'null for what the service did by itself' })),
    actorType: Type.Enum(['user', 'service_account', 'system', 'scim', 'cli']),
    actorName: nullable(Type.String({ description: 'as it was at that time' })),
    credential: Type.Object({
      type: Type.String({ description: 'session, api_key, cli_token or none' }),
      id: nullable(Type.String()),
    }),
    action: Type.String({ examples: ['user.invite'] }),
    summary: Type.String(),
    targetType: Type.String({ examples: ['user'] }),
    targetId: Type.String(),
    target: Type.String({ description: 'its name at that time, or its id where it has none' }),
    otherId: nullable(
      Type.String({ description: 'the other party: the person of a membership, the group of an assignment' }),
    ),
    other: nullable(Type.String({ description: 'its name at that time' })),
    ip: nullable(Type.String()),
    userAgent: nullable(
      Type.String({
        maxLength: 256,
        description: 'of the request that caused it; null for what no request caused, and before it was kept',
      }),
    ),
    correlationId: Type.String({ description: 'the same for all that one request did' }),
    causationId: nullable(Type.String({ description: 'the event that this one follows from' })),
    changes: Type.Array(Change),
    outcome: Type.Enum(['success', 'denied'], { description: 'denied: an attempt was turned down' }),
    position: Type.String({ description: 'place in the event log; grows' }),
    hash: Type.String({ description: 'of its leaf in the audit tree (RFC 6962 §2.1), base64' }),
  },
  { title: 'AuditEvent' },
)
