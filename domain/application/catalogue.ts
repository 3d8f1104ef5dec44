import { nobody, type Rows } from '../catalogue-row.ts'
import type { ApplicationEvent } from './events.ts'

const application = (data: { applicationId: string }) => ({ type: 'application', id: data.applicationId })
const secret = (data: { secretId: string }) => ({ type: 'client_secret', id: data.secretId })

export const applicationEvents: Rows<ApplicationEvent> = {
  'application.created': {
    schema: 2,
    audit: 'application.create',
    summary: ({ fields }) => `Created the application ${fields.name}`,
    target: application,
    personal: [],
    subject: nobody,
    // Since version 2 there are SAML applications too; what was there before has the same shape.
    upcast: { 1: (data) => data },
  },
  'application.updated': {
    schema: 1,
    audit: 'application.update',
    summary: (_, { target }) => `Updated the application ${target}`,
    target: application,
    personal: [],
    subject: nobody,
  },
  'application.saml_updated': {
    schema: 1,
    audit: 'application.saml.update',
    summary: (_, { target }) => `Updated the SAML settings of the application ${target}`,
    target: application,
    personal: [],
    subject: nobody,
  },
  'application.group_assigned': {
    schema: 1,
    audit: 'application.group.assign',
    summary: (_, { target, other }) => `Assigned the group ${other} to the application ${target}`,
    target: application,
    personal: [],
    subject: nobody,
  },
  'application.group_unassigned': {
    schema: 1,
    audit: 'application.group.unassign',
    summary: (_, { target, other }) => `Unassigned the group ${other} from the application ${target}`,
    target: application,
    personal: [],
    subject: nobody,
  },
  'application.api_granted': {
    schema: 1,
    audit: 'application.api_grant.update',
    summary: ({ scopes }, { target, other }) =>
      `Granted ${scopes.join(', ')} of the API resource ${other} to the application ${target}`,
    target: application,
    personal: [],
    subject: nobody,
  },
  'application.api_grant_withdrawn': {
    schema: 1,
    audit: 'application.api_grant.update',
    summary: (_, { target, other }) =>
      `Withdrew the grant of the API resource ${other} from the application ${target}`,
    target: application,
    personal: [],
    subject: nobody,
  },
  'application.secret_created': {
    schema: 1,
    audit: ({ rotation }) => (rotation ? 'application.secret.rotate' : 'application.secret.create'),
    actions: ['application.secret.create', 'application.secret.rotate'],
    summary: ({ rotation }, { other }) => `${rotation ? 'Rotated' : 'Created'} a client secret of ${other}`,
    target: secret,
    personal: [],
    subject: nobody,
  },
  'application.secret_expiry_changed': {
    schema: 1,
    audit: null,
    summary: (_, { other }) => `Limited the life of a client secret of ${other}`,
    target: secret,
    personal: [],
    subject: nobody,
  },
  'application.secret_revoked': {
    schema: 1,
    audit: 'application.secret.revoke',
    summary: (_, { other }) => `Revoked a client secret of ${other}`,
    target: secret,
    personal: [],
    subject: nobody,
  },
  'application.disabled': {
    schema: 1,
    audit: 'application.disable',
    summary: (_, { target }) => `Disabled the application ${target}`,
    target: application,
    personal: [],
    subject: nobody,
  },
  'application.enabled': {
    schema: 1,
    audit: 'application.enable',
    summary: (_, { target }) => `Enabled the application ${target}`,
    target: application,
    personal: [],
    subject: nobody,
  },
  'application.deleted': {
    schema: 1,
    audit: 'application.delete',
    summary: (_, { target }) => `Deleted the application ${target}`,
    target: application,
    personal: [],
    subject: nobody,
  },
}
