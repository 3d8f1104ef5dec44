import type { EventType, Recorded } from '../../domain/catalogue.ts'
import type { Rows } from '../rows.ts'
import type { Table } from '../table.ts'

const moved = {
  apply: (event: Recorded, rows: Rows) => {
    rows.put({ id: 'configuration', position: event.position })
  },
}

/** Events after which every instance must look again at the configuration it holds in memory. */
const types = [
  'application.created',
  'application.updated',
  'application.saml_updated',
  'application.group_assigned',
  'application.group_unassigned',
  'application.api_granted',
  'application.api_grant_withdrawn',
  'application.secret_created',
  'application.secret_expiry_changed',
  'application.secret_revoked',
  'application.disabled',
  'application.enabled',
  'application.deleted',
  'api_resource.created',
  'api_resource.updated',
  'api_resource.scope_added',
  'api_resource.scope_described',
  'api_resource.scope_removed',
  'api_resource.deleted',
  'signing_key.created',
  'signing_key.activated',
  'signing_key.retired',
  'saml_certificate.created',
  'saml_certificate.activated',
  'saml_certificate.deleted',
  'organization.updated',
  'method_settings.updated',
] as const satisfies readonly EventType[]

export const configurationChange: Table = {
  name: 'configuration_change',
  key: ['id'],
  on: Object.fromEntries(types.map((type) => [type, moved])),
}
