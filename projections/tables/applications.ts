import type { ApplicationEvent, SamlSettings } from '../../domain/application/events.ts'
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
        const { data } = event
        const { applicationId, protocol, builtIn, fields } = data
        const { name, ...otherFields } = fields
        rows.put({
          id: applicationId,
          protocol,
          status: 'active',
          built_in: builtIn,
          name,
          name_key: name.toLowerCase(),
          ...(data.protocol === 'oidc'
            ? {
                type: data.applicationType,
                client_id: data.clientId,
                settings: { ...otherFields, ...data.oidc },
                saml: null,
                entity_id: null,
              }
            : {
                type: null,
                client_id: null,
                settings: otherFields,
                saml: data.saml,
                entity_id: data.saml.entityId,
              }),
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
    'application.saml_updated': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        for (const row of rows.find(self(event))) {
          const saml = applyChanges(row['saml'] as SamlSettings, event.data.changes)
          rows.put({ ...row, saml, entity_id: saml.entityId, ...stamp(event) })
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
      entity_id: null,
      tokens_void_before: e.position,
      ...stamp(e),
    })),
  },
}
