import type { AuditKit, Step } from './kit.ts'

const rule = { match: 'all', conditions: [{ attribute: 'department', operator: 'eq', value: 'None' }] }

export const groupSteps = ({ to, call, keep }: AuditKit): readonly Step[] => [
  [
    'make a group',
    [['group.create', 'Created the group Staff']],
    keep(
      'group',
      call('POST', to('/groups'), () => ({ name: 'Staff' })),
    ),
  ],
  [
    'change a group',
    [['group.update', 'Updated the group People']],
    call('PATCH', to('/groups/:group'), () => ({ name: 'People' })),
  ],
  [
    'set a rule',
    [['group.rule.update', 'Set the rule of the group People']],
    call('PATCH', to('/groups/:group'), () => ({ rule })),
  ],
  [
    'add a member',
    [['group.member.add', 'Added Ada King to the group People (assigned)']],
    call('PUT', to('/groups/:group/members/:ada'), () => ({})),
  ],
  [
    'remove a member',
    [['group.member.remove', 'Removed Ada King from the group People (removed)']],
    call('DELETE', to('/groups/:group/members/:ada')),
  ],
]

export const groupEndSteps = ({ to, call }: AuditKit): readonly Step[] => [
  ['delete a group', [['group.delete', 'Deleted the group People']], call('DELETE', to('/groups/:group'))],
]
