import { payroll } from '../../../http/api/support.ts'
import { uploadLogo, type AuditKit, type Step } from './kit.ts'

/** Steps for applications; they need a group. */
export const applicationSteps = ({ service, admin, of, to, call, keep }: AuditKit): readonly Step[] => [
  [
    'register an application',
    [
      ['application.create', 'Created the application Payroll'],
      ['application.secret.create', 'Created a client secret of Payroll'],
      ['application.group.assign', 'Assigned the group People to the application Payroll'],
    ],
    keep(
      'app',
      call('POST', to('/applications'), () => payroll('Payroll', { groupIds: [of('group')] })),
    ),
  ],
  [
    'change an application',
    [['application.update', 'Updated the application Wages']],
    call('PATCH', to('/applications/:app'), () => ({ name: 'Wages' })),
  ],
  [
    'upload the logo of an application',
    [['application.logo.update', 'Changed the logo of the application Wages']],
    () => uploadLogo(service, admin, `/applications/${of('app')}/logo`),
  ],
  [
    'remove the logo of an application',
    [['application.logo.delete', 'Removed the logo of the application Wages']],
    call('DELETE', to('/applications/:app/logo')),
  ],
  [
    'unassign a group',
    [['application.group.unassign', 'Unassigned the group People from the application Wages']],
    call('DELETE', to('/applications/:app/groups/:group')),
  ],
  [
    'make a secret',
    [['application.secret.create', 'Created a client secret of Wages']],
    keep(
      'secret',
      call('POST', to('/applications/:app/secrets'), () => ({})),
    ),
  ],
  [
    'revoke a secret',
    [['application.secret.revoke', 'Revoked a client secret of Wages']],
    call('DELETE', to('/applications/:app/secrets/:secret')),
  ],
  [
    'rotate the secret',
    [['application.secret.rotate', 'Rotated a client secret of Wages']],
    call('POST', to('/applications/:app/secret/rotate'), () => ({ graceSeconds: 60 })),
  ],
]

export const applicationEndSteps = ({ to, call }: AuditKit): readonly Step[] => [
  [
    'disable',
    [['application.disable', 'Disabled the application Wages']],
    call('POST', to('/applications/:app/disable')),
  ],
  [
    'enable',
    [['application.enable', 'Enabled the application Wages']],
    call('POST', to('/applications/:app/enable')),
  ],
  [
    'delete an application',
    [['application.delete', 'Deleted the application Wages']],
    call('DELETE', to('/applications/:app')),
  ],
]
