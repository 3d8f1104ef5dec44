import type { Recorded } from '../../domain/catalogue.ts'
import type { GroupEvent } from '../../domain/group/events.ts'
import { change, type Table } from '../table.ts'

const self = (event: { data: { groupId: string } }) => ({ id: event.data.groupId })
const stamp = (event: Recorded<GroupEvent>) => ({
  updated_at: event.metadata.time,
  version: event.revision + 1,
})

/** A map: a field can have the name of an inherited property. */
const columns: ReadonlyMap<string, string> = new Map([
  ['name', 'name'],
  ['description', 'description'],
  ['externalId', 'external_id'],
  ['ownerIds', 'owner_ids'],
  ['source', 'source'],
])

export const groups: Table = {
  name: 'groups',
  key: ['id'],
  on: {
    'group.created': {
      apply: (event, rows) => {
        const { groupId, name, description, rule, externalId, ownerIds, source } = event.data
        rows.put({
          id: groupId,
          status: 'exists',
          name,
          name_key: name.toLowerCase(),
          description: description ?? null,
          rule,
          external_id: externalId ?? null,
          owner_ids: ownerIds,
          source,
          created_at: event.metadata.time,
          ...stamp(event),
        })
      },
    },
    'group.updated': change(self, (e) => {
      const row: Record<string, unknown> = { ...stamp(e) }
      for (const { field, to } of e.data.changes) {
        const column = columns.get(field)
        if (column === undefined) continue
        row[column] = column === 'owner_ids' ? (to ?? []) : to
        if (column === 'name') row['name_key'] = String(to).toLowerCase()
      }
      return row
    }),
    'group.rule_changed': change(self, (e) => ({ rule: e.data.to, ...stamp(e) })),
    'group.deleted': change(self, (e) => ({ status: 'deleted', name_key: null, rule: null, ...stamp(e) })),
  },
}
