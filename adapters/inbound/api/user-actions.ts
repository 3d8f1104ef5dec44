import { Type } from 'typebox'
import { findUser } from '../../../read-models/queries/users.ts'
import type { Services } from '../../application/services/services.ts'
import { userCommands, type UserServices } from '../../application/commands/users.ts'
import { done, fields, idOf, route, type Route } from '../http/route.ts'
import { wrongCodes } from '../sign-in/wrong-codes.ts'
import { actorOf } from '../http/actor.ts'
import { prose, proven, readBack, writers } from '../http/schemas.ts'
import { EnrollmentLink, InvitedUser, toUser } from './user-schemas.ts'

const tag = 'Users'
const params = fields({ id: idOf('user') })

export const userActionRoutes = (services: UserServices & Pick<Services, 'tally'>): readonly Route[] => {
  const { pool, clock } = services
  const users = userCommands(services)
  const codes = wrongCodes(services)

  return [
    route({
      method: 'POST',
      path: '/users/{id}/suspend',
      tag,
      summary: 'Suspend a user',
      description: 'Ends sessions and tokens before the response is sent.',
      access: writers('user_admin'),
      params,
      body: fields({ reason: Type.Optional(prose(500)) }),
      status: 204,
      errors: ['ERR_CONFLICT', 'ERR_LAST_ADMIN', 'ERR_STALE'],
      audit: ['user.suspend'],
      handle: async (request) => {
        const { params: subject, body, caller } = request
        await users.suspend(subject.id, body.reason, caller.roles, actorOf(request))
        return done
      },
    }),
    route({
      method: 'POST',
      path: '/users/{id}/reactivate',
      tag,
      summary: 'Reactivate a suspended user',
      access: writers('user_admin'),
      params,
      status: 204,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['user.reactivate'],
      handle: async (request) => {
        await users.reactivate(request.params.id, request.caller.roles, actorOf(request))
        return done
      },
    }),
    route({
      method: 'POST',
      path: '/users/{id}/invite',
      tag,
      summary: 'Resend an invitation',
      description:
        'Creates a new enrolment link for a user who has not enrolled; the old link stops working.',
      access: proven(writers('user_admin', 'helpdesk_admin')),
      params,
      result: InvitedUser,
      status: 200,
      errors: ['ERR_CONFLICT'],
      audit: ['user.invite.resend'],
      handle: async (request) => {
        const { id } = request.params
        const { version, enrollUrl, expiresAt, emailed } = await users.inviteAgain(
          id,
          request.caller.roles,
          actorOf(request),
        )
        const row = await readBack(findUser(pool, id, clock.now()), version)
        return { body: { ...toUser(row), enrollUrl, expiresAt, emailed } }
      },
    }),
    route({
      method: 'POST',
      path: '/users/{id}/reset-methods',
      tag,
      summary: 'Remove all sign-in methods',
      description:
        'Ends sessions and tokens, and returns a new enrolment link. The service also emails the link if the address is verified; otherwise `emailed` is false.',
      access: proven(writers('user_admin', 'helpdesk_admin', 'security_admin')),
      params,
      result: EnrollmentLink,
      status: 200,
      errors: ['ERR_CONFLICT'],
      audit: ['user.methods.reset'],
      handle: async (request) => {
        const { id } = request.params
        const { enrollUrl, expiresAt, emailed } = await users.resetMethods(
          id,
          request.caller.roles,
          actorOf(request),
        )
        await codes.forget(id)
        return { body: { enrollUrl, expiresAt, emailed } }
      },
    }),
    route({
      method: 'POST',
      path: '/users/{id}/unlock',
      tag,
      summary: 'Unlock a user',
      description: 'Resets the count of wrong codes and accepts codes again.',
      access: writers('user_admin', 'helpdesk_admin', 'security_admin'),
      params,
      status: 204,
      errors: ['ERR_CONFLICT'],
      audit: ['user.unlock'],
      handle: async (request) => {
        const { id } = request.params
        await users.unlock(id, request.caller.roles, actorOf(request))
        await codes.forget(id)
        return done
      },
    }),
    route({
      method: 'POST',
      path: '/users/{id}/sessions/revoke',
      tag,
      summary: "End all of a user's sessions",
      description: 'Their tokens, including refresh tokens, stop working before the response is sent.',
      access: writers('user_admin', 'helpdesk_admin', 'security_admin'),
      params,
      status: 204,
      errors: [],
      audit: ['session.revoke_all'],
      handle: async (request) => {
        await users.revokeSessions(request.params.id, request.caller.roles, actorOf(request))
        return done
      },
    }),
    route({
      method: 'POST',
      path: '/users/{id}/erase',
      tag,
      summary: 'Erase a deleted user',
      description: "Permanently destroys the key of the user's personal data.",
      access: proven(writers('global_admin')),
      params,
      status: 204,
      errors: ['ERR_CONFLICT'],
      audit: ['user.erase'],
      handle: async (request) => {
        await users.erase(request.params.id, actorOf(request))
        return done
      },
    }),
    route({
      method: 'DELETE',
      path: '/users/{id}/methods/{methodId}',
      tag,
      summary: 'Remove a sign-in method',
      access: proven(writers('user_admin', 'helpdesk_admin', 'security_admin')),
      params: fields({ id: idOf('user'), methodId: idOf('method') }),
      status: 204,
      errors: ['ERR_LAST_METHOD', 'ERR_CONFLICT'],
      audit: ['method.remove'],
      handle: async (request) => {
        const { id, methodId } = request.params
        await users.removeMethod(id, methodId, request.caller.roles, actorOf(request))
        return done
      },
    }),
  ]
}
