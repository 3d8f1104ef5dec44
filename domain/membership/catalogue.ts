import { groupManagement } from '../audit/ocsf-classes.ts'
import type { Rows } from '../catalogue-row.ts'
import type { MembershipEvent } from './events.ts'

const group = (data: { groupId: string }) => ({ type: 'group', id: data.groupId })
const person = (data: { userId: string }) => data.userId

export const membershipEvents = {
  'membership.granted': {
    schema: 1,
    audit: 'group.member.add',
    ocsf: groupManagement('Add User'),
    summary: ({ via }, { target, other }) => `Added ${other} to the group ${target} (${via})`,
    target: group,
    personal: [],
    subject: person,
    consequences: {
      takesAway: false,
      endsSessions: 'none',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: true,
      changesConfiguration: false,
      movesPackageAccess: 'approvers',
    },
  },
  'membership.expiry_changed': {
    schema: 1,
    audit: 'group.member.add',
    ocsf: groupManagement('Add User'),
    summary: (_, { target, other }) =>
      `Changed when the membership of ${other} in the group ${target} expires`,
    target: group,
    personal: [],
    subject: person,
    consequences: {
      takesAway: true,
      endsSessions: 'none',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: true,
      changesConfiguration: false,
      movesPackageAccess: 'none',
    },
  },
  'membership.withdrawn': {
    schema: 1,
    audit: ({ reason }) => (reason === 'expired' ? 'group.member.expire' : 'group.member.remove'),
    actions: {
      'group.member.expire': groupManagement('Remove User'),
      'group.member.remove': groupManagement('Remove User'),
    },
    summary: ({ reason }, { target, other }) =>
      `Removed ${other} from the group ${target} (${reason.replaceAll('_', ' ')})`,
    target: group,
    personal: [],
    subject: person,
    consequences: {
      takesAway: true,
      endsSessions: 'none',
      movesRuleMembers: 'none',
      forgetsNames: false,
      emails: [],
      marksProvisioning: true,
      changesConfiguration: false,
      movesPackageAccess: 'approvers',
    },
  },
} as const satisfies Rows<MembershipEvent>
