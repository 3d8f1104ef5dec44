import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { liveSessionsOf, sessionOwner } from '../../../read-models/queries/account.ts'
import type { Services } from '../../application/services/services.ts'
import { sessionCommands } from '../../application/commands/sessions.ts'
import { done, fields, idOf, route, type Route } from '../http/route.ts'
import { noSessionCookie } from '../sign-in/cookie.ts'
import { actorOf } from '../http/actor.ts'
import { sessionMoment } from '../../application/services/moment.ts'

const tag = 'Account'
const person = { credentials: ['session', 'cli_token'] } as const
const params = fields({ id: idOf('session') })

const time = Type.String({ format: 'date-time' })
const text = Type.Union([Type.String(), Type.Null()])

const OwnSession = Type.Object(
  {
    id: idOf('session'),
    status: Type.Literal('active'),
    current: Type.Boolean(),
    createdAt: time,
    lastSeenAt: time,
    expiresAt: time,
    methods: Type.Array(Type.String()),
    amr: Type.Array(Type.String()),
    authTime: time,
    strength: Type.Enum(['otp', 'federated', 'phishing_resistant']),
    ip: text,
    userAgent: text,
    location: text,
    deviceId: Type.Union([idOf('device'), Type.Null()]),
    applications: Type.Array(Type.Object({ appId: idOf('application'), firstAt: time, lastAt: time })),
  },
  { title: 'OwnSession' },
)

/** Routes for the signed-in user's sessions. */
export const meSessionRoutes = (
  services: Pick<
    Services,
    'handle' | 'pool' | 'clock' | 'random' | 'configuration' | 'development' | 'publicUrl'
  >,
): readonly Route[] => {
  const { pool, publicUrl } = services
  const sessions = sessionCommands(services)

  return [
    route({
      method: 'GET',
      path: '/me/sessions',
      tag,
      summary: 'List your sessions',
      access: person,
      result: Type.Array(OwnSession),
      status: 200,
      errors: [],
      handle: async ({ caller }) => ({
        body: (await liveSessionsOf(pool, caller.userId, sessionMoment(services))).map((session) => ({
          ...session,
          id: session.id as `ses_${string}`,
          deviceId: session.deviceId as `dev_${string}` | null,
          status: 'active' as const,
          current: session.id === caller.sessionId,
          applications: session.applications.map((used) => ({
            ...used,
            appId: used.appId as `app_${string}`,
          })),
        })),
      }),
    }),
    route({
      method: 'DELETE',
      path: '/me/sessions/{id}',
      tag,
      summary: 'End one of your sessions',
      access: person,
      params,
      status: 204,
      errors: ['ERR_CONFLICT'],
      audit: ['session.end'],
      handle: async (request) => {
        const { params: pathParams, caller } = request
        if ((await sessionOwner(pool, pathParams.id)) !== caller.userId)
          throw new DomainError('ERR_NOT_FOUND')
        await sessions.end(pathParams.id, 'user_revoked', actorOf(request))
        return pathParams.id === caller.sessionId
          ? { headers: { 'Set-Cookie': noSessionCookie(publicUrl) } }
          : done
      },
    }),
    route({
      method: 'POST',
      path: '/me/sessions/revoke-others',
      tag,
      summary: 'End all your other sessions',
      access: person,
      status: 204,
      errors: ['ERR_CONFLICT'],
      audit: ['session.end'],
      handle: async (request) => {
        const { caller } = request
        await sessions.endOthers(caller.userId, caller.sessionId ?? null, 'user_revoked', actorOf(request))
        return done
      },
    }),
  ]
}
