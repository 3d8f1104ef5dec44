import { Type } from 'typebox'
import { deliveryMethods, streamStatuses } from '../../../domain/shared-signals/events.ts'
import {
  findSharedSignalsStream,
  sharedSignalsStreams,
  type SharedSignalsStreamRow,
} from '../../../read-models/queries/shared-signals.ts'
import { sharedSignalsStreamCommands } from '../../application/commands/shared-signals-streams.ts'
import type { Services } from '../../application/services/services.ts'
import { actorOf } from '../http/actor.ts'
import { done, fields, idOf, route, type Route } from '../http/route.ts'
import { existing, nullable, prose, readBack, readers, Time, Version, writers } from '../http/schemas.ts'

const tag = 'Shared signals'
const params = fields({ id: idOf('sharedSignalsStream') })
const Status = Type.Enum([...streamStatuses], {
  description: 'paused: events wait for the receiver; disabled: events are lost',
})

export const SharedSignalsStream = Type.Object(
  {
    id: idOf('sharedSignalsStream'),
    applicationId: idOf('application', { description: 'The receiver' }),
    applicationName: Type.String(),
    description: nullable(Type.String()),
    eventsRequested: Type.Array(Type.String(), { description: 'URIs of event types' }),
    method: Type.Enum([...deliveryMethods], {
      description: 'urn:ietf:rfc:8935 is push, urn:ietf:rfc:8936 poll',
    }),
    endpointUrl: nullable(Type.String({ description: 'null for poll' })),
    status: Status,
    statusReason: nullable(Type.String()),
    statusBy: Type.Enum(['receiver', 'administrator']),
    pending: Type.Integer({ description: 'Events that wait for the receiver' }),
    lastDeliveredAt: nullable(Time),
    lastError: nullable(Type.String({ description: 'Of the newest event that failed in the last 7 days' })),
    createdAt: Time,
    updatedAt: Time,
    version: Version,
  },
  { title: 'SharedSignalsStream' },
)

const shown = ({ sealedAuthorization: _, createdPosition: __, ...row }: SharedSignalsStreamRow) => row

/** Routes for the streams that receivers of shared signals created. Their protocol is in `adapters/inbound/ssf`. */
export const sharedSignalsStreamRoutes = (
  services: Pick<Services, 'handle' | 'pool' | 'locks' | 'vault' | 'clock'>,
): readonly Route[] => {
  const { pool } = services
  const streams = sharedSignalsStreamCommands(services)
  const read = (id: string) => findSharedSignalsStream(pool, id)

  return [
    route({
      method: 'GET',
      path: '/shared-signals-streams',
      tag,
      summary: 'List streams of shared signals, newest first',
      description: 'Each application has at most one, which it creates and manages itself.',
      access: readers,
      result: Type.Array(SharedSignalsStream),
      status: 200,
      errors: [],
      handle: async () => ({ body: (await sharedSignalsStreams(pool)).map(shown) }),
    }),
    route({
      method: 'GET',
      path: '/shared-signals-streams/{id}',
      tag,
      summary: 'Read a stream of shared signals',
      access: readers,
      params,
      result: SharedSignalsStream,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: shown(await existing(read(id))) }),
    }),
    route({
      method: 'PATCH',
      path: '/shared-signals-streams/{id}',
      tag,
      summary: 'Enable, pause or disable a stream of shared signals',
      description: 'The receiver is told. It cannot enable a stream that an administrator stopped.',
      access: writers('security_admin', 'app_admin'),
      params,
      body: fields({ status: Status, reason: Type.Optional(prose(500)) }),
      result: SharedSignalsStream,
      status: 200,
      errors: ['ERR_STALE'],
      audit: ['shared_signals_stream.status.update'],
      handle: async (request) => {
        const { id } = request.params
        const { status, reason = null } = request.body
        const change = { status, reason, by: 'administrator' } as const
        const version = await streams.changeStatus(id, change, actorOf(request))
        return { body: shown(await readBack(read(id), version)) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/shared-signals-streams/{id}',
      tag,
      summary: 'Delete a stream of shared signals',
      description:
        'Its events are lost. The receiver can create another one while it has the scope ssf.manage.',
      access: writers('security_admin', 'app_admin'),
      params,
      status: 204,
      errors: ['ERR_STALE'],
      audit: ['shared_signals_stream.delete'],
      handle: async (request) => {
        await streams.delete(request.params.id, actorOf(request))
        return done
      },
    }),
  ]
}
