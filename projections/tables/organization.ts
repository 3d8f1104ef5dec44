import { applyChanges } from '../../domain/changes.ts'
import { defaultSettings } from '../../domain/organization/decider.ts'
import type { Table } from '../table.ts'

const self = { id: 'organization' }

export const organization: Table = {
  name: 'organization',
  key: ['id'],
  on: {
    'organization.updated': {
      reads: () => [self],
      apply: (event, rows) => {
        const current = (rows.get(self)?.['settings'] as object | undefined) ?? defaultSettings
        rows.put({
          ...self,
          settings: applyChanges(current, event.data.changes),
          updated_at: event.metadata.time,
          version: event.revision + 1,
        })
      },
    },
  },
}
