import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { sessionDevice } from '../../../read-models/queries/account.ts'
import { findDevice, listDevices, type DeviceRow } from '../../../read-models/queries/devices.ts'
import type { Services } from '../../application/services/services.ts'
import { deviceCommands } from '../../application/commands/devices.ts'
import type { PersonCaller } from '../http/caller.ts'
import { listQuery, listPage, listReply } from '../http/cursor.ts'
import { done, fields, idOf, route, type Route } from '../http/route.ts'
import { noSessionCookie } from '../sign-in/cookie.ts'
import { actorOf } from '../http/actor.ts'
import { deviceNameField, OwnDevice, toDevice } from './device-schemas.ts'
import { readBack } from '../http/schemas.ts'
import { newestFirst } from './session-schemas.ts'

const tag = 'Account'
const person = { credentials: ['session', 'cli_token'] } as const
const params = fields({ id: idOf('device') })

/** Routes for the browsers that the signed-in user signs in with. */
export const meDeviceRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'vault' | 'clock' | 'locate' | 'publicUrl'>,
): readonly Route[] => {
  const { pool, clock, publicUrl } = services
  const devices = deviceCommands(services)

  const currentOf = async ({ sessionId }: PersonCaller): Promise<string | null> =>
    sessionId === undefined ? null : sessionDevice(pool, sessionId)
  const shown = (row: DeviceRow, current: string | null) => ({
    ...toDevice(row, services),
    current: row.id === current,
  })
  /** @throws DomainError ERR_NOT_FOUND */
  const own = async (id: string, { userId }: PersonCaller): Promise<DeviceRow> => {
    const row = await findDevice(pool, id, clock.now())
    if (row?.userId !== userId || row.status === 'removed') throw new DomainError('ERR_NOT_FOUND')
    return row
  }

  return [
    route({
      method: 'GET',
      path: '/me/devices',
      tag,
      summary: 'List your devices, newest first',
      access: person,
      query: listQuery({}),
      result: Type.Array(OwnDevice),
      status: 200,
      errors: [],
      handle: async ({ query, caller, http }) => {
        const { page, shown: limit, toCursor } = newestFirst(query)
        const [rows, current] = await Promise.all([
          listDevices(pool, { userId: caller.userId }, page, clock.now()),
          currentOf(caller),
        ])
        return listReply(listPage(rows, limit, toCursor, http.url), ({ sortKey: _, ...row }) =>
          shown(row, current),
        )
      },
    }),
    route({
      method: 'GET',
      path: '/me/devices/{id}',
      tag,
      summary: 'Get one of your devices',
      access: person,
      params,
      result: OwnDevice,
      status: 200,
      errors: [],
      handle: async ({ params: pathParams, caller }) => ({
        body: shown(await own(pathParams.id, caller), await currentOf(caller)),
      }),
    }),
    route({
      method: 'PATCH',
      path: '/me/devices/{id}',
      tag,
      summary: 'Rename one of your devices',
      access: person,
      params,
      body: fields({ name: deviceNameField }),
      result: OwnDevice,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['device.update'],
      handle: async (request) => {
        const { params: pathParams, body, caller } = request
        await own(pathParams.id, caller)
        const { version } = await devices.rename(pathParams.id, body.name, actorOf(request))
        const row = await readBack(findDevice(pool, pathParams.id, clock.now()), version)
        return { body: shown(row, await currentOf(caller)) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/me/devices/{id}',
      tag,
      summary: 'Remove one of your devices',
      description:
        'Its sessions end before the response is sent. Rejected for a device that an administrator blocked. The next sign-in on it registers it as a new device.',
      access: person,
      params,
      status: 204,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['device.remove'],
      handle: async (request) => {
        const { params: pathParams, caller } = request
        await own(pathParams.id, caller)
        const isCurrent = (await currentOf(caller)) === pathParams.id
        await devices.remove(pathParams.id, 'self', actorOf(request))
        return isCurrent ? { headers: { 'Set-Cookie': noSessionCookie(publicUrl) } } : done
      },
    }),
  ]
}
