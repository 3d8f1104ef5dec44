import { entityManagement } from '../audit/ocsf-classes.ts'
import { nobody, type Rows } from '../catalogue-row.ts'
import type { MethodSettingsEvent } from './events.ts'

export const methodSettingsEvents = {
  'method_settings.updated': {
    schema: 1,
    audit: 'method.settings.update',
    ocsf: entityManagement('Update'),
    summary: ({ methodType }) =>
      `Updated the settings of the sign-in method ${methodType.replaceAll('_', ' ')}`,
    target: ({ methodType }) => ({ type: 'method', id: methodType }),
    personal: [],
    subject: nobody,
    consequences: {
      takesAway: true,
      endsSessions: 'none',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: false,
      changesConfiguration: true,
      movesPackageAccess: 'none',
    },
  },
} as const satisfies Rows<MethodSettingsEvent>
