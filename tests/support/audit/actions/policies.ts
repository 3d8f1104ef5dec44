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

/** Steps for network zones. */
export const networkZoneSteps = ({ to, call, keep }: AuditKit): readonly Step[] => [
  [
    'create a network zone',
    [['network_zone.create', 'Created the network zone Office']],
    keep(
      'zone',
      call('POST', to('/network-zones'), () => ({ name: 'Office', type: 'ip', cidrs: ['192.0.2.0/24'] })),
    ),
  ],
  [
    'rename a network zone',
    [['network_zone.update', 'Updated the network zone Berlin']],
    call('PATCH', to('/network-zones/:zone'), () => ({ name: 'Berlin' })),
  ],
  [
    'delete a network zone',
    [['network_zone.delete', 'Deleted the network zone Berlin']],
    call('DELETE', to('/network-zones/:zone')),
  ],
]
