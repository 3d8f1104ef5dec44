import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import type { Id } from '../../../domain/ids.ts'
import { readAddress } from '../../../domain/network-zone/address.ts'
import { emptyZone } from '../../../domain/network-zone/decider.ts'
import { findNetworkZone, listNetworkZones } from '../../../read-models/queries/network-zones.ts'
import { networkZoneCommands } from '../../application/commands/network-zones.ts'
import type { Services } from '../../application/services/services.ts'
import { actorOf } from '../http/actor.ts'
import { listPage, listQuery, listReply } from '../http/cursor.ts'
import { created, done, fields, idOf, route, type Route } from '../http/route.ts'
import {
  existing,
  listPageOf,
  printable,
  proven,
  readBack,
  readers,
  sent,
  sorting,
  writers,
} from '../http/schemas.ts'
import { NetworkLookup, NetworkZone, networkZoneInput, NetworkZoneTypes } from './network-zone-schemas.ts'

const tag = 'Network zones'
const params = fields({ id: idOf('networkZone') })
const { name, type, ...others } = networkZoneInput
const flag = Type.Optional(Type.Enum(['true', 'false']))

/** Routes for network zones. */
export const networkZoneRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'locks' | 'reservations' | 'configuration' | 'whereabouts'>,
): readonly Route[] => {
  const { pool, whereabouts, configuration } = services
  const zones = networkZoneCommands(services)
  const read = (id: string) => findNetworkZone(pool, id)
  const guardOf = (ip: string, force: boolean) => ({ here: { ip, ...whereabouts(ip) }, force })

  return [
    route({
      method: 'GET',
      path: '/network-zones',
      tag,
      summary: 'List network zones',
      access: readers,
      query: listQuery({
        ...sorting,
        type: Type.Optional(NetworkZoneTypes),
        blocked: flag,
        trusted: flag,
      }),
      result: Type.Array(NetworkZone),
      status: 200,
      errors: [],
      handle: async ({ query, http }) => {
        const { page, shown, toCursor } = listPageOf(query)
        const { blocked, trusted, ...rest } = query
        const filters = {
          ...rest,
          ...(blocked === undefined ? {} : { blocked: blocked === 'true' }),
          ...(trusted === undefined ? {} : { trusted: trusted === 'true' }),
        }
        const rows = await listNetworkZones(pool, filters, page)
        return listReply(listPage(rows, shown, toCursor, http.url), ({ sortKey: _, ...row }) => row)
      },
    }),
    route({
      method: 'POST',
      path: '/network-zones',
      tag,
      summary: 'Create a network zone',
      description:
        'Rejected with ERR_CONFLICT if it is blocked and contains the address of the request, unless force is true.',
      access: proven(writers('security_admin')),
      body: fields({ name, type, ...others }),
      result: NetworkZone,
      status: 201,
      errors: ['ERR_CONFLICT'],
      audit: ['network_zone.create'],
      handle: async (request) => {
        const { force = false, ...input } = sent(request.body)
        const guard = guardOf(request.http.ip, force)
        const { networkZoneId, version } = await zones.create(
          { ...emptyZone, ...input },
          guard,
          actorOf(request),
        )
        return created(`/api/v1/network-zones/${networkZoneId}`, await readBack(read(networkZoneId), version))
      },
    }),
    route({
      method: 'POST',
      path: '/network-zones/lookup',
      tag,
      summary: 'Show the network zones that contain an address',
      access: readers,
      body: fields({ ip: printable(64, 'an IPv4 or IPv6 address') }),
      result: NetworkLookup,
      status: 200,
      errors: [],
      handle: async ({ body: { ip } }) => {
        if (readAddress(ip) === null)
          throw new DomainError('ERR_INVALID', 'ip: expected an IPv4 or IPv6 address', '/ip')
        const { zonesAt } = await configuration.fresh()
        const found = zonesAt(ip).map((zone) => ({
          id: zone.id as Id<'networkZone'>,
          name: zone.name,
          blocked: zone.blocked,
          trusted: zone.trusted,
        }))
        return { body: { ip, ...whereabouts(ip), zones: found } }
      },
    }),
    route({
      method: 'GET',
      path: '/network-zones/{id}',
      tag,
      summary: 'Read a network zone',
      access: readers,
      params,
      result: NetworkZone,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: await existing(read(id)) }),
    }),
    route({
      method: 'PATCH',
      path: '/network-zones/{id}',
      tag,
      summary: 'Update a network zone',
      description: 'In effect for every following request on every instance when it returns.',
      access: proven(writers('security_admin')),
      params,
      body: fields({ name: Type.Optional(name), type: Type.Optional(type), ...others }),
      result: NetworkZone,
      status: 200,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['network_zone.update'],
      handle: async (request) => {
        const { force = false, ...input } = sent(request.body)
        const { id } = request.params
        const { version } = await zones.update(id, input, guardOf(request.http.ip, force), actorOf(request))
        return { body: await readBack(read(id), version) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/network-zones/{id}',
      tag,
      summary: 'Delete a network zone',
      description: 'Rejected while an access policy names it.',
      access: proven(writers('security_admin')),
      params,
      status: 204,
      errors: ['ERR_CONFLICT', 'ERR_STALE'],
      audit: ['network_zone.delete'],
      handle: async (request) => {
        await zones.delete(request.params.id, actorOf(request))
        return done
      },
    }),
  ]
}
