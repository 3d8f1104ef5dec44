import type { Rows } from '../catalogue-row.ts'
import type { MembershipEvent } from './events.ts'

const group = (data: { groupId: string }) => ({ type: 'group', id: data.groupId })
const person = (data: { userId: string }) => data.userId

export const membershipEvents: Rows<MembershipEvent> = {
  'membership.granted': {
    schema: 1,
    audit: 'group.member.add',
    summary: ({ via }, { target, other }) => `Added ${other} to the group ${target} (${via})`,
    target: group,
    personal: [],
    subject: person,
  },
  'membership.expiry_changed': {
    schema: 1,
    audit: 'group.member.add',
    summary: (_, { target, other }) => `Changed how long ${other} is in the group ${target}`,
    target: group,
    personal: [],
    subject: person,
  },
  'membership.withdrawn': {
    schema: 1,
    audit: ({ reason }) => (reason === 'expired' ? 'group.member.expire' : 'group.member.remove'),
    actions: ['group.member.expire', 'group.member.remove'],
    summary: ({ reason }, { target, other }) =>
      `Removed ${other} from the group ${target} (${reason.replaceAll('_', ' ')})`,
    target: group,
    personal: [],
    subject: person,
  },
}
