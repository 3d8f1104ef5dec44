import { deviceWorld } from '../../sign-in/device-authorization.ts'
import type { AuditKit, Step } from './kit.ts'

export const deviceAuthorizationSteps = ({ service, admin }: AuditKit): readonly Step[] => {
  const device = deviceWorld(service)
  const userCode = async (): Promise<string> => (await device.begin()).body.user_code
  return [
    [
      'approve a device',
      [['device_login.approve', 'Approved a sign-in of Grace Admin to Command line on another device']],
      async () => device.approve(await userCode(), admin),
    ],
    [
      'deny a device',
      [['device_login.deny', 'Denied a sign-in of Grace Admin to Command line on another device']],
      async () => device.deny(await userCode(), admin),
    ],
  ]
}

export const organizationSteps = ({ to, call }: AuditKit): readonly Step[] => [
  [
    'change settings',
    [['organization.update', "Updated the organization's settings"]],
    call('PATCH', to('/settings'), () => ({ organizationName: 'Acme' })),
  ],
]
