import { Type } from 'typebox'
import { roleKeys } from '../../../domain/roles.ts'
import { findServiceAccount, listServiceAccounts } from '../../../read-models/queries/service-accounts.ts'
import type { ServiceAccountRow } from '../../../read-models/queries/service-accounts.ts'
import type { Services } from '../../application/services/services.ts'
import { serviceAccountCommands } from '../../application/commands/service-accounts.ts'
import { listQuery, listPage, listReply } from '../http/cursor.ts'
import { created, done, fields, idOf, route, type Route } from '../http/route.ts'
import { actorOf } from '../http/actor.ts'
import { accountDetails, accountName, accountStatus, ServiceAccount } from './api-key-schemas.ts'
import { hostPatterns } from './ssh-host-schemas.ts'
import {
  existing,
  withoutNulls,
  listPageOf,
  proven,
  readBack,
  readers,
  sent,
  sorting,
  writers,
} from '../http/schemas.ts'

const tag = 'Service accounts'
const params = fields({ id: idOf('user') })
const role = Type.Enum([...roleKeys])

const shown = (row: ServiceAccountRow) => ({ ...row, kind: 'service_account' as const })

export const serviceAccountRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'reservations' | 'locks' | 'clock'>,
): readonly Route[] => {
  const { pool, clock } = services
  const accounts = serviceAccountCommands(services)
  const read = (id: string) => findServiceAccount(pool, id, clock.now())
  const after = async (id: string, version: number) => shown(await readBack(read(id), version))

  const turning = (type: 'disable' | 'enable', summary: string, description: string): Route =>
    route({
      method: 'POST',
      path: `/service-accounts/{id}/${type}`,
      tag,
      summary,
      description,
      access: writers('user_admin'),
      params,
      result: ServiceAccount,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: [`service_account.${type}`],
      handle: async (request) => {
        const { id } = request.params
        const { version } = await accounts.turn(type, id, request.caller.roles, actorOf(request))
        return { body: await after(id, version) }
      },
    })

  return [
    route({
      method: 'GET',
      path: '/service-accounts',
      tag,
      summary: 'List service accounts',
      description: 'Deleted service accounts are listed only if the status filter includes them.',
      access: readers,
      query: listQuery({
        ...sorting,
        status: Type.Optional(accountStatus),
        role: Type.Optional(role),
        ownerId: Type.Optional(idOf('user')),
      }),
      result: Type.Array(ServiceAccount),
      status: 200,
      errors: [],
      handle: async ({ query, http }) => {
        const { page, shown: limit, toCursor } = listPageOf(query)
        const rows = await listServiceAccounts(pool, query, page, clock.now())
        return listReply(listPage(rows, limit, toCursor, http.url), ({ sortKey: _, ...row }) => shown(row))
      },
    }),
    route({
      method: 'POST',
      path: '/service-accounts',
      tag,
      summary: 'Create a service account',
      description: 'A new service account has no roles and no keys.',
      access: writers('user_admin'),
      body: fields({ name: accountName, ...accountDetails }),
      result: ServiceAccount,
      status: 201,
      errors: ['ERR_CONFLICT'],
      audit: ['service_account.create'],
      handle: async (request) => {
        const { serviceAccountId, version } = await accounts.create(
          withoutNulls(request.body),
          actorOf(request),
        )
        return created(`/api/v1/service-accounts/${serviceAccountId}`, await after(serviceAccountId, version))
      },
    }),
    route({
      method: 'GET',
      path: '/service-accounts/{id}',
      tag,
      summary: 'Get a service account',
      description: 'Deleted service accounts are returned with the status deleted.',
      access: readers,
      params,
      result: ServiceAccount,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: shown(await existing(read(id))) }),
    }),
    route({
      method: 'PATCH',
      path: '/service-accounts/{id}',
      tag,
      summary: 'Update a service account',
      description: 'Requires all of its roles, or the global_admin role.',
      access: writers('user_admin'),
      params,
      body: fields({ name: Type.Optional(accountName), ...accountDetails }),
      result: ServiceAccount,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['service_account.update'],
      handle: async (request) => {
        const { id } = request.params
        const { version } = await accounts.update(
          id,
          sent(request.body),
          request.caller.roles,
          actorOf(request),
        )
        return { body: await after(id, version) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/service-accounts/{id}',
      tag,
      summary: 'Delete a service account and revoke its keys',
      description: 'The keys stop working before the response is sent, and the name can be used again.',
      access: writers('user_admin'),
      params,
      status: 204,
      errors: ['ERR_STALE'],
      audit: ['service_account.delete', 'api_key.revoke'],
      handle: async (request) => {
        await accounts.delete(request.params.id, request.caller.roles, actorOf(request))
        return done
      },
    }),
    turning('disable', 'Disable a service account', 'Its keys stop working before the response is sent.'),
    turning(
      'enable',
      'Enable a disabled service account',
      'Keys that are not revoked or expired work again.',
    ),
    route({
      method: 'PUT',
      path: '/service-accounts/{id}/roles',
      tag,
      summary: "Set a service account's roles",
      description:
        'Adding a role revokes all API keys of the account, because their holders were not given that role. Create new keys afterwards. Removing a role keeps the keys.',
      access: proven(writers('global_admin')),
      params,
      body: fields({ roles: Type.Array(role, { uniqueItems: true }) }),
      result: ServiceAccount,
      status: 200,
      errors: ['ERR_STALE'],
      audit: ['service_account.roles.update', 'api_key.revoke'],
      handle: async (request) => {
        const { id } = request.params
        const { version } = await accounts.setRoles(id, request.body.roles, actorOf(request))
        return { body: await after(id, version) }
      },
    }),
    route({
      method: 'PUT',
      path: '/service-accounts/{id}/ssh-host-names',
      tag,
      summary: 'Set the hosts for which a service account gets SSH host certificates',
      description:
        'The first host names revoke all API keys of the account, because their holders were not given that right. With host names, the account and its keys are managed only by users who also have the security_admin role. Certificates with a name that is removed are on the revocation list.',
      access: proven(writers('security_admin')),
      params,
      body: fields({ hostNames: hostPatterns }),
      result: ServiceAccount,
      status: 200,
      errors: ['ERR_STALE'],
      audit: ['service_account.ssh_host_names.update', 'api_key.revoke'],
      handle: async (request) => {
        const { id } = request.params
        const { version } = await accounts.setSshHostNames(id, request.body.hostNames, actorOf(request))
        return { body: await after(id, version) }
      },
    }),
  ]
}
