import type { Recorded } from '../../domain/catalogue.ts'
import type { SshPrincipalMappingEvent } from '../../domain/ssh-principal-mapping/events.ts'
import { own } from '../../domain/own.ts'
import { change, type Table } from '../table.ts'

const self = (event: { data: { mappingId: string } }) => ({ id: event.data.mappingId })
const stamp = (event: Recorded<SshPrincipalMappingEvent>) => ({
  updated_at: event.metadata.time,
  version: event.revision + 1,
})

const columns: Readonly<Record<string, string>> = {
  groupId: 'group_id',
  principals: 'principals',
  maxValiditySeconds: 'max_validity_seconds',
  sourceAddresses: 'source_addresses',
  extensions: 'extensions',
}

export const sshPrincipalMappings: Table = {
  name: 'ssh_principal_mappings',
  key: ['id'],
  on: {
    'ssh_principal_mapping.created': {
      apply: (event, rows) => {
        const { data, metadata } = event
        rows.put({
          id: data.mappingId,
          group_id: data.groupId,
          principals: data.principals,
          max_validity_seconds: data.maxValiditySeconds,
          source_addresses: data.sourceAddresses,
          extensions: data.extensions,
          created_at: metadata.time,
          ...stamp(event),
        })
      },
    },
    'ssh_principal_mapping.updated': change(self, (event) => {
      const row: Record<string, unknown> = { ...stamp(event) }
      for (const { field, to } of event.data.changes) {
        const column = own(columns, field)
        if (column !== undefined) row[column] = to
      }
      return row
    }),
    'ssh_principal_mapping.deleted': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        for (const row of rows.find(self(event))) rows.delete(row)
      },
    },
  },
}
