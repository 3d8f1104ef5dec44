import { entityManagement } from '../audit/ocsf-classes.ts'
import { nobody, type Rows } from '../catalogue-row.ts'
import type { BrandingEvent } from './events.ts'

const common = {
  schema: 1,
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
} as const

export const brandingEvents = {
  'branding.logo_updated': {
    ...common,
    audit: 'branding.logo.update',
    ocsf: entityManagement('Update'),
    summary: () => "Changed the organization's logo",
  },
  'branding.logo_deleted': {
    ...common,
    audit: 'branding.logo.delete',
    ocsf: entityManagement('Update'),
    summary: () => "Removed the organization's logo",
  },
  'branding.updated': {
    ...common,
    audit: 'branding.update',
    ocsf: entityManagement('Update'),
    summary: ({ accentColor }) =>
      accentColor === null ? 'Removed the accent colour' : `Changed the accent colour to ${accentColor}`,
  },
} as const satisfies Rows<BrandingEvent>
