import { Type } from 'typebox'
import { findApiResource, listApiResources } from '../../../read-models/queries/api-resources.ts'
import { apiResourceCommands } from '../../application/commands/api-resources.ts'
import type { Services } from '../../application/services/services.ts'
import { Identifier } from '../http/address-schemas.ts'
import { listQuery, listPage, listReply } from '../http/cursor.ts'
import { created, done, fields, idOf, route, type Route } from '../http/route.ts'
import { actorOf } from '../http/actor.ts'
import { ApiResource, apiResourceSettings, resourceName, toScopes } from './api-resource-schemas.ts'
import {
  existing,
  withoutNulls,
  listPageOf,
  printable,
  readBack,
  readers,
  sent,
  sorting,
  writers,
} from '../http/schemas.ts'

const tag = 'API resources'
const params = fields({ id: idOf('apiResource') })

export const apiResourceRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'reservations' | 'locks' | 'publicUrl'>,
): readonly Route[] => {
  const { pool } = services
  const resources = apiResourceCommands(services)
  const read = (id: string) => findApiResource(pool, id)

  return [
    route({
      method: 'GET',
      path: '/api-resources',
      tag,
      summary: 'List API resources',
      access: readers,
      query: listQuery({
        ...sorting,
        identifier: Type.Optional(printable(500)),
        applicationId: Type.Optional(idOf('application')),
      }),
      result: Type.Array(ApiResource),
      status: 200,
      errors: [],
      handle: async ({ query, http }) => {
        const { page, shown, toCursor } = listPageOf(query)
        const rows = await listApiResources(pool, query, page)
        return listReply(listPage(rows, shown, toCursor, http.url), ({ sortKey: _, ...row }) => row)
      },
    }),
    route({
      method: 'POST',
      path: '/api-resources',
      tag,
      summary: 'Create an API resource',
      description: 'An application can request its scopes once they are granted to the application.',
      access: writers('app_admin'),
      body: fields({ identifier: Identifier, name: resourceName, ...apiResourceSettings }),
      result: ApiResource,
      status: 201,
      errors: ['ERR_CONFLICT'],
      audit: ['api_resource.create'],
      handle: async (request) => {
        const { scopes = [], ...rest } = withoutNulls(request.body)
        const { apiResourceId, version } = await resources.create(
          { ...rest, scopes: toScopes(scopes) },
          actorOf(request),
        )
        const row = await readBack(read(apiResourceId), version)
        return created(`/api/v1/api-resources/${apiResourceId}`, row)
      },
    }),
    route({
      method: 'GET',
      path: '/api-resources/{id}',
      tag,
      summary: 'Read an API resource',
      access: readers,
      params,
      result: ApiResource,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: await existing(read(id)) }),
    }),
    route({
      method: 'PATCH',
      path: '/api-resources/{id}',
      tag,
      summary: 'Update an API resource',
      description:
        'The identifier cannot be changed. A scope that is still granted to an application cannot be removed.',
      access: writers('app_admin'),
      params,
      body: fields({ name: Type.Optional(resourceName), ...apiResourceSettings }),
      result: ApiResource,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['api_resource.update', 'api_resource.scope.add', 'api_resource.scope.remove'],
      handle: async (request) => {
        const { id } = request.params
        const { scopes, ...changes } = sent(request.body)
        const wanted = scopes === undefined ? undefined : toScopes(scopes)
        const { version } = await resources.update(id, changes, wanted, actorOf(request))
        return { body: await readBack(read(id), version) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/api-resources/{id}',
      tag,
      summary: 'Delete an API resource',
      description: 'Rejected while any of its scopes is granted to an application.',
      access: writers('app_admin'),
      params,
      status: 204,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['api_resource.delete'],
      handle: async (request) => {
        await resources.delete(request.params.id, actorOf(request))
        return done
      },
    }),
  ]
}
