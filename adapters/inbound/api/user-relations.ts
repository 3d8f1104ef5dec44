import { Type } from 'typebox'
import {
  accessOfUser,
  accessOfUserThen,
  type ReachableApplication,
} from '../../../read-models/queries/access.ts'
import { listGroups, readGroupsThen } from '../../../read-models/queries/groups.ts'
import { groupsThen } from '../../../read-models/queries/past-lists.ts'
import { listSessions } from '../../../read-models/queries/sessions.ts'
import { findUser, methodsOf } from '../../../read-models/queries/users.ts'
import { groupStream } from '../../../domain/group/decider.ts'
import { applicationLogoPath } from '../../application/services/logo-path.ts'
import type { Services } from '../../application/services/services.ts'
import { listQuery, listPage, listReply } from '../http/cursor.ts'
import { fields, idOf, route, type Route } from '../http/route.ts'
import { Access } from './access-schemas.ts'
import { Group } from './group-schemas.ts'
import { answerOfThePast, listOfThePast, pastHeaders, timeOf } from './past.ts'
import { existing, nullable, listPageOf, readers, sorting, Time, timeTravel } from '../http/schemas.ts'
import { newestFirst, Session, sessionStatuses } from './session-schemas.ts'
import { MethodType } from './user-schemas.ts'
import { sessionMoment } from '../../application/services/moment.ts'

const tag = 'Users'
const params = fields({ id: idOf('user') })

export const SignInMethod = Type.Object(
  {
    id: idOf('method'),
    type: MethodType,
    name: nullable(Type.String()),
    backedUp: nullable(Type.Boolean()),
    createdAt: Time,
    lastUsedAt: nullable(Time),
  },
  { title: 'SignInMethod' },
)

const UserApplication = Type.Object(
  {
    id: idOf('application'),
    name: Type.String(),
    status: Type.Enum(['active', 'disabled', 'deleted']),
    logoUrl: nullable(Type.String()),
    launchUrl: nullable(Type.String()),
    visibleInPortal: Type.Boolean(),
  },
  { title: 'UserApplication' },
)

const toAccess = ({ applicationId, name, status, reaches, via }: ReachableApplication) => ({
  applicationId,
  name,
  status,
  reaches,
  via,
})

export const userRelationRoutes = (
  services: Pick<Services, 'pool' | 'clock' | 'development' | 'pastRecord' | 'publicUrl'>,
): readonly Route[] => {
  const { pool, clock, publicUrl } = services
  const mustExist = (id: string) => existing(findUser(pool, id, clock.now()))

  return [
    route({
      method: 'GET',
      path: '/users/{id}/groups',
      tag,
      summary: "List a user's groups",
      description: 'With `at`, the order is by id, and `sort` cannot be sent.',
      access: readers,
      params,
      query: listQuery({ ...sorting, ...timeTravel }),
      result: Type.Array(Group),
      status: 200,
      headers: pastHeaders,
      errors: [],
      handle: async ({ params: { id }, query, http }) => {
        await mustExist(id)
        const { at, sort, q } = query
        if (at !== undefined) {
          const list = await listOfThePast(
            services,
            { ...query, at },
            http.url,
            { sort },
            {
              ids: (client, past, page) => groupsThen(client, past, { q, userId: id }, page),
              stream: groupStream,
              read: readGroupsThen,
            },
          )
          return listReply(list, (row) => row)
        }
        const { page, shown, toCursor } = listPageOf(query)
        const rows = await listGroups(pool, { q: query.q, userId: id }, page, clock.now())
        return listReply(listPage(rows, shown, toCursor, http.url), ({ sortKey: _, ...row }) => row)
      },
    }),
    route({
      method: 'GET',
      path: '/users/{id}/applications',
      tag,
      summary: "List a user's assigned applications",
      access: readers,
      params,
      result: Type.Array(UserApplication),
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => {
        await mustExist(id)
        const rows = await accessOfUser(pool, id, clock.now())
        return {
          body: rows.map(({ applicationId, logoUrl, logoDigest, via: _, reaches: __, ...rest }) => ({
            id: applicationId,
            logoUrl:
              logoDigest === null ? logoUrl : publicUrl + applicationLogoPath(applicationId, logoDigest),
            ...rest,
          })),
        }
      },
    }),
    route({
      method: 'GET',
      path: '/users/{id}/access',
      tag,
      summary: 'List applications that a user has access to, and why',
      access: readers,
      params,
      query: fields(timeTravel),
      result: Type.Array(Access.ofPerson),
      status: 200,
      headers: pastHeaders,
      errors: [],
      handle: async ({ params: { id }, query }) => {
        await mustExist(id)
        if (query.at === undefined) return { body: (await accessOfUser(pool, id, clock.now())).map(toAccess) }
        const { answer, headers } = await answerOfThePast(
          pool,
          [timeOf(query.at, clock.now())],
          (client, [past]) => accessOfUserThen(client, id, past),
        )
        return { body: answer.map(toAccess), headers }
      },
    }),
    route({
      method: 'GET',
      path: '/users/{id}/sessions',
      tag,
      summary: "List a user's sessions",
      access: readers,
      params,
      query: listQuery({ status: Type.Optional(Type.Enum([...sessionStatuses])) }),
      result: Type.Array(Session),
      status: 200,
      errors: [],
      handle: async ({ params: { id }, query, http }) => {
        await mustExist(id)
        const { page, shown, toCursor } = newestFirst(query)
        const rows = await listSessions(
          pool,
          { userId: id, status: query.status },
          page,
          sessionMoment(services),
        )
        return listReply(listPage(rows, shown, toCursor, http.url), ({ sortKey: _, ...row }) => row)
      },
    }),
    route({
      method: 'GET',
      path: '/users/{id}/methods',
      tag,
      summary: "List a user's sign-in methods",
      access: readers,
      params,
      result: Type.Array(SignInMethod),
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => {
        await mustExist(id)
        return { body: await methodsOf(pool, id) }
      },
    }),
  ]
}
