import { Type } from 'typebox'
import type { Profile } from '../../../domain/user/events.ts'
import { isRole } from '../../../domain/roles.ts'
import { roleKeys } from '../../../domain/roles.ts'
import { usersThen } from '../../../read-models/queries/past-lists.ts'
import { findUser, listUsers, readUsersThen } from '../../../read-models/queries/users.ts'
import type { Services } from '../../application/services/services.ts'
import { mustBeManager } from '../../application/commands/references.ts'
import { userCommands, type UserServices } from '../../application/commands/users.ts'
import { listQuery, listPage, listReply } from '../http/cursor.ts'
import { created, done, fields, idOf, route, type Route } from '../http/route.ts'
import { userStream } from '../../../domain/user/decider.ts'
import { actorOf } from '../http/actor.ts'
import { listOfThePast, pastHeaders, recordOfThePast } from './past.ts'
import {
  existing,
  withoutNulls,
  listPageOf,
  printable,
  proven,
  readBack,
  readers,
  sent,
  sorting,
  timeTravel,
  writers,
} from '../http/schemas.ts'
import { UserRisk } from './risk-event-schemas.ts'
import {
  checkProfile,
  InvitedUser,
  ListedUser,
  optionalProfile,
  toListedUser,
  toUser,
  User,
  writableProfile,
} from './user-schemas.ts'

const tag = 'Users'
const params = fields({ id: idOf('user') })

const { email, name } = writableProfile

export const userRoutes = (services: UserServices & Pick<Services, 'pastRecord'>): readonly Route[] => {
  const { pool, clock } = services
  const users = userCommands(services)
  const read = (id: string) => findUser(pool, id, clock.now())

  return [
    route({
      method: 'GET',
      path: '/users',
      tag,
      summary: 'List users',
      description:
        'Deleted users are listed only if the status filter includes them. With `at`, the order is by id, and `sort`, `department`, `managerId` and `riskLevel` cannot be sent.',
      access: readers,
      query: listQuery({
        ...sorting,
        ...timeTravel,
        status: Type.Optional(Type.Enum(['invited', 'active', 'suspended', 'deleted'])),
        groupId: Type.Optional(idOf('group')),
        role: Type.Optional(Type.Enum([...roleKeys])),
        email: Type.Optional(printable(254, 'the full address')),
        department: Type.Optional(printable(200)),
        managerId: Type.Optional(idOf('user')),
        riskLevel: Type.Optional(UserRisk),
        include: Type.Optional(Type.Enum(['roles'], { description: 'roles: also by role names and keys' })),
      }),
      result: Type.Array(ListedUser),
      status: 200,
      headers: pastHeaders,
      errors: [],
      handle: async ({ query, http }) => {
        const { include, at, ...filters } = query
        const shownAs = include === 'roles' ? toUser : toListedUser
        if (at !== undefined) {
          const { sort, department, managerId, riskLevel } = query
          const list = await listOfThePast(
            services,
            { ...query, at },
            http.url,
            { sort, department, managerId, riskLevel },
            {
              ids: (client, past, page) => usersThen(client, past, filters, page),
              stream: userStream,
              read: readUsersThen,
            },
          )
          return listReply(list, shownAs)
        }
        const { page, shown, toCursor } = listPageOf(query)
        const rows = await listUsers(pool, filters, page, clock.now())
        return listReply(listPage(rows, shown, toCursor, http.url), ({ sortKey: _, ...row }) => shownAs(row))
      },
    }),
    route({
      method: 'POST',
      path: '/users',
      tag,
      summary: 'Invite a user',
      description: 'The response contains the one-time enrolment link, which cannot be read again.',
      access: writers('user_admin'),
      body: fields({ email, name, ...optionalProfile }),
      result: InvitedUser,
      status: 201,
      errors: ['ERR_CONFLICT'],
      audit: ['user.invite'],
      handle: async (request) => {
        const profile: Profile = withoutNulls(request.body)
        checkProfile({ ...profile })
        await mustBeManager(pool, profile.managerId)
        const { userId, version, enrollUrl, expiresAt, emailed } = await users.invite(
          { profile, source: 'local' },
          actorOf(request),
        )
        const row = await readBack(read(userId), version)
        return created(`/api/v1/users/${userId}`, { ...toUser(row), enrollUrl, expiresAt, emailed })
      },
    }),
    route({
      method: 'GET',
      path: '/users/{id}',
      tag,
      summary: 'Get a user',
      description: 'Deleted users are returned with the status deleted.',
      access: readers,
      params,
      query: fields(timeTravel),
      result: User,
      status: 200,
      headers: pastHeaders,
      errors: [],
      handle: async ({ params: { id }, query: { at } }) => {
        if (at === undefined) return { body: toUser(await existing(read(id))) }
        const { row, headers } = await recordOfThePast(services, userStream(id), at, readUsersThen)
        return { body: toUser(row), headers }
      },
    }),
    route({
      method: 'PATCH',
      path: '/users/{id}',
      tag,
      summary: "Update a user's profile",
      access: proven(writers('user_admin'), 'email'),
      params,
      body: fields({ email: Type.Optional(email), name: Type.Optional(name), ...optionalProfile }),
      result: User,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['user.update', 'user.email.change'],
      handle: async (request) => {
        const { id } = request.params
        const changes = sent(request.body)
        const { startDate, endDate } = await existing(read(id))
        checkProfile({ startDate, endDate, ...changes })
        await mustBeManager(pool, changes.managerId, id)
        const { version } = await users.update(id, changes, request.caller.roles, actorOf(request))
        return { body: toUser(await readBack(read(id), version)) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/users/{id}',
      tag,
      summary: 'Delete a user',
      description:
        'Ends sessions, tokens and memberships before the response is sent. The email address can be used again.',
      access: writers('user_admin'),
      params,
      status: 204,
      errors: ['ERR_CONFLICT', 'ERR_LAST_ADMIN', 'ERR_STALE'],
      audit: ['user.delete'],
      handle: async (request) => {
        await users.delete(request.params.id, request.caller.roles, actorOf(request))
        return done
      },
    }),
    route({
      method: 'PUT',
      path: '/users/{id}/roles',
      tag,
      summary: 'Assign roles',
      description:
        'Send the complete list; an empty list removes all roles. Adding a role revokes all links that were sent before: enrolment links, sign-in links and confirmation emails. Afterwards resend the invitation if the user has not enrolled, or reset the sign-in methods again if they were just reset.',
      access: proven(writers('global_admin')),
      params,
      body: fields({ roles: Type.Array(Type.Enum([...roleKeys]), { maxItems: 20 }) }),
      result: User,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_LAST_ADMIN', 'ERR_STALE'],
      audit: ['user.roles.update'],
      handle: async (request) => {
        const { id } = request.params
        const { version } = await users.setRoles(id, request.body.roles.filter(isRole), actorOf(request))
        return { body: toUser(await readBack(read(id), version)) }
      },
    }),
  ]
}
