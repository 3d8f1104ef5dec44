import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { findSession, listSessions, rolesBehindSession } from '../../../read-models/queries/sessions.ts'
import type { Services } from '../../application/services/services.ts'
import { endSession } from '../../application/commands/session-end.ts'
import { listQuery, listPage, listReply } from '../http/cursor.ts'
import { done, fields, idOf, route, type Route } from '../http/route.ts'
import { actorOf } from '../http/actor.ts'
import { existing, readers, writers } from '../http/schemas.ts'
import { newestFirst, Session, sessionStatuses } from './session-schemas.ts'
import { sessionMoment } from '../../application/services/moment.ts'

const tag = 'Sessions'
const params = fields({ id: idOf('session') })

export const sessionRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'clock' | 'development'>,
): readonly Route[] => {
  const { pool } = services
  const end = endSession(services)

  return [
    route({
      method: 'GET',
      path: '/sessions',
      tag,
      summary: 'List sessions, newest first',
      access: readers,
      query: listQuery({
        userId: Type.Optional(idOf('user')),
        status: Type.Optional(Type.Enum([...sessionStatuses])),
      }),
      result: Type.Array(Session),
      status: 200,
      errors: [],
      handle: async ({ query, http }) => {
        const { page, shown, toCursor } = newestFirst(query)
        const rows = await listSessions(pool, query, page, sessionMoment(services))
        return listReply(listPage(rows, shown, toCursor, http.url), ({ sortKey: _, ...row }) => row)
      },
    }),
    route({
      method: 'GET',
      path: '/sessions/{id}',
      tag,
      summary: 'Get a session',
      access: readers,
      params,
      result: Session,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({
        body: await existing(findSession(pool, id, sessionMoment(services))),
      }),
    }),
    route({
      method: 'DELETE',
      path: '/sessions/{id}',
      tag,
      summary: 'End a session',
      description: 'Its tokens, including refresh tokens, stop working before the response is sent.',
      access: writers('security_admin', 'helpdesk_admin', 'user_admin'),
      params,
      status: 204,
      errors: ['ERR_CONFLICT'],
      audit: ['session.revoke'],
      handle: async (request) => {
        const { id } = request.params
        const held = await existing(rolesBehindSession(pool, id))
        if (held.length > 0 && !request.caller.roles.includes('global_admin'))
          throw new DomainError(
            'ERR_FORBIDDEN',
            'Only a global administrator can act on an account that has a role.',
          )
        await end(id, 'admin_revoked', actorOf(request))
        return done
      },
    }),
  ]
}
