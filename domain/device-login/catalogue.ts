import type { Rows } from '../catalogue-row.ts'
import type { DeviceLoginEvent } from './events.ts'

const application = (data: { applicationId: string }) => ({ type: 'application', id: data.applicationId })
const person = (data: { userId: string }) => data.userId

export const deviceLoginEvents: Rows<DeviceLoginEvent> = {
  'device_login.approved': {
    schema: 1,
    audit: 'device_login.approve',
    summary: (_, { target, other }) => `Approved a sign-in of ${other} to ${target} on another device`,
    target: application,
    personal: [],
    subject: person,
  },
  'device_login.denied': {
    schema: 1,
    audit: 'device_login.deny',
    outcome: 'denied',
    summary: (_, { target, other }) => `Denied a sign-in to ${target} on another device, shown to ${other}`,
    target: application,
    personal: [],
    subject: person,
  },
}
