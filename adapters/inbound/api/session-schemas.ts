import { Type } from 'typebox'
import type { SessionStatus } from '../../../read-models/queries/sessions.ts'
import { idOf } from '../http/route.ts'
import { nullable, listPageOf, Time } from '../http/schemas.ts'

export const sessionStatuses = ['active', 'expired', 'ended', 'revoked'] as const satisfies SessionStatus[]

export const Session = Type.Object(
  {
    id: idOf('session'),
    userId: idOf('user'),
    userName: Type.String({ description: 'empty if it is unreadable' }),
    status: Type.Enum([...sessionStatuses]),
    createdAt: Time,
    lastSeenAt: Time,
    expiresAt: Time,
    endedAt: nullable(Time),
    endReason: nullable(Type.String()),
    methods: Type.Array(Type.String()),
    amr: Type.Array(Type.String()),
    authTime: Time,
    strength: Type.Enum(['otp', 'federated', 'phishing_resistant']),
    ip: nullable(Type.String()),
    userAgent: nullable(Type.String()),
    location: nullable(Type.String()),
    deviceId: nullable(idOf('device')),
    applications: Type.Array(Type.Object({ appId: idOf('application'), firstAt: Time, lastAt: Time })),
  },
  { title: 'Session' },
)

/** Returns the page of a list that is ordered newest first. */
export const newestFirst = (query: { limit?: number | undefined; cursor?: string | undefined }) =>
  listPageOf({ limit: query.limit, cursor: query.cursor, sort: '-createdAt' })
