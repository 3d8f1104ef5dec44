import { accountChange, entityManagement, low, medium, userAccess } from '../audit/ocsf-classes.ts'
import { nobody, noConsequences, type Rows } from '../catalogue-row.ts'
import type { ServiceAccountEvent } from './events.ts'

const target = ({ serviceAccountId }: { serviceAccountId: string }) => ({
  type: 'service_account',
  id: serviceAccountId,
})
const common = { schema: 1, target, personal: [], subject: nobody } as const

export const serviceAccountEvents = {
  'service_account.created': {
    ...common,
    audit: 'service_account.create',
    ocsf: accountChange('Create'),
    summary: ({ name }) => `Created the service account ${name}`,
    consequences: noConsequences,
  },
  'service_account.updated': {
    ...common,
    audit: 'service_account.update',
    ocsf: entityManagement('Update'),
    summary: (_, { target: name }) => `Updated the service account ${name}`,
    consequences: noConsequences,
  },
  'service_account.roles_changed': {
    ...common,
    audit: 'service_account.roles.update',
    ocsf: userAccess('Assign Privileges', medium),
    summary: (_, { target: name }) => `Changed the roles of the service account ${name}`,
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
  'service_account.ssh_host_names_changed': {
    ...common,
    audit: 'service_account.ssh_host_names.update',
    ocsf: userAccess('Assign Privileges', medium),
    summary: (_, { target: name }) => `Changed the SSH host names of the service account ${name}`,
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
  'service_account.disabled': {
    ...common,
    audit: 'service_account.disable',
    ocsf: accountChange('Disable', low),
    summary: (_, { target: name }) => `Disabled the service account ${name}`,
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
  'service_account.enabled': {
    ...common,
    audit: 'service_account.enable',
    ocsf: accountChange('Enable'),
    summary: (_, { target: name }) => `Enabled the service account ${name}`,
    consequences: noConsequences,
  },
  'service_account.deleted': {
    ...common,
    audit: 'service_account.delete',
    ocsf: accountChange('Delete', low),
    summary: (_, { target: name }) => `Deleted the service account ${name}`,
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
} as const satisfies Rows<ServiceAccountEvent>
