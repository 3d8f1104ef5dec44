import { entityManagement, low, medium } from '../audit/ocsf-classes.ts'
import { nobody, type Rows } from '../catalogue-row.ts'
import type { PolicyEvent } from './events.ts'

const policy = (data: { policyId: string }) => ({ type: 'policy', id: data.policyId })

/** Every change can make a policy stricter, so each is in effect everywhere before the command reports success. */
const plain = {
  schema: 1,
  target: policy,
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
} as const

const statusActions = {
  enabled: 'policy.enable',
  disabled: 'policy.disable',
  report_only: 'policy.report_only',
} as const

const statusVerbs = {
  enabled: 'Enabled the policy',
  disabled: 'Disabled the policy',
  report_only: 'Set to report only the policy',
} as const

export const policyEvents = {
  'policy.created': {
    ...plain,
    audit: 'policy.create',
    ocsf: entityManagement('Create', low),
    summary: ({ name, status }) => `Created the policy ${name} (${status.replaceAll('_', ' ')})`,
  },
  'policy.updated': {
    ...plain,
    audit: 'policy.update',
    ocsf: entityManagement('Update', low),
    summary: (_, { target }) => `Updated the policy ${target}`,
  },
  'policy.status_changed': {
    ...plain,
    audit: ({ status }) => statusActions[status],
    actions: {
      'policy.enable': entityManagement('Enable', low),
      'policy.disable': entityManagement('Disable', medium),
      'policy.report_only': entityManagement('Disable', low),
    },
    summary: ({ status }, { target }) => `${statusVerbs[status]} ${target}`,
  },
  'policy.deleted': {
    ...plain,
    audit: 'policy.delete',
    ocsf: entityManagement('Delete', medium),
    summary: (_, { target }) => `Deleted the policy ${target}`,
  },
} as const satisfies Rows<PolicyEvent>
