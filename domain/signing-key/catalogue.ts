import { entityManagement, low } from '../audit/ocsf-classes.ts'
import { nobody, type Rows } from '../catalogue-row.ts'
import type { SigningKeyEvent } from './events.ts'

export const signingKeyEvents = {
  'signing_key.created': {
    schema: 1,
    audit: null,
    summary: (_, { target }) => `Created the signing key ${target}`,
    target: ({ keyId }) => ({ type: 'signing_key', id: keyId }),
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
  'signing_key.activated': {
    schema: 2,
    audit: 'signing_key.rotate',
    ocsf: entityManagement('Update', low),
    summary: (_, { target }) => `Started signing with the key ${target}`,
    target: ({ keyId }) => ({ type: 'signing_key', id: keyId }),
    personal: [],
    subject: nobody,
    upcast: { 1: (data) => ({ ...data, previousRetiresAt: null }) },
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
  'signing_key.retired': {
    schema: 1,
    audit: 'signing_key.retire',
    ocsf: entityManagement('Deactivate'),
    summary: (_, { target }) => `Removed the signing key ${target} from the key set`,
    target: ({ keyId }) => ({ type: 'signing_key', id: keyId }),
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
} as const satisfies Rows<SigningKeyEvent>
