import { entityManagement, groupManagement, low } from '../audit/ocsf-classes.ts'
import { nobody, noConsequences, type Rows } from '../catalogue-row.ts'
import type { GroupEvent } from './events.ts'

const group = (data: { groupId: string }) => ({ type: 'group', id: data.groupId })

export const groupEvents = {
  'group.created': {
    schema: 1,
    audit: 'group.create',
    ocsf: groupManagement('Create'),
    summary: ({ name }) => `Created the group ${name}`,
    target: group,
    personal: [],
    subject: nobody,
    consequences: {
      takesAway: false,
      endsSessions: 'none',
      movesRuleMembers: 'of_group',
      forgetsNames: false,
      emails: [],
      marksProvisioning: false,
      changesConfiguration: false,
      movesPackageAccess: 'none',
    },
  },
  'group.updated': {
    schema: 1,
    audit: 'group.update',
    ocsf: entityManagement('Update'),
    summary: (_, { target }) => `Updated the group ${target}`,
    target: group,
    personal: [],
    subject: nobody,
    consequences: noConsequences,
  },
  'group.rule_changed': {
    schema: 1,
    audit: 'group.rule.update',
    ocsf: entityManagement('Update'),
    summary: ({ to }, { target }) => `${to === null ? 'Removed' : 'Set'} the rule of the group ${target}`,
    target: group,
    personal: [],
    subject: nobody,
    consequences: {
      takesAway: true,
      endsSessions: 'none',
      movesRuleMembers: 'of_group',
      forgetsNames: false,
      emails: [],
      marksProvisioning: false,
      changesConfiguration: false,
      movesPackageAccess: 'none',
    },
  },
  'group.deleted': {
    schema: 1,
    audit: 'group.delete',
    ocsf: groupManagement('Delete', low),
    summary: (_, { target }) => `Deleted the group ${target}`,
    target: group,
    personal: [],
    subject: nobody,
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
} as const satisfies Rows<GroupEvent>
