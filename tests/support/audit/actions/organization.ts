import { deviceWorld } from '../../sign-in/device-authorization.ts'
import { expect } from 'chai'
import { exporting } from '../../export/exports.ts'
import { until } from '../../until.ts'
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

/** Steps for an import, which a background task checks and makes. */
export const importSteps = ({ service, admin, as, of, to, call, keep }: AuditKit): readonly Step[] => {
  const isNow = (status: string) =>
    until(async () => (await as(admin)('GET', to('/imports/:import')())).body.status === status)
  return [
    [
      'upload a file of users, which changes nothing',
      [],
      keep('import', async () => {
        const response = await fetch(`${service.publicUrl}/api/v1/imports?source=users_csv`, {
          method: 'POST',
          headers: { Cookie: admin.cookie, Origin: service.publicUrl, 'Content-Type': 'text/csv' },
          body: 'email,name\nimported@example.com,Imported Person\n',
        })
        expect(response.status).to.equal(201)
        return response.json()
      }),
    ],
    [
      'import them',
      [['user.import', 'Imported Imported Person']],
      async () => {
        await isNow('ready')
        await call('POST', () => `/imports/${of('import')}/start`)()
        await isNow('done')
      },
    ],
  ]
}

/** Steps for an export, which a background task writes. */
export const exportSteps = ({ service, admin, as, to, of, call, keep }: AuditKit): readonly Step[] => {
  const exports = exporting(service, admin)
  let sha256 = ''
  return [
    [
      'request an export',
      [['export.create', 'Requested an export of users, sign-ins']],
      keep(
        'export',
        call('POST', to('/export'), () => ({ kinds: ['users', 'sign_ins'], format: 'csv' })),
      ),
    ],
    [
      'download it',
      [['export.download', () => `Downloaded an export (SHA-256 ${sha256})`]],
      async () => {
        await until(async () => (await exports.find(of('export'))).status === 'ready')
        sha256 = (await as(admin)('GET', to('/export/:export')())).body.sha256 as string
        await exports.download(of('export'))
      },
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
