/**
 * The event classes of the Open Cybersecurity Schema Framework for audit entries and sign-in events: schema
 * 1.8.0 (https://schema.ocsf.io/1.8.0), category Identity & Access Management.
 */
import { own } from '../own.ts'

export const OCSF_VERSION = '1.8.0'

export const category = { uid: 3, name: 'Identity & Access Management' } as const

/** By class: its number, its caption and its activities; 99 is Other in each. */
export const classes = {
  account: {
    uid: 3001,
    name: 'Account Change',
    activities: {
      Create: 1,
      Enable: 2,
      'Password Change': 3,
      'Password Reset': 4,
      Disable: 5,
      Delete: 6,
      'Attach Policy': 7,
      'Detach Policy': 8,
      Lock: 9,
      'MFA Factor Enable': 10,
      'MFA Factor Disable': 11,
      Unlock: 12,
      Other: 99,
    },
  },
  authentication: {
    uid: 3002,
    name: 'Authentication',
    activities: {
      Logon: 1,
      Logoff: 2,
      'Authentication Ticket': 3,
      'Service Ticket Request': 4,
      'Service Ticket Renew': 5,
      Preauth: 6,
      'Account Switch': 7,
      Other: 99,
    },
  },
  entity: {
    uid: 3004,
    name: 'Entity Management',
    activities: {
      Create: 1,
      Read: 2,
      Update: 3,
      Delete: 4,
      Move: 5,
      Enroll: 6,
      Unenroll: 7,
      Enable: 8,
      Disable: 9,
      Activate: 10,
      Deactivate: 11,
      Suspend: 12,
      Resume: 13,
      Other: 99,
    },
  },
  access: {
    uid: 3005,
    name: 'User Access Management',
    activities: { 'Assign Privileges': 1, 'Revoke Privileges': 2, Other: 99 },
  },
  group: {
    uid: 3006,
    name: 'Group Management',
    activities: {
      'Assign Privileges': 1,
      'Revoke Privileges': 2,
      'Add User': 3,
      'Remove User': 4,
      Delete: 5,
      Create: 6,
      'Add Subgroup': 7,
      'Remove Subgroup': 8,
      Other: 99,
    },
  },
} as const

type Classes = typeof classes
export type ClassName = keyof Classes
export type ActivityOf<C extends ClassName> = keyof Classes[C]['activities'] & string

export const severities = { Informational: 1, Low: 2, Medium: 3, High: 4, Critical: 5 } as const
export type Severity = keyof typeof severities

/** The OCSF class and activity of an action. */
export interface OcsfKind {
  readonly class: ClassName
  readonly activity: string
  readonly severity: Severity
  /** The attempted action failed, although the entry itself was recorded. */
  readonly failed: boolean
}

type More = Partial<Pick<OcsfKind, 'severity' | 'failed'>>

const kindOf =
  <C extends ClassName>(name: C) =>
  (activity: ActivityOf<C>, more: More = {}): OcsfKind => ({
    class: name,
    activity,
    severity: 'Informational',
    failed: false,
    ...more,
  })

export const accountChange = kindOf('account')
export const authentication = kindOf('authentication')
export const entityManagement = kindOf('entity')
export const userAccess = kindOf('access')
export const groupManagement = kindOf('group')

export const low = { severity: 'Low' } as const
export const medium = { severity: 'Medium' } as const
export const high = { severity: 'High' } as const
export const failed = { severity: 'Medium', failed: true } as const

export const activityNumber = ({ class: name, activity }: OcsfKind): number => {
  const numbers: Readonly<Record<string, number>> = classes[name].activities
  return own(numbers, activity) ?? 99
}
