import { entityManagement } from '../audit/ocsf-classes.ts'
import { noConsequences, type Rows } from '../catalogue-row.ts'
import type { ProvisionedAccountEvent } from './events.ts'

const common = {
  schema: 1,
  target: ({ applicationId }: { applicationId: string }) => ({ type: 'provisioning', id: applicationId }),
  personal: [],
  subject: ({ userId }: { userId: string }) => userId,
} as const

export const provisionedAccountEvents = {
  'provisioned_account.created': {
    ...common,
    // Some applications derive it from the address or the name.
    personal: ['remoteId'],
    audit: 'provisioning.user.create',
    ocsf: entityManagement('Create'),
    summary: ({ adopted }, { target, other }) =>
      adopted ? `Linked the existing account of ${other} in ${target}` : `Created ${other} in ${target}`,
    consequences: noConsequences,
  },
  'provisioned_account.updated': {
    ...common,
    audit: 'provisioning.user.update',
    ocsf: entityManagement('Update'),
    summary: ({ reactivated }, { target, other }) =>
      `${reactivated ? 'Reactivated' : 'Updated'} ${other} in ${target}`,
    consequences: noConsequences,
  },
  'provisioned_account.deactivated': {
    ...common,
    audit: 'provisioning.user.deactivate',
    ocsf: entityManagement('Update'),
    summary: (_, { target, other }) => `Deactivated ${other} in ${target}`,
    consequences: noConsequences,
  },
} as const satisfies Rows<ProvisionedAccountEvent>
