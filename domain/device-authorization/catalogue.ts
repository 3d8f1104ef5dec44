import { authentication, low } from '../audit/ocsf-classes.ts'
import { noConsequences, type Rows } from '../catalogue-row.ts'
import { isAdminGrant } from '../oidc/scopes.ts'
import type { DeviceAuthorizationEvent } from './events.ts'

const application = (data: { applicationId: string }) => ({ type: 'application', id: data.applicationId })
const person = (data: { userId: string }) => data.userId

export const deviceAuthorizationEvents = {
  'device_login.approved': {
    schema: 1,
    audit: 'device_login.approve',
    ocsf: authentication('Preauth'),
    summary: (data, { target, other }) =>
      `Approved a sign-in of ${other} to ${target} on another device${isAdminGrant(data) ? ', with their roles' : ''}`,
    target: application,
    personal: [],
    subject: person,
    consequences: noConsequences,
  },
  'device_login.denied': {
    schema: 1,
    audit: 'device_login.deny',
    ocsf: authentication('Preauth', low),
    outcome: 'denied',
    summary: (_, { target, other }) => `Denied a sign-in of ${other} to ${target} on another device`,
    target: application,
    personal: [],
    subject: person,
    consequences: noConsequences,
  },
} as const satisfies Rows<DeviceAuthorizationEvent>
