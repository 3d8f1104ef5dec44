import { entityManagement, failed, low } from '../audit/ocsf-classes.ts'
import { nobody, noConsequences, type Rows } from '../catalogue-row.ts'
import type { ProvisioningEvent } from './events.ts'

const target = ({ applicationId }: { applicationId: string }) => ({ type: 'provisioning', id: applicationId })
const common = { schema: 1, target, personal: [], subject: nobody } as const

export const provisioningEvents = {
  'provisioning.configured': {
    ...common,
    audit: 'provisioning.configure',
    ocsf: entityManagement('Update'),
    summary: ({ baseUrl }, { target: name }) => `Set up provisioning of ${name} at ${baseUrl}`,
    consequences: {
      takesAway: false,
      endsSessions: 'none',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: true,
      changesConfiguration: false,
      movesPackageAccess: 'none',
    },
  },
  'provisioning.enabled': {
    ...common,
    audit: 'provisioning.enable',
    ocsf: entityManagement('Enable', low),
    summary: (_, { target: name }) => `Enabled provisioning of ${name}`,
    consequences: {
      takesAway: false,
      endsSessions: 'none',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: true,
      changesConfiguration: false,
      movesPackageAccess: 'none',
    },
  },
  'provisioning.disabled': {
    ...common,
    audit: 'provisioning.disable',
    ocsf: entityManagement('Disable', low),
    summary: (_, { target: name }) => `Disabled provisioning of ${name}`,
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
  'provisioning.removed': {
    ...common,
    audit: 'provisioning.disable',
    ocsf: entityManagement('Disable', low),
    summary: (_, { target: name }) => `Removed provisioning of ${name}; its accounts there were not changed`,
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
  'provisioning.sync_requested': {
    ...common,
    audit: 'provisioning.sync',
    ocsf: entityManagement('Update'),
    summary: (_, { target: name }) => `Requested a sync of ${name}`,
    consequences: noConsequences,
  },
  'provisioning.failed': {
    ...common,
    audit: 'provisioning.fail',
    ocsf: entityManagement('Other', failed),
    summary: ({ error, httpStatus }, { target: name }) =>
      `Provisioning of ${name} failed (${error.replaceAll('_', ' ')}${httpStatus === null ? '' : `, status ${String(httpStatus)}`})`,
    consequences: noConsequences,
  },
  'provisioning.recovered': {
    ...common,
    audit: 'provisioning.recover',
    ocsf: entityManagement('Update'),
    summary: (_, { target: name }) => `Provisioning of ${name} works again`,
    consequences: noConsequences,
  },
  'provisioning.paused': {
    ...common,
    audit: 'provisioning.fail',
    ocsf: entityManagement('Other', failed),
    summary: ({ deactivations, linked }, { target: name }) =>
      `Paused provisioning of ${name} before ${String(deactivations)} of ${String(linked)} accounts were deactivated`,
    consequences: noConsequences,
  },
  'provisioning.resumed': {
    ...common,
    audit: 'provisioning.recover',
    ocsf: entityManagement('Update'),
    summary: ({ allowed }, { target: name }) =>
      `Resumed provisioning of ${name}, allowing up to ${String(allowed)} deactivations`,
    consequences: {
      takesAway: false,
      endsSessions: 'none',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: true,
      changesConfiguration: false,
      movesPackageAccess: 'none',
    },
  },
} as const satisfies Rows<ProvisioningEvent>
