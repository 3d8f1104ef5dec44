import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { peopleWithAccess, peopleWithAccessThen } from '../../../read-models/queries/access.ts'
import { applicationEverExisted, findApplication } from '../../../read-models/queries/applications.ts'
import { applicationCommands } from '../../application/commands/applications.ts'
import type { Services } from '../../application/services/services.ts'
import { listQuery, listPage, listReply } from '../http/cursor.ts'
import { done, fields, idOf, route, type Route } from '../http/route.ts'
import { Access } from './access-schemas.ts'
import { actorOf } from '../http/actor.ts'
import { Application, groupIds, applicationRecords } from './application-schemas.ts'
import { answerOfThePast, listPageById, pastHeaders, timeOf } from './past.ts'
import { existing, listPageOf, readBack, readers, timeTravel, writers } from '../http/schemas.ts'

const tag = 'Applications'
const params = fields({ id: idOf('application') })
const groupParams = fields({ id: idOf('application'), groupId: idOf('group') })

const ApplicationUser = Type.Object(
  {
    id: idOf('user'),
    name: Type.String(),
    email: Type.String(),
    status: Type.Enum(['invited', 'active', 'suspended', 'deleted']),
  },
  { title: 'ApplicationUser' },
)

/** Pages of a past state are read by id, so their cost does not depend on the number of users. */
const order = 'Ordered by name, or by id when `at` is sent.'

interface AccessQuery {
  readonly at?: string | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export const applicationAccessRoutes = (
  services: Pick<
    Services,
    'handle' | 'pool' | 'reservations' | 'locks' | 'vault' | 'clock' | 'random' | 'publicUrl'
  >,
): readonly Route[] => {
  const { pool, clock } = services
  const toApplication = applicationRecords(services.publicUrl)
  const applications = applicationCommands(services)

  const peopleThen = async (id: string, query: AccessQuery, url: URL) => {
    if (!(await applicationEverExisted(pool, id))) throw new DomainError('ERR_NOT_FOUND')
    const { limit, after } = listPageById(query)
    const { answer, headers } = await answerOfThePast(
      pool,
      [timeOf(query.at, clock.now())],
      (client, [past]) => peopleWithAccessThen(client, id, past, limit + 1, after?.[0]),
    )
    const paged = listPage(answer, limit, ({ userId }) => [userId], url)
    return { rows: paged.rows, headers: { ...paged.headers, ...headers } }
  }

  const people = async (id: string, query: AccessQuery, url: URL) => {
    if (query.at !== undefined) return peopleThen(id, query, url)
    await existing(findApplication(pool, id))
    const { page, shown, toCursor } = listPageOf({ limit: query.limit, cursor: query.cursor })
    const rows = await peopleWithAccess(pool, id, clock.now(), page.limit, page.after)
    return listPage(rows, shown, (row) => toCursor({ sortKey: row.sortKey, id: row.userId }), url)
  }

  return [
    route({
      method: 'PUT',
      path: '/applications/{id}/groups',
      tag,
      summary: 'Assign groups',
      description:
        'Send the complete list. Users who are in none of these groups lose access before the response is sent.',
      access: writers('app_admin'),
      params,
      body: fields({ groupIds }),
      result: Application,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['application.group.assign', 'application.group.unassign'],
      handle: async (request) => {
        const { id } = request.params
        const { version } = await applications.setGroups(id, request.body.groupIds, actorOf(request))
        return { body: toApplication(await readBack(findApplication(pool, id), version)) }
      },
    }),
    route({
      method: 'PUT',
      path: '/applications/{id}/groups/{groupId}',
      tag,
      summary: 'Assign one group',
      access: writers('app_admin'),
      params: groupParams,
      status: 204,
      errors: ['ERR_CONFLICT'],
      audit: ['application.group.assign'],
      handle: async (request) => {
        const { id, groupId } = request.params
        await applications.assignGroup(id, groupId, actorOf(request))
        return done
      },
    }),
    route({
      method: 'DELETE',
      path: '/applications/{id}/groups/{groupId}',
      tag,
      summary: 'Unassign a group',
      access: writers('app_admin'),
      params: groupParams,
      status: 204,
      errors: ['ERR_CONFLICT'],
      audit: ['application.group.unassign'],
      handle: async (request) => {
        const { id, groupId } = request.params
        await applications.unassignGroup(id, groupId, actorOf(request))
        return done
      },
    }),
    route({
      method: 'GET',
      path: '/applications/{id}/users',
      tag,
      summary: 'List users who are assigned to an application',
      description: order,
      access: readers,
      params,
      query: listQuery(timeTravel),
      result: Type.Array(ApplicationUser),
      status: 200,
      headers: pastHeaders,
      errors: [],
      handle: async ({ params: { id }, query, http }) =>
        listReply(await people(id, query, http.url), ({ userId, name, email, status }) => ({
          id: userId,
          name,
          email,
          status,
        })),
    }),
    route({
      method: 'GET',
      path: '/applications/{id}/access',
      tag,
      summary: 'List users with access to an application, and why',
      description: `${order} Lists every assigned user; \`reaches\` says whether the user can sign in.`,
      access: readers,
      params,
      query: listQuery(timeTravel),
      result: Type.Array(Access.toApplication),
      status: 200,
      headers: pastHeaders,
      errors: [],
      handle: async ({ params: { id }, query, http }) =>
        listReply(await people(id, query, http.url), ({ sortKey: _, ...row }) => row),
    }),
  ]
}
