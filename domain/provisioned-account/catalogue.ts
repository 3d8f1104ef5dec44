import type { Rows } from '../catalogue-row.ts'
import type { ProvisionedAccountEvent } from './events.ts'

const common = {
  schema: 1,
  target: ({ applicationId }: { applicationId: string }) => ({ type: 'provisioning', id: applicationId }),
  personal: [],
  subject: ({ userId }: { userId: string }) => userId,
} as const

export const provisionedAccountEvents: Rows<ProvisionedAccountEvent> = {
  'provisioned_account.created': {
    ...common,
    // Some applications make it of the address or the name.
    personal: ['remoteId'],
    audit: 'provisioning.user.create',
    summary: ({ adopted }, { target, other }) =>
      adopted ? `Took over the account of ${other} in ${target}` : `Created ${other} in ${target}`,
  },
  'provisioned_account.updated': {
    ...common,
    audit: 'provisioning.user.update',
    summary: ({ reactivated }, { target, other }) =>
      `${reactivated ? 'Reactivated' : 'Updated'} ${other} in ${target}`,
  },
  'provisioned_account.deactivated': {
    ...common,
    audit: 'provisioning.user.deactivate',
    summary: (_, { target, other }) => `Deactivated ${other} in ${target}`,
  },
}
