import { nobody, type Rows } from '../catalogue-row.ts'
import type { ServiceAccountEvent } from './events.ts'

const target = ({ serviceAccountId }: { serviceAccountId: string }) => ({
  type: 'service_account',
  id: serviceAccountId,
})
const common = { schema: 1, target, personal: [], subject: nobody } as const

export const serviceAccountEvents: Rows<ServiceAccountEvent> = {
  'service_account.created': {
    ...common,
    audit: 'service_account.create',
    summary: ({ name }) => `Created the service account ${name}`,
  },
  'service_account.updated': {
    ...common,
    audit: 'service_account.update',
    summary: (_, { target: name }) => `Updated the service account ${name}`,
  },
  'service_account.roles_changed': {
    ...common,
    audit: 'service_account.roles.update',
    summary: (_, { target: name }) => `Changed the roles of the service account ${name}`,
  },
  'service_account.disabled': {
    ...common,
    audit: 'service_account.disable',
    summary: (_, { target: name }) => `Disabled the service account ${name}`,
  },
  'service_account.enabled': {
    ...common,
    audit: 'service_account.enable',
    summary: (_, { target: name }) => `Enabled the service account ${name}`,
  },
  'service_account.deleted': {
    ...common,
    audit: 'service_account.delete',
    summary: (_, { target: name }) => `Deleted the service account ${name}`,
  },
}
