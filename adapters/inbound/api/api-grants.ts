import { Type } from 'typebox'
import { findApiGrant, findApiResource, listApiGrants } from '../../../read-models/queries/api-resources.ts'
import { findApplication } from '../../../read-models/queries/applications.ts'
import { applicationCommands } from '../../application/commands/applications.ts'
import type { Services } from '../../application/services/services.ts'
import { listQuery, listPage, listReply } from '../http/cursor.ts'
import { done, fields, idOf, route, type Route } from '../http/route.ts'
import { actorOf } from '../http/actor.ts'
import { ApiGrant, grantedScopes } from './api-resource-schemas.ts'
import { Application, applicationRecords } from './application-schemas.ts'
import { existing, listPageOf, proven, readBack, readers, writers } from '../http/schemas.ts'

const tag = 'API resources'
const params = fields({ id: idOf('apiResource') })
const apiGrantParams = fields({ id: idOf('apiResource'), applicationId: idOf('application') })

export const apiGrantRoutes = (
  services: Pick<
    Services,
    'handle' | 'pool' | 'reservations' | 'locks' | 'vault' | 'clock' | 'random' | 'publicUrl'
  >,
): readonly Route[] => {
  const { pool } = services
  const toApplication = applicationRecords(services.publicUrl)
  const applications = applicationCommands(services)

  return [
    route({
      method: 'GET',
      path: '/api-resources/{id}/grants',
      tag,
      summary: 'List applications with scopes of an API resource',
      access: readers,
      params,
      query: listQuery({}),
      result: Type.Array(ApiGrant),
      status: 200,
      errors: [],
      handle: async ({ params: { id }, query, http }) => {
        await existing(findApiResource(pool, id))
        const { page, shown, toCursor } = listPageOf(query)
        const rows = await listApiGrants(pool, id, page)
        const place = (row: (typeof rows)[number]) =>
          toCursor({ sortKey: row.sortKey, id: row.applicationId })
        return listReply(listPage(rows, shown, place, http.url), ({ sortKey: _, ...row }) => row)
      },
    }),
    route({
      method: 'PUT',
      path: '/api-resources/{id}/grants/{applicationId}',
      tag,
      summary: 'Grant scopes to an application',
      description: 'Send the complete list: scopes that it omits are revoked.',
      access: proven(writers('app_admin')),
      params: apiGrantParams,
      body: fields({ scopes: grantedScopes }),
      result: ApiGrant,
      status: 200,
      errors: ['ERR_CONFLICT'],
      audit: ['application.api_grant.update'],
      handle: async (request) => {
        const { id, applicationId } = request.params
        await applications.setApiGrant(applicationId, id, request.body.scopes, actorOf(request))
        return { body: await existing(findApiGrant(pool, id, applicationId)) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/api-resources/{id}/grants/{applicationId}',
      tag,
      summary: 'Revoke all scopes of an application',
      access: writers('app_admin'),
      params: apiGrantParams,
      status: 204,
      errors: ['ERR_CONFLICT'],
      audit: ['application.api_grant.update'],
      handle: async (request) => {
        const { id, applicationId } = request.params
        await applications.removeApiGrant(applicationId, id, actorOf(request))
        return done
      },
    }),
    route({
      method: 'PUT',
      path: '/applications/{id}/api-grants',
      tag: 'Applications',
      summary: 'Grant scopes of API resources',
      description: 'Send the complete list. Access tokens of an application with a grant are JWTs.',
      access: proven(writers('app_admin')),
      params: fields({ id: idOf('application') }),
      body: fields({
        apiGrants: Type.Array(fields({ apiResourceId: idOf('apiResource'), scopes: grantedScopes }), {
          maxItems: 100,
        }),
      }),
      result: Application,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['application.api_grant.update'],
      handle: async (request) => {
        const { id } = request.params
        const { version } = await applications.setApiGrants(id, request.body.apiGrants, actorOf(request))
        return { body: toApplication(await readBack(findApplication(pool, id), version)) }
      },
    }),
  ]
}
