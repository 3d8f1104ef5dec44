import { entityManagement, low } from '../audit/ocsf-classes.ts'
import { nobody, noConsequences, type Rows } from '../catalogue-row.ts'
import type { ApiKeyEvent } from './events.ts'

const target = ({ keyId }: { keyId: string }) => ({ type: 'api_key', id: keyId })
const common = { schema: 1, target, personal: [], subject: nobody } as const

const given = { roles_added: 'roles', ssh_host_names_added: 'SSH host names' } as const

export const apiKeyEvents = {
  'api_key.created': {
    ...common,
    audit: 'api_key.create',
    ocsf: entityManagement('Create'),
    summary: ({ name, scopes }, { other }) =>
      `Created the API key ${name} (${scopes.join(', ')}) for the service account ${other}`,
    consequences: noConsequences,
  },
  'api_key.revoked': {
    ...common,
    audit: 'api_key.revoke',
    ocsf: entityManagement('Delete', low),
    summary: ({ cause }, { target: name, other }) =>
      `Revoked the API key ${name} of the service account ${other}${cause === undefined ? '' : ` because the account was given ${given[cause]}`}`,
    consequences: {
      takesAway: true,
      endsSessions: 'none',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: false,
      changesConfiguration: false,
      movesPackageAccess: 'none',
    },
  },
  'api_key.expired': {
    ...common,
    audit: 'api_key.expire',
    ocsf: entityManagement('Deactivate'),
    summary: (_, { target: name, other }) => `The API key ${name} of the service account ${other} expired`,
    consequences: noConsequences,
  },
} as const satisfies Rows<ApiKeyEvent>
