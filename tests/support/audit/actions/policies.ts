import type { AuditKit, Step } from './kit.ts'

/** Steps for access policies. */
export const policySteps = ({ to, call, keep }: AuditKit): readonly Step[] => [
  [
    'create a policy',
    [['policy.create', 'Created the policy Office (disabled)']],
    keep(
      'policy',
      call('POST', to('/policies'), () => ({ name: 'Office', action: 'allow' })),
    ),
  ],
  [
    'rename a policy and try it out',
    [
      ['policy.update', 'Updated the policy Office hours'],
      ['policy.report_only', 'Set to report only the policy Office hours'],
    ],
    call('PATCH', to('/policies/:policy'), () => ({ name: 'Office hours', status: 'report_only' })),
  ],
  [
    'enable a policy',
    [['policy.enable', 'Enabled the policy Office hours']],
    call('PATCH', to('/policies/:policy'), () => ({ status: 'enabled' })),
  ],
  [
    'disable a policy',
    [['policy.disable', 'Disabled the policy Office hours']],
    call('PATCH', to('/policies/:policy'), () => ({ status: 'disabled' })),
  ],
  [
    'delete a policy',
    [['policy.delete', 'Deleted the policy Office hours']],
    call('DELETE', to('/policies/:policy')),
  ],
]
