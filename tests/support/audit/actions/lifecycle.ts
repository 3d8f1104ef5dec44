import { until } from '../../until.ts'
import type { AuditKit, Step } from './kit.ts'

export const lifecycleSteps = ({ to, call, keep, people, made }: AuditKit): readonly Step[] => [
  [
    'make a lifecycle rule',
    [['lifecycle_rule.create', 'Created the lifecycle rule Joiners']],
    keep(
      'rule',
      call('POST', to('/lifecycle/rules'), () => ({
        name: 'Joiners',
        trigger: { type: 'user_created' },
        actions: [{ type: 'add_to_group', groupId: made['group'] }],
      })),
    ),
  ],
  [
    'change a lifecycle rule',
    [['lifecycle_rule.update', 'Updated the lifecycle rule Starters']],
    call('PATCH', to('/lifecycle/rules/:rule'), () => ({ name: 'Starters' })),
  ],
  [
    'enable a lifecycle rule',
    [['lifecycle_rule.enable', 'Enabled the lifecycle rule Starters']],
    call('POST', to('/lifecycle/rules/:rule/enable')),
  ],
  [
    'run a lifecycle rule',
    [
      ['lifecycle_rule.run', 'The lifecycle rule Starters applies to Rita Levi (manual)'],
      ['group.member.add', 'Added Rita Levi to the group People (lifecycle)'],
    ],
    async () => {
      const { userId } = people.requester
      const [{ id }] = await call('POST', to('/lifecycle/rules/:rule/run'), () => ({ userIds: [userId] }))()
      made['run'] = id
      const read = call('GET', to('/lifecycle/runs/:run'))
      await until(async () => (await read()).status === 'succeeded', 15_000, 'the run')
    },
  ],
  [
    'disable a lifecycle rule',
    [['lifecycle_rule.disable', 'Disabled the lifecycle rule Starters']],
    call('POST', to('/lifecycle/rules/:rule/disable')),
  ],
  [
    'delete a lifecycle rule',
    [['lifecycle_rule.delete', 'Deleted the lifecycle rule Starters']],
    call('DELETE', to('/lifecycle/rules/:rule')),
  ],
]
