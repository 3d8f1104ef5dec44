import { entityManagement } from '../audit/ocsf-classes.ts'
import { nobody, type Rows } from '../catalogue-row.ts'
import type { OrganizationEvent } from './events.ts'

export const organizationEvents = {
  'organization.updated': {
    schema: 1,
    audit: 'organization.update',
    ocsf: entityManagement('Update'),
    summary: () => "Updated the organization's settings",
    target: () => ({ type: 'organization', id: 'organization' }),
    personal: [],
    subject: nobody,
    consequences: {
      takesAway: false,
      endsSessions: 'none',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: false,
      changesConfiguration: true,
      movesPackageAccess: 'none',
    },
  },
} as const satisfies Rows<OrganizationEvent>
