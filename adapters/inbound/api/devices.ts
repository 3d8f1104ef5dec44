import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import type { Role } from '../../../domain/roles.ts'
import { findDevice, listDevices, rolesBehindDevice } from '../../../read-models/queries/devices.ts'
import { findUser } from '../../../read-models/queries/users.ts'
import type { Services } from '../../application/services/services.ts'
import { deviceCommands } from '../../application/commands/devices.ts'
import { listQuery, listPage, listReply } from '../http/cursor.ts'
import { done, fields, idOf, route, type Route } from '../http/route.ts'
import { actorOf } from '../http/actor.ts'
import { Device, deviceNameField, deviceStatuses, toDevice } from './device-schemas.ts'
import { existing, instantOf, readBack, readers, writers } from '../http/schemas.ts'
import { newestFirst } from './session-schemas.ts'

const tag = 'Devices'
const params = fields({ id: idOf('device') })
const access = writers('security_admin')
const status = Type.Optional(
  Type.Enum([...deviceStatuses], { description: 'Default: all except removed devices' }),
)

/** Routes for administrators about the devices (browsers) of users. */
export const deviceAdminRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'vault' | 'clock' | 'locate'>,
): readonly Route[] => {
  const { pool, clock } = services
  const devices = deviceCommands(services)
  const read = (id: string) => findDevice(pool, id, clock.now())

  /** @throws DomainError ERR_NOT_FOUND, ERR_FORBIDDEN */
  const mayChange = async (id: string, roles: readonly Role[]): Promise<void> => {
    const held = await existing(rolesBehindDevice(pool, id))
    if (held.length > 0 && !roles.includes('global_admin'))
      throw new DomainError(
        'ERR_FORBIDDEN',
        'Only a global administrator can act on an account that has a role.',
      )
  }

  const list = async (
    query: Parameters<typeof newestFirst>[0],
    filters: Parameters<typeof listDevices>[1],
    url: URL,
  ) => {
    const { page, shown, toCursor } = newestFirst(query)
    const rows = await listDevices(pool, filters, page, clock.now())
    return listReply(listPage(rows, shown, toCursor, url), ({ sortKey: _, ...row }) =>
      toDevice(row, services),
    )
  }

  /** A route for a change without input that returns 204. */
  const action = (
    name: 'untrust' | 'block' | 'unblock',
    words: { readonly summary: string; readonly description?: string },
  ): Route =>
    route({
      method: 'POST',
      path: `/devices/{id}/${name}`,
      tag,
      ...words,
      access,
      params,
      status: 204,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: [`device.${name}`],
      handle: async (request) => {
        const { id } = request.params
        await mayChange(id, request.caller.roles)
        await devices[name](id, actorOf(request))
        return done
      },
    })

  return [
    route({
      method: 'GET',
      path: '/devices',
      tag,
      summary: 'List devices, newest first',
      access: readers,
      query: listQuery({ userId: Type.Optional(idOf('user')), status }),
      result: Type.Array(Device),
      status: 200,
      errors: [],
      handle: ({ query, http }) => list(query, query, http.url),
    }),
    route({
      method: 'GET',
      path: '/users/{id}/devices',
      tag,
      summary: "List a user's devices, newest first",
      access: readers,
      params: fields({ id: idOf('user') }),
      query: listQuery({ status }),
      result: Type.Array(Device),
      status: 200,
      errors: [],
      handle: async ({ params: { id }, query, http }) => {
        await existing(findUser(pool, id, clock.now()))
        return list(query, { userId: id, status: query.status }, http.url)
      },
    }),
    route({
      method: 'GET',
      path: '/devices/{id}',
      tag,
      summary: 'Get a device',
      access: readers,
      params,
      result: Device,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: toDevice(await existing(read(id)), services) }),
    }),
    route({
      method: 'PATCH',
      path: '/devices/{id}',
      tag,
      summary: 'Rename a device',
      access,
      params,
      body: fields({ name: deviceNameField }),
      result: Device,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['device.update'],
      handle: async (request) => {
        const { params: pathParams, body, caller } = request
        await mayChange(pathParams.id, caller.roles)
        const { version } = await devices.rename(pathParams.id, body.name, actorOf(request))
        return { body: toDevice(await readBack(read(pathParams.id), version), services) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/devices/{id}',
      tag,
      summary: 'Remove a device',
      description:
        'Its sessions end before the response is sent. The next sign-in on it registers it as a new device.',
      access,
      params,
      status: 204,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['device.remove'],
      handle: async (request) => {
        const { params: pathParams, caller } = request
        await mayChange(pathParams.id, caller.roles)
        await devices.remove(pathParams.id, 'administrator', actorOf(request))
        return done
      },
    }),
    route({
      method: 'POST',
      path: '/devices/{id}/trust',
      tag,
      summary: 'Trust a device',
      access,
      params,
      body: fields({
        expiresAt: Type.Optional(
          Type.String({ format: 'date-time', description: 'Default: until an administrator untrusts it' }),
        ),
      }),
      status: 204,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['device.trust'],
      handle: async (request) => {
        const { params: pathParams, body, caller } = request
        await mayChange(pathParams.id, caller.roles)
        const expiresAt = body.expiresAt === undefined ? null : instantOf(body.expiresAt, 'expiresAt')
        await devices.trust(pathParams.id, expiresAt, actorOf(request))
        return done
      },
    }),
    action('untrust', { summary: 'Untrust a device' }),
    action('block', {
      summary: 'Block a device',
      description: 'Its sessions end before the response is sent. Its user can no longer sign in on it.',
    }),
    action('unblock', { summary: 'Unblock a device' }),
  ]
}
