import type { ApplicationEvent } from '../../domain/application/events.ts'
import type { Recorded } from '../../domain/catalogue.ts'
import { applyChanges } from '../../domain/changes.ts'
import { change, type Table } from '../table.ts'

const self = (event: { data: { applicationId: string } }) => ({ id: event.data.applicationId })
const stamp = (event: Recorded<ApplicationEvent>) => ({
  updated_at: event.metadata.time,
  version: event.revision + 1,
})

export const applications: Table = {
  name: 'applications',
  key: ['id'],
  on: {
    'application.created': {
      apply: (event, rows) => {
        const { applicationId, protocol, applicationType, clientId, builtIn, fields, oidc } = event.data
        const { name, ...otherFields } = fields
        rows.put({
          id: applicationId,
          protocol,
          type: applicationType,
          status: 'active',
          client_id: clientId,
          built_in: builtIn,
          name,
          name_key: name.toLowerCase(),
          settings: { ...otherFields, ...oidc },
          created_at: event.metadata.time,
          tokens_void_before: null,
          ...stamp(event),
        })
      },
    },
    'application.updated': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        for (const row of rows.find(self(event))) {
          const renamed = event.data.changes.find(({ field }) => field === 'name')?.to
          const others = event.data.changes.filter(({ field }) => field !== 'name')
          rows.put({
            ...row,
            ...(typeof renamed === 'string' ? { name: renamed, name_key: renamed.toLowerCase() } : {}),
            settings: applyChanges(row['settings'] as object, others),
            ...stamp(event),
          })
        }
      },
    },
    'application.group_assigned': change(self, stamp),
    'application.group_unassigned': change(self, stamp),
    'application.api_granted': change(self, stamp),
    'application.api_grant_withdrawn': change(self, stamp),
    'application.secret_created': change(self, stamp),
    'application.secret_expiry_changed': change(self, stamp),
    'application.secret_revoked': change(self, stamp),
    'application.disabled': change(self, (e) => ({
      status: 'disabled',
      tokens_void_before: e.position,
      ...stamp(e),
    })),
    'application.enabled': change(self, (e) => ({ status: 'active', ...stamp(e) })),
    'application.deleted': change(self, (e) => ({
      status: 'deleted',
      name_key: null,
      tokens_void_before: e.position,
      ...stamp(e),
    })),
  },
}
