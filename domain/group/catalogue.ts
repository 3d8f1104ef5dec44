import { nobody, type Rows } from '../catalogue-row.ts'
import type { GroupEvent } from './events.ts'

const group = (data: { groupId: string }) => ({ type: 'group', id: data.groupId })

export const groupEvents: Rows<GroupEvent> = {
  'group.created': {
    schema: 1,
    audit: 'group.create',
    summary: ({ name }) => `Created the group ${name}`,
    target: group,
    personal: [],
    subject: nobody,
  },
  'group.updated': {
    schema: 1,
    audit: 'group.update',
    summary: (_, { target }) => `Updated the group ${target}`,
    target: group,
    personal: [],
    subject: nobody,
  },
  'group.rule_changed': {
    schema: 1,
    audit: 'group.rule.update',
    summary: ({ to }, { target }) => `${to === null ? 'Removed' : 'Set'} the rule of the group ${target}`,
    target: group,
    personal: [],
    subject: nobody,
  },
  'group.deleted': {
    schema: 1,
    audit: 'group.delete',
    summary: (_, { target }) => `Deleted the group ${target}`,
    target: group,
    personal: [],
    subject: nobody,
  },
}
