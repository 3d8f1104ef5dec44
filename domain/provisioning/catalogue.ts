import { nobody, type Rows } from '../catalogue-row.ts'
import type { ProvisioningEvent } from './events.ts'

const target = ({ applicationId }: { applicationId: string }) => ({ type: 'provisioning', id: applicationId })
const common = { schema: 1, target, personal: [], subject: nobody } as const

export const provisioningEvents: Rows<ProvisioningEvent> = {
  'provisioning.configured': {
    ...common,
    audit: 'provisioning.configure',
    summary: ({ baseUrl }, { target: name }) => `Set up provisioning of ${name} at ${baseUrl}`,
  },
  'provisioning.enabled': {
    ...common,
    audit: 'provisioning.enable',
    summary: (_, { target: name }) => `Enabled provisioning of ${name}`,
  },
  'provisioning.disabled': {
    ...common,
    audit: 'provisioning.disable',
    summary: (_, { target: name }) => `Disabled provisioning of ${name}`,
  },
  'provisioning.removed': {
    ...common,
    audit: 'provisioning.disable',
    summary: (_, { target: name }) => `Removed provisioning of ${name}; its accounts there were left alone`,
  },
  'provisioning.sync_requested': {
    ...common,
    audit: 'provisioning.sync',
    summary: (_, { target: name }) => `Asked for a sync of ${name}`,
  },
  'provisioning.failed': {
    ...common,
    audit: 'provisioning.fail',
    summary: ({ error, httpStatus }, { target: name }) =>
      `Provisioning of ${name} failed (${error.replaceAll('_', ' ')}${httpStatus === null ? '' : `, answered ${String(httpStatus)}`})`,
  },
  'provisioning.recovered': {
    ...common,
    audit: 'provisioning.recover',
    summary: (_, { target: name }) => `Provisioning of ${name} works again`,
  },
  'provisioning.paused': {
    ...common,
    audit: 'provisioning.fail',
    summary: ({ deactivations, linked }, { target: name }) =>
      `Paused provisioning of ${name}: ${String(deactivations)} of ${String(linked)} accounts were about to be deactivated`,
  },
  'provisioning.resumed': {
    ...common,
    audit: 'provisioning.recover',
    summary: ({ allowed }, { target: name }) =>
      `Resumed provisioning of ${name}, with up to ${String(allowed)} deactivations`,
  },
}
