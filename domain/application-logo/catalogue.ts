import { entityManagement } from '../audit/ocsf-classes.ts'
import { nobody, type Rows } from '../catalogue-row.ts'
import type { ApplicationLogoEvent } from './events.ts'

const common = {
  schema: 1,
  target: (data: { applicationId: string }) => ({ type: 'application', id: data.applicationId }),
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

export const applicationLogoEvents = {
  'application_logo.updated': {
    ...common,
    audit: 'application.logo.update',
    ocsf: entityManagement('Update'),
    summary: (_, { target }) => `Changed the logo of the application ${target}`,
  },
  'application_logo.deleted': {
    ...common,
    audit: 'application.logo.delete',
    ocsf: entityManagement('Update'),
    summary: (_, { target }) => `Removed the logo of the application ${target}`,
  },
} as const satisfies Rows<ApplicationLogoEvent>
