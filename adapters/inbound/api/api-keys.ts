import { Type, type Static } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import type { Role } from '../../../domain/roles.ts'
import { findApiKey, listApiKeys, type ApiKeyFilters } from '../../../read-models/queries/api-keys.ts'
import { findServiceAccount } from '../../../read-models/queries/service-accounts.ts'
import { apiKeyCommands } from '../../application/commands/api-keys.ts'
import type { Services } from '../../application/services/services.ts'
import type { Actor } from '../../application/services/handle.ts'
import { listQuery, listPage, listReply } from '../http/cursor.ts'
import { created, done, fields, idOf, route, type HttpContext, type Route } from '../http/route.ts'
import { actorOf } from '../http/actor.ts'
import { ApiKey, CreatedApiKey, keyStatus, newKey, scope } from './api-key-schemas.ts'
import {
  existing,
  withoutNulls,
  instantOf,
  listPageOf,
  proven,
  readBack,
  readers,
  sorting,
  writers,
} from '../http/schemas.ts'

const tag = 'API keys'
const params = fields({ id: idOf('apiKey') })
const accountParams = fields({ id: idOf('user') })
const keyBody = fields(newKey)

const ONCE =
  'The key appears only in this response. Requires all roles of the service account, or the global_admin role.'

export const apiKeyRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'locks' | 'vault' | 'clock' | 'random' | 'configuration'>,
): readonly Route[] => {
  const { pool, clock } = services
  const keys = apiKeyCommands(services)
  const read = (id: string) => findApiKey(pool, id, clock.now())

  const list = async (
    filters: ApiKeyFilters,
    query: Parameters<typeof listPageOf>[0],
    { url }: Pick<HttpContext, 'url'>,
  ) => {
    const { page, shown, toCursor } = listPageOf({ ...query, sort: query.sort ?? '-createdAt' })
    const rows = await listApiKeys(pool, filters, page, clock.now())
    return listReply(listPage(rows, shown, toCursor, url), ({ sortKey: _, ...row }) => row)
  }

  const create = async (
    serviceAccountId: string,
    body: Static<typeof keyBody>,
    by: readonly Role[],
    missing: DomainError,
    actor: Actor,
  ) => {
    const { expiresAt, ...rest } = withoutNulls(body)
    const until = expiresAt === undefined ? {} : { expiresAt: instantOf(expiresAt, 'expiresAt') }
    const input = { serviceAccountId, ...rest, ...until }
    const { keyId, key, version } = await keys.create(input, by, missing, actor)
    return created(`/api/v1/api-keys/${keyId}`, { ...(await readBack(read(keyId), version)), key })
  }

  return [
    route({
      method: 'GET',
      path: '/service-accounts/{id}/keys',
      tag,
      summary: "List a service account's API keys, newest first",
      description: 'Includes revoked and expired keys. The keys themselves cannot be read again.',
      access: readers,
      params: accountParams,
      query: listQuery({ ...sorting, status: Type.Optional(keyStatus), scope: Type.Optional(scope) }),
      result: Type.Array(ApiKey),
      status: 200,
      errors: [],
      handle: async ({ params: { id }, query, http }) => {
        await existing(findServiceAccount(pool, id, clock.now()))
        return list({ ...query, serviceAccountId: id }, query, http)
      },
    }),
    route({
      method: 'POST',
      path: '/service-accounts/{id}/keys',
      tag,
      summary: 'Create an API key for a service account',
      description: ONCE,
      access: proven(writers('user_admin')),
      params: accountParams,
      body: keyBody,
      result: CreatedApiKey,
      status: 201,
      errors: ['ERR_CONFLICT'],
      audit: ['api_key.create'],
      handle: (request) =>
        create(
          request.params.id,
          request.body,
          request.caller.roles,
          new DomainError('ERR_NOT_FOUND'),
          actorOf(request),
        ),
    }),
    route({
      method: 'GET',
      path: '/api-keys',
      tag,
      summary: 'List API keys, newest first',
      description: 'Includes revoked and expired keys. The keys themselves cannot be read again.',
      access: readers,
      query: listQuery({
        ...sorting,
        serviceAccountId: Type.Optional(idOf('user')),
        status: Type.Optional(keyStatus),
        scope: Type.Optional(scope),
      }),
      result: Type.Array(ApiKey),
      status: 200,
      errors: [],
      handle: ({ query, http }) => list(query, query, http),
    }),
    route({
      method: 'POST',
      path: '/api-keys',
      tag,
      summary: 'Create an API key',
      description: ONCE,
      access: proven(writers('user_admin')),
      body: fields({ serviceAccountId: idOf('user'), ...newKey }),
      result: CreatedApiKey,
      status: 201,
      errors: ['ERR_CONFLICT'],
      audit: ['api_key.create'],
      handle: (request) => {
        const { serviceAccountId, ...body } = request.body
        const missing = new DomainError(
          'ERR_INVALID',
          'serviceAccountId: expected the id of an existing service account',
          '/serviceAccountId',
        )
        return create(serviceAccountId, body, request.caller.roles, missing, actorOf(request))
      },
    }),
    route({
      method: 'GET',
      path: '/api-keys/{id}',
      tag,
      summary: 'Read an API key',
      description: 'Returns everything except the key itself, including for revoked and expired keys.',
      access: readers,
      params,
      result: ApiKey,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: await existing(read(id)) }),
    }),
    route({
      method: 'DELETE',
      path: '/api-keys/{id}',
      tag,
      summary: 'Revoke an API key',
      description:
        'The key stops working before the response is sent. Requires all roles of the service account, or the global_admin role.',
      access: writers('user_admin'),
      params,
      status: 204,
      errors: ['ERR_STALE'],
      audit: ['api_key.revoke'],
      handle: async (request) => {
        await keys.revoke(request.params.id, request.caller.roles, actorOf(request))
        return done
      },
    }),
  ]
}
