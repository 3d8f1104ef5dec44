import { nobody, type Rows } from '../catalogue-row.ts'
import type { OrganizationEvent } from './events.ts'

export const organizationEvents: Rows<OrganizationEvent> = {
  'organization.updated': {
    schema: 1,
    audit: 'organization.update',
    summary: () => "Updated the organization's settings",
    target: () => ({ type: 'organization', id: 'organization' }),
    personal: [],
    subject: nobody,
  },
}
