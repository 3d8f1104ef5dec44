import { entityManagement, low } from '../audit/ocsf-classes.ts'
import { noConsequences, type Rows } from '../catalogue-row.ts'
import type { DeviceEvent } from './events.ts'

const device = (data: { deviceId: string }) => ({ type: 'device', id: data.deviceId })
const person = (data: { userId: string }) => data.userId
const plain = { schema: 1, target: device, personal: [], subject: person } as const

export const deviceEvents = {
  'device.registered': {
    ...plain,
    audit: 'device.register',
    ocsf: entityManagement('Enroll'),
    summary: (_, { other }) => `Registered a device of ${other}`,
    personal: ['cookieHash', 'name', 'userAgent', 'ip', 'location'],
    consequences: noConsequences,
  },
  'device.renamed': {
    ...plain,
    audit: 'device.update',
    ocsf: entityManagement('Update'),
    summary: (_, { target, other }) => `Renamed the device ${target} of ${other}`,
    personal: ['name'],
    consequences: noConsequences,
  },
  'device.trusted': {
    ...plain,
    audit: 'device.trust',
    ocsf: entityManagement('Update'),
    summary: (_, { target, other }) => `Trusted the device ${target} of ${other}`,
    consequences: noConsequences,
  },
  'device.untrusted': {
    ...plain,
    audit: 'device.untrust',
    ocsf: entityManagement('Update'),
    summary: (_, { target, other }) => `Untrusted the device ${target} of ${other}`,
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
  'device.blocked': {
    ...plain,
    audit: 'device.block',
    ocsf: entityManagement('Disable', low),
    summary: (_, { target, other }) => `Blocked the device ${target} of ${other}`,
    consequences: {
      takesAway: true,
      endsSessions: 'on_device',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: false,
      changesConfiguration: false,
      movesPackageAccess: 'none',
    },
  },
  'device.unblocked': {
    ...plain,
    audit: 'device.unblock',
    ocsf: entityManagement('Enable', low),
    summary: (_, { target, other }) => `Unblocked the device ${target} of ${other}`,
    consequences: noConsequences,
  },
  'device.removed': {
    ...plain,
    audit: 'device.remove',
    ocsf: entityManagement('Unenroll', low),
    summary: (_, { target, other }) => `Removed the device ${target} of ${other}`,
    consequences: {
      takesAway: true,
      endsSessions: 'on_device',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: false,
      changesConfiguration: false,
      movesPackageAccess: 'none',
    },
  },
} as const satisfies Rows<DeviceEvent>
