import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { packagesFor } from '../../../read-models/queries/access-packages.ts'
import {
  findAccessRequest,
  isManagerOf,
  listAccessRequests,
  reportsOf,
  type AccessRequestRow,
} from '../../../read-models/queries/access-requests.ts'
import { accessRequestCommands } from '../../application/commands/access-requests.ts'
import type { Services } from '../../application/services/services.ts'
import { actorOf } from '../http/actor.ts'
import type { Access } from '../http/declaration.ts'
import { decodeCursor, DEFAULT_LIMIT, listPage, listQuery, listReply } from '../http/cursor.ts'
import { created, done, fields, idOf, route, type Route } from '../http/route.ts'
import { existing, foreignCursor, instantOf, readBack, readers, sent, writers } from '../http/schemas.ts'
import { RequestablePackage } from './access-package-schemas.ts'
import {
  AccessRequest,
  accessRequestInput,
  commentInput,
  denialInput,
  RequestStatuses,
} from './access-request-schemas.ts'

const tag = 'Access requests'
const params = fields({ id: idOf('accessRequest') })
/** Any user decides with their session; the rules say whether they are an approver. */
const person = { credentials: ['session'] } as const satisfies Access

const MOST_REPORTS = 200

const toRequest = ({ position: _, ...row }: AccessRequestRow) => row

/** Where a page of a list in log order starts. */
export const positionAfter = (query: { limit?: number | undefined; cursor?: string | undefined }) => {
  const [position] = decodeCursor(query.cursor, 1) ?? []
  if (position !== undefined && typeof position !== 'string') throw foreignCursor()
  return {
    limit: query.limit ?? DEFAULT_LIMIT,
    ...(position === undefined ? {} : { after: position }),
    toCursor: (row: { readonly position: string }) => [row.position],
  }
}

const filters = { status: Type.Optional(RequestStatuses), packageId: Type.Optional(idOf('accessPackage')) }

/** Routes for access requests and their decisions. */
export const accessRequestRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'locks' | 'clock'>,
): readonly Route[] => {
  const { pool, clock } = services
  const requests = accessRequestCommands(services)
  const read = (id: string) => findAccessRequest(pool, id)

  return [
    route({
      method: 'GET',
      path: '/access-requests',
      tag,
      summary: 'List access requests, newest first',
      access: readers,
      query: listQuery({
        ...filters,
        userId: Type.Optional(idOf('user', { description: 'made by or for this user' })),
        approverId: Type.Optional(idOf('user', { description: 'who can decide it now' })),
      }),
      result: Type.Array(AccessRequest),
      status: 200,
      errors: [],
      handle: async ({ query, http }) => {
        const { limit, after, toCursor } = positionAfter(query)
        const rows = await listAccessRequests(pool, query, limit + 1, after)
        return listReply(listPage(rows, limit, toCursor, http.url), toRequest)
      },
    }),
    route({
      method: 'GET',
      path: '/access-requests/{id}',
      tag,
      summary: 'Read an access request',
      access: readers,
      params,
      result: AccessRequest,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: toRequest(await existing(read(id))) }),
    }),
    route({
      method: 'POST',
      path: '/access-requests/{id}/approve',
      tag,
      summary: 'Approve an access request',
      description:
        'Only by one of its current approvers, and never by the requester or the user who gets the access. After the last approval the access is in effect when the response is sent, unless it starts later.',
      access: person,
      params,
      body: fields(commentInput),
      status: 204,
      errors: ['ERR_SELF_APPROVAL', 'ERR_FORBIDDEN', 'ERR_CONFLICT'],
      audit: ['access_request.approve'],
      handle: async (request) => {
        const { params: subject, body, caller } = request
        await requests.approve(subject.id, caller.userId, body.comment, actorOf(request))
        return done
      },
    }),
    route({
      method: 'POST',
      path: '/access-requests/{id}/deny',
      tag,
      summary: 'Deny an access request',
      description: 'Only by one of its current approvers. The comment is shown to the requester.',
      access: person,
      params,
      body: fields(denialInput),
      status: 204,
      errors: ['ERR_SELF_APPROVAL', 'ERR_FORBIDDEN', 'ERR_CONFLICT'],
      audit: ['access_request.deny'],
      handle: async (request) => {
        const { params: subject, body, caller } = request
        await requests.deny(subject.id, caller.userId, body.comment, actorOf(request))
        return done
      },
    }),
    route({
      method: 'POST',
      path: '/access-requests/{id}/reassign',
      tag,
      summary: 'Let another user decide an access request',
      description:
        'An approver passes on their own part. A user administrator replaces all approvers, but not of a request of their own.',
      access: person,
      params,
      body: fields({ approverId: idOf('user') }),
      status: 204,
      errors: ['ERR_SELF_APPROVAL', 'ERR_FORBIDDEN', 'ERR_CONFLICT'],
      audit: ['access_request.reassign'],
      handle: async (request) => {
        const { params: subject, body, caller } = request
        await requests.reassign(subject.id, caller, body.approverId, actorOf(request))
        return done
      },
    }),
    route({
      method: 'POST',
      path: '/access-requests/{id}/retry',
      tag,
      summary: 'Try again to deliver an approved access request',
      access: writers('user_admin'),
      params,
      status: 204,
      errors: ['ERR_CONFLICT'],
      audit: ['access_request.retry'],
      handle: async (request) => {
        await requests.retry(request.params.id, actorOf(request))
        return done
      },
    }),
    route({
      method: 'POST',
      path: '/access-requests/{id}/cancel',
      tag,
      summary: 'Cancel an access request',
      description: 'By a user administrator. Only while it is undecided.',
      access: writers('user_admin'),
      params,
      status: 204,
      errors: ['ERR_CONFLICT'],
      audit: ['access_request.cancel'],
      handle: async (request) => {
        await requests.cancel(request.params.id, request.caller, actorOf(request))
        return done
      },
    }),
    route({
      method: 'GET',
      path: '/me/access-packages',
      tag: 'Account',
      summary: 'List the access packages that you can request or have',
      access: person,
      query: fields({
        forUserId: Type.Optional(idOf('user', { description: 'one of your reports; default: yourself' })),
      }),
      result: Type.Array(RequestablePackage),
      status: 200,
      errors: ['ERR_FORBIDDEN'],
      handle: async ({ query, caller }) => {
        const { forUserId = caller.userId } = query
        if (forUserId !== caller.userId && !(await isManagerOf(pool, caller.userId, forUserId)))
          throw new DomainError('ERR_FORBIDDEN', 'You can request access for yourself and for your reports.')
        return { body: await packagesFor(pool, forUserId, clock.now()) }
      },
    }),
    route({
      method: 'GET',
      path: '/me/reports',
      tag: 'Account',
      summary: 'List the users whose manager you are, by name',
      description: 'The first 200. You can request access for them.',
      access: person,
      result: Type.Array(
        Type.Object({ id: idOf('user'), name: Type.String(), email: Type.String() }, { title: 'Report' }),
      ),
      status: 200,
      errors: [],
      handle: async ({ caller }) => ({ body: await reportsOf(pool, caller.userId, MOST_REPORTS) }),
    }),
    route({
      method: 'GET',
      path: '/me/access-requests',
      tag: 'Account',
      summary: 'List the access requests by you and for you, newest first',
      access: person,
      query: listQuery(filters),
      result: Type.Array(AccessRequest),
      status: 200,
      errors: [],
      handle: async ({ query, caller, http }) => {
        const { limit, after, toCursor } = positionAfter(query)
        const rows = await listAccessRequests(pool, { ...query, userId: caller.userId }, limit + 1, after)
        return listReply(listPage(rows, limit, toCursor, http.url), toRequest)
      },
    }),
    route({
      method: 'POST',
      path: '/me/access-requests',
      tag: 'Account',
      summary: 'Request an access package',
      description:
        'For yourself, or as the manager of a user. Without approval stages the access is in effect when the response is sent.',
      access: person,
      body: fields(accessRequestInput),
      result: AccessRequest,
      status: 201,
      errors: ['ERR_NOT_FOUND', 'ERR_FORBIDDEN', 'ERR_CONFLICT'],
      audit: ['access_request.create'],
      handle: async (request) => {
        const { caller } = request
        const {
          forUserId = caller.userId,
          type = 'grant',
          answers = {},
          startsAt,
          ...rest
        } = sent(request.body)
        const start = startsAt === undefined ? {} : { startsAt: instantOf(startsAt, 'startsAt') }
        const input = { ...rest, forUserId, type, answers, ...start }
        const { requestId, version } = await requests.create(caller.userId, input, actorOf(request))
        const row = await readBack(read(requestId), version)
        return created(`/api/v1/me/access-requests/${requestId}`, toRequest(row))
      },
    }),
    route({
      method: 'GET',
      path: '/me/access-requests/{id}',
      tag: 'Account',
      summary: 'Read an access request by you or for you',
      access: person,
      params,
      result: AccessRequest,
      status: 200,
      errors: [],
      handle: async ({ params: { id }, caller }) => {
        const row = await read(id)
        const isOwn = row?.requester.id === caller.userId || row?.forUser.id === caller.userId
        return { body: toRequest(await existing(Promise.resolve(isOwn ? row : null))) }
      },
    }),
    route({
      method: 'POST',
      path: '/me/access-requests/{id}/cancel',
      tag: 'Account',
      summary: 'Cancel an access request by you or for you',
      description: 'Only while it is undecided.',
      access: person,
      params,
      status: 204,
      errors: ['ERR_CONFLICT'],
      audit: ['access_request.cancel'],
      handle: async (request) => {
        const { userId } = request.caller
        await requests.cancel(request.params.id, { userId, roles: [] }, actorOf(request))
        return done
      },
    }),
    route({
      method: 'GET',
      path: '/me/approvals',
      tag: 'Account',
      summary: 'List the access requests that you can decide, newest first',
      access: person,
      query: listQuery({}),
      result: Type.Array(AccessRequest),
      status: 200,
      errors: [],
      handle: async ({ query, caller, http }) => {
        const { limit, after, toCursor } = positionAfter(query)
        const rows = await listAccessRequests(pool, { approverId: caller.userId }, limit + 1, after)
        return listReply(listPage(rows, limit, toCursor, http.url), toRequest)
      },
    }),
  ]
}
