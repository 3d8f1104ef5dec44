import type { Recorded } from '../../domain/catalogue.ts'
import type { NetworkZoneEvent } from '../../domain/network-zone/events.ts'
import { change, type Table } from '../table.ts'

const self = (event: { data: { networkZoneId: string } }) => ({ id: event.data.networkZoneId })
const stamp = (event: Recorded<NetworkZoneEvent>) => ({
  updated_at: event.metadata.time,
  version: event.revision + 1,
})

const columns: ReadonlySet<string> = new Set([
  ...['name', 'type', 'cidrs', 'countries', 'asns'],
  ...['anonymizers', 'blocked', 'trusted'],
])

export const networkZones: Table = {
  name: 'network_zones',
  key: ['id'],
  on: {
    'network_zone.created': {
      apply: (event, rows) => {
        const { networkZoneId: id, ...fields } = event.data
        rows.put({
          ...{ id, status: 'exists', ...fields, name_key: fields.name.toLowerCase() },
          created_at: event.metadata.time,
          created_position: event.position,
          ...stamp(event),
        })
      },
    },
    'network_zone.updated': change(self, (event) => {
      const row: Record<string, unknown> = { ...stamp(event) }
      for (const { field, to } of event.data.changes) {
        if (columns.has(field)) row[field] = to
        if (field === 'name') row['name_key'] = String(to).toLowerCase()
      }
      return row
    }),
    'network_zone.deleted': change(self, (event) => ({
      status: 'deleted',
      name_key: null,
      ...stamp(event),
    })),
  },
}
