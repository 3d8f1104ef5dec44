import type { Recorded } from '../../domain/catalogue.ts'
import type { SharedSignalsStreamEvent } from '../../domain/shared-signals/events.ts'
import { change, type Table } from '../table.ts'

const self = (event: { data: { streamId: string } }) => ({ id: event.data.streamId })
const stamp = (event: Recorded<SharedSignalsStreamEvent>) => ({
  updated_at: event.metadata.time,
  version: event.revision + 1,
})

const columns = new Map([
  ['description', 'description'],
  ['eventsRequested', 'events_requested'],
  ['method', 'method'],
  ['endpointUrl', 'endpoint_url'],
])

/** Streams of security events to applications. */
export const sharedSignalsStreams: Table = {
  name: 'shared_signals_streams',
  key: ['id'],
  on: {
    'shared_signals_stream.created': {
      apply: (event, rows) => {
        const { streamId: id, applicationId, description, eventsRequested, method, endpointUrl } = event.data
        rows.put({
          id,
          application_id: applicationId,
          description,
          events_requested: eventsRequested,
          method,
          endpoint_url: endpointUrl,
          sealed_authorization: event.data.sealedAuthorization,
          status: 'enabled',
          status_reason: null,
          status_by: 'receiver',
          deleted: false,
          created_at: event.metadata.time,
          created_position: event.position,
          ...stamp(event),
        })
      },
    },
    'shared_signals_stream.updated': change(self, (event) => {
      const { changes, sealedAuthorization } = event.data
      const row: Record<string, unknown> = { ...stamp(event), sealed_authorization: sealedAuthorization }
      for (const { field, to } of changes) {
        const column = columns.get(field)
        if (column !== undefined) row[column] = to
      }
      return row
    }),
    'shared_signals_stream.status_changed': change(self, (event) => ({
      status: event.data.status,
      status_reason: event.data.reason,
      status_by: event.data.by,
      ...stamp(event),
    })),
    'shared_signals_stream.deleted': change(self, (event) => ({ deleted: true, ...stamp(event) })),
  },
}
