import { userAccess } from '../audit/ocsf-classes.ts'
import { noConsequences, type Rows } from '../catalogue-row.ts'
import type { PackageAssignmentEvent } from './events.ts'

const assigned = (data: { packageId: string }) => ({ type: 'access_package', id: data.packageId })
const person = (data: { userId: string }) => data.userId

const plain = { schema: 1, target: assigned, personal: [], subject: person } as const

/** The memberships follow, and commands wait for them. */
const delivered = { ...noConsequences, movesPackageAccess: 'delivery' } as const

export const packageAssignmentEvents = {
  'package_assignment.granted': {
    ...plain,
    audit: 'access_package.assign',
    ocsf: userAccess('Assign Privileges'),
    summary: ({ via }, { target, other }) => `Assigned the access package ${target} to ${other} (${via})`,
    consequences: delivered,
  },
  'package_assignment.started': {
    ...plain,
    audit: 'access_package.assignment.start',
    ocsf: userAccess('Assign Privileges'),
    summary: (_, { target, other }) => `The assignment of the access package ${target} to ${other} started`,
    consequences: delivered,
  },
  'package_assignment.extended': {
    ...plain,
    audit: 'access_package.assignment.extend',
    ocsf: userAccess('Assign Privileges'),
    summary: (_, { target, other }) =>
      `Changed when the assignment of the access package ${target} to ${other} expires`,
    consequences: { ...delivered, takesAway: true },
  },
  'package_assignment.ended': {
    ...plain,
    audit: ({ reason }) =>
      reason === 'expired' ? 'access_package.assignment.expire' : 'access_package.unassign',
    actions: {
      'access_package.assignment.expire': userAccess('Revoke Privileges'),
      'access_package.unassign': userAccess('Revoke Privileges'),
    },
    summary: ({ reason }, { target, other }) =>
      `Ended the assignment of the access package ${target} to ${other} (${reason.replaceAll('_', ' ')})`,
    consequences: { ...delivered, takesAway: true },
  },
} as const satisfies Rows<PackageAssignmentEvent>
