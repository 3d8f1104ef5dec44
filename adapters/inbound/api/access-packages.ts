import { Type } from 'typebox'
import { plainPackage } from '../../../domain/access-package/decider.ts'
import { findAccessPackage, listAccessPackages } from '../../../read-models/queries/access-packages.ts'
import {
  findPackageAssignment,
  listPackageAssignments,
  type PackageAssignmentRow,
} from '../../../read-models/queries/package-assignments.ts'
import { findUser } from '../../../read-models/queries/users.ts'
import { accessPackageCommands } from '../../application/commands/access-packages.ts'
import type { Actor } from '../../application/services/handle.ts'
import type { Services } from '../../application/services/services.ts'
import { actorOf } from '../http/actor.ts'
import { listPage, listQuery, listReply } from '../http/cursor.ts'
import { created, done, fields, idOf, route, type Route } from '../http/route.ts'
import {
  existing,
  instantOf,
  listPageOf,
  readBack,
  readers,
  sent,
  sorting,
  Time,
  withoutNulls,
  writers,
} from '../http/schemas.ts'
import {
  AccessPackage,
  accessPackageInput,
  accessPackageOptions,
  assignmentInput,
  PackageAssignment,
  PackageStatuses,
} from './access-package-schemas.ts'
import { positionAfter } from './access-requests.ts'

const tag = 'Access packages'
const params = fields({ id: idOf('accessPackage') })
const assignmentParams = fields({ id: idOf('accessPackage'), assignmentId: idOf('packageAssignment') })
const { name, grants } = accessPackageInput
const state = Type.Optional(Type.Enum(['open', 'ended'], { description: 'open: current and scheduled' }))

const toAssignment = ({ position: _, ...row }: PackageAssignmentRow) => row

/** Routes for access packages and their assignments. */
export const accessPackageRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'locks' | 'reservations' | 'clock'>,
): readonly Route[] => {
  const { pool, clock } = services
  const packages = accessPackageCommands(services)
  const read = (id: string) => findAccessPackage(pool, id, clock.now())

  const transition = (action: 'publish' | 'archive', summary: string, description: string): Route =>
    route({
      method: 'POST',
      path: `/access-packages/{id}/${action}`,
      tag,
      summary,
      description,
      access: writers('user_admin'),
      params,
      result: AccessPackage,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: [`access_package.${action}`],
      handle: async (request) => {
        const { id } = request.params
        const { version } = await packages[action](id, actorOf(request))
        return { body: await readBack(read(id), version) }
      },
    })

  const readAssignment = async (assignmentId: string) =>
    toAssignment(await existing(findPackageAssignment(pool, assignmentId, clock.now())))

  const assign = async (packageId: string, userId: string, expiresAt: string | null, actor: Actor) => {
    const until = expiresAt === null ? undefined : instantOf(expiresAt, 'expiresAt')
    return packages.assign(packageId, userId, until, actor)
  }

  return [
    route({
      method: 'GET',
      path: '/access-packages',
      tag,
      summary: 'List access packages',
      access: readers,
      query: listQuery({ ...sorting, status: Type.Optional(PackageStatuses) }),
      result: Type.Array(AccessPackage),
      status: 200,
      errors: [],
      handle: async ({ query, http }) => {
        const { page, shown, toCursor } = listPageOf(query)
        const rows = await listAccessPackages(pool, query, page, clock.now())
        return listReply(listPage(rows, shown, toCursor, http.url), ({ sortKey: _, ...row }) => row)
      },
    }),
    route({
      method: 'POST',
      path: '/access-packages',
      tag,
      summary: 'Create an access package',
      description: 'It is a draft until it is published.',
      access: writers('user_admin'),
      body: fields({ name, grants, ...accessPackageOptions }),
      result: AccessPackage,
      status: 201,
      errors: ['ERR_CONFLICT'],
      audit: ['access_package.create'],
      handle: async (request) => {
        const input = withoutNulls(request.body)
        const { packageId, version } = await packages.create({ ...plainPackage, ...input }, actorOf(request))
        return created(`/api/v1/access-packages/${packageId}`, await readBack(read(packageId), version))
      },
    }),
    route({
      method: 'GET',
      path: '/access-packages/{id}',
      tag,
      summary: 'Read an access package',
      access: readers,
      params,
      result: AccessPackage,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: await existing(read(id)) }),
    }),
    route({
      method: 'PATCH',
      path: '/access-packages/{id}',
      tag,
      summary: 'Update an access package',
      description:
        'Users who have the package gain and lose groups when its grants change, before the response is sent. Undecided requests keep the stages that they started with.',
      access: writers('user_admin'),
      params,
      body: fields({ name: Type.Optional(name), grants: Type.Optional(grants), ...accessPackageOptions }),
      result: AccessPackage,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['access_package.update'],
      handle: async (request) => {
        const { id } = request.params
        const { version } = await packages.update(id, sent(request.body), actorOf(request))
        return { body: await readBack(read(id), version) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/access-packages/{id}',
      tag,
      summary: 'Delete an access package',
      description: 'Rejected while users have it, or while a request of it is undecided.',
      access: writers('user_admin'),
      params,
      status: 204,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['access_package.delete'],
      handle: async (request) => {
        await packages.delete(request.params.id, actorOf(request))
        return done
      },
    }),
    transition('publish', 'Publish an access package', 'Users can request it from now on.'),
    transition(
      'archive',
      'Archive an access package',
      'Nobody can request it any more. Users who have it keep it, and undecided requests go on.',
    ),
    route({
      method: 'GET',
      path: '/access-packages/{id}/assignments',
      tag,
      summary: 'List the assignments of an access package, newest first',
      access: readers,
      params,
      query: listQuery({
        q: sorting.q,
        state,
        userId: Type.Optional(idOf('user')),
      }),
      result: Type.Array(PackageAssignment),
      status: 200,
      errors: [],
      handle: async ({ params: { id }, query, http }) => {
        await existing(read(id))
        const { limit, after, toCursor } = positionAfter(query)
        const filters = { ...query, packageId: id }
        const rows = await listPackageAssignments(pool, filters, clock.now(), limit + 1, after)
        return listReply(listPage(rows, limit, toCursor, http.url), toAssignment)
      },
    }),
    route({
      method: 'GET',
      path: '/users/{id}/access-packages',
      tag: 'Users',
      summary: 'List the assignments of access packages to a user, newest first',
      access: readers,
      params: fields({ id: idOf('user') }),
      query: listQuery({ state }),
      result: Type.Array(PackageAssignment),
      status: 200,
      errors: [],
      handle: async ({ params: { id }, query, http }) => {
        await existing(findUser(pool, id, clock.now()))
        const { limit, after, toCursor } = positionAfter(query)
        const filters = { ...query, userId: id }
        const rows = await listPackageAssignments(pool, filters, clock.now(), limit + 1, after)
        return listReply(listPage(rows, limit, toCursor, http.url), toAssignment)
      },
    }),
    route({
      method: 'POST',
      path: '/access-packages/{id}/assignments',
      tag,
      summary: 'Assign an access package to a user',
      description:
        'Without a request. Rejected if the user has it, or something that is incompatible with it. The memberships exist when the response is sent.',
      access: writers('user_admin'),
      params,
      body: fields(assignmentInput),
      result: PackageAssignment,
      status: 201,
      errors: ['ERR_CONFLICT'],
      audit: ['access_package.assign'],
      handle: async (request) => {
        const { id } = request.params
        const { userId, expiresAt = null } = request.body
        const { assignmentId } = await assign(id, userId, expiresAt, actorOf(request))
        const body = await readAssignment(assignmentId)
        return created(`/api/v1/access-packages/${id}/assignments/${assignmentId}`, body)
      },
    }),
    route({
      method: 'GET',
      path: '/access-packages/{id}/assignments/{assignmentId}',
      tag,
      summary: 'Read an assignment of an access package',
      access: readers,
      params: assignmentParams,
      result: PackageAssignment,
      status: 200,
      errors: [],
      handle: async ({ params: { id, assignmentId } }) => {
        const row = await existing(findPackageAssignment(pool, assignmentId, clock.now()))
        return { body: toAssignment(await existing(Promise.resolve(row.packageId === id ? row : null))) }
      },
    }),
    route({
      method: 'PATCH',
      path: '/access-packages/{id}/assignments/{assignmentId}',
      tag,
      summary: 'Change when an assignment of an access package expires',
      access: writers('user_admin'),
      params: assignmentParams,
      body: fields({ expiresAt: Type.Union([Time, Type.Null()]) }),
      result: PackageAssignment,
      status: 200,
      errors: ['ERR_CONFLICT'],
      audit: ['access_package.assignment.extend'],
      handle: async (request) => {
        const { id, assignmentId } = request.params
        const { expiresAt } = request.body
        const until = expiresAt === null ? null : instantOf(expiresAt, 'expiresAt')
        await packages.extend(id, assignmentId, until, actorOf(request))
        return { body: await readAssignment(assignmentId) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/access-packages/{id}/assignments/{assignmentId}',
      tag,
      summary: 'End an assignment of an access package',
      description:
        'The user loses the groups that nothing else gives them, before the response is sent. Other packages keep theirs.',
      access: writers('user_admin'),
      params: assignmentParams,
      status: 204,
      errors: ['ERR_CONFLICT'],
      audit: ['access_package.unassign'],
      handle: async (request) => {
        const { id, assignmentId } = request.params
        await packages.end(id, assignmentId, actorOf(request))
        return done
      },
    }),
  ]
}
