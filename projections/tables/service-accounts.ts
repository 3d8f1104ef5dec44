import type { Recorded } from '../../domain/catalogue.ts'
import type { ServiceAccountEvent } from '../../domain/service-account/events.ts'
import { change, type Table } from '../table.ts'

const self = (event: { data: { serviceAccountId: string } }) => ({ id: event.data.serviceAccountId })
const stamp = (event: Recorded<ServiceAccountEvent>) => ({
  updated_at: event.metadata.time,
  version: event.revision + 1,
})

/** A map: a field can have the name of an inherited property. */
const columns: ReadonlyMap<string, string> = new Map([
  ['name', 'name'],
  ['description', 'description'],
  ['ownerId', 'owner_id'],
])

export const serviceAccounts: Table = {
  name: 'service_accounts',
  key: ['id'],
  on: {
    'service_account.created': {
      apply: (event, rows) => {
        const { serviceAccountId, name, description, ownerId } = event.data
        rows.put({
          id: serviceAccountId,
          status: 'active',
          name,
          name_key: name.toLowerCase(),
          description: description ?? null,
          owner_id: ownerId ?? null,
          roles: [],
          ssh_host_names: [],
          created_at: event.metadata.time,
          created_by: event.metadata.actorId,
          ...stamp(event),
        })
      },
    },
    'service_account.updated': change(self, (e) => {
      const row: Record<string, unknown> = { ...stamp(e) }
      for (const { field, to } of e.data.changes) {
        const column = columns.get(field)
        if (column === undefined) continue
        row[column] = to
        if (column === 'name') row['name_key'] = String(to).toLowerCase()
      }
      return row
    }),
    'service_account.roles_changed': change(self, (e) => ({ roles: e.data.roles, ...stamp(e) })),
    'service_account.ssh_host_names_changed': change(self, (e) => ({
      ssh_host_names: e.data.hostNames,
      ...stamp(e),
    })),
    'service_account.disabled': change(self, (e) => ({ status: 'disabled', ...stamp(e) })),
    'service_account.enabled': change(self, (e) => ({ status: 'active', ...stamp(e) })),
    'service_account.deleted': change(self, (e) => ({ status: 'deleted', name_key: null, ...stamp(e) })),
  },
}
