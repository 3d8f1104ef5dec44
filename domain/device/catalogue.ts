import type { Rows } from '../catalogue-row.ts'
import type { DeviceEvent } from './events.ts'

const device = (data: { deviceId: string }) => ({ type: 'device', id: data.deviceId })
const person = (data: { userId: string }) => data.userId
const plain = { schema: 1, target: device, personal: [], subject: person } as const

export const deviceEvents: Rows<DeviceEvent> = {
  'device.registered': {
    ...plain,
    audit: 'device.register',
    summary: (_, { other }) => `Registered a device of ${other}`,
    personal: ['cookieHash', 'name', 'userAgent', 'ip', 'location'],
  },
  'device.renamed': {
    ...plain,
    audit: 'device.update',
    summary: (_, { target, other }) => `Renamed the device ${target} of ${other}`,
    personal: ['name'],
  },
  'device.trusted': {
    ...plain,
    audit: 'device.trust',
    summary: (_, { target, other }) => `Trusted the device ${target} of ${other}`,
  },
  'device.untrusted': {
    ...plain,
    audit: 'device.untrust',
    summary: (_, { target, other }) => `Took back the trust in the device ${target} of ${other}`,
  },
  'device.blocked': {
    ...plain,
    audit: 'device.block',
    summary: (_, { target, other }) => `Blocked the device ${target} of ${other}`,
  },
  'device.unblocked': {
    ...plain,
    audit: 'device.unblock',
    summary: (_, { target, other }) => `Unblocked the device ${target} of ${other}`,
  },
  'device.removed': {
    ...plain,
    audit: 'device.remove',
    summary: (_, { target, other }) => `Removed the device ${target} of ${other}`,
  },
}
