import { success, type Json } from '../../../http/api/support.ts'
import type { AuditKit, Step } from './kit.ts'

const serviceProvider = (n: number, more: object = {}) => ({
  entityId: `https://wiki.example.com/saml/${String(n)}`,
  acsUrls: ['https://wiki.example.com/saml/acs'],
  ...more,
})

/** Steps for SAML applications; they need a group. */
export const samlApplicationSteps = ({ of, to, call, keep }: AuditKit): readonly Step[] => {
  const updated: Step[1] = [['application.saml.update', 'Updated the SAML settings of the application Wiki']]
  return [
    [
      'register a service provider',
      [
        ['application.create', 'Created the application Wiki'],
        ['application.group.assign', 'Assigned the group People to the application Wiki'],
      ],
      keep(
        'wiki',
        call('POST', to('/applications'), () => ({
          name: 'Wiki',
          protocol: 'saml',
          saml: serviceProvider(1),
          groupIds: [of('group')],
        })),
      ),
    ],
    [
      'change a SAML setting',
      updated,
      call('PATCH', to('/applications/:wiki'), () => ({ saml: { nameIdFormat: 'persistent' } })),
    ],
    [
      'change a SAML setting to its current value',
      [],
      call('PATCH', to('/applications/:wiki'), () => ({ saml: { nameIdFormat: 'persistent' } })),
    ],
    [
      'replace the SAML settings',
      updated,
      call('PUT', to('/applications/:wiki/saml'), () => serviceProvider(2, { signResponse: true })),
    ],
    [
      'rename a service provider, and change a SAML setting with it',
      [
        ['application.update', 'Updated the application Pages'],
        ['application.saml.update', 'Updated the SAML settings of the application Pages'],
      ],
      call('PATCH', to('/applications/:wiki'), () => ({ name: 'Pages', saml: { signResponse: false } })),
    ],
    [
      'unassign the group of a service provider',
      [['application.group.unassign', 'Unassigned the group People from the application Pages']],
      call('DELETE', to('/applications/:wiki/groups/:group')),
    ],
    [
      'delete a service provider',
      [['application.delete', 'Deleted the application Pages']],
      call('DELETE', to('/applications/:wiki')),
    ],
  ]
}

const shortened = (fingerprint: string): string =>
  (fingerprint.slice(0, 16).toUpperCase().match(/../g) ?? []).join(':')

export const samlCertificateSteps = ({ as, admin, call }: AuditKit): readonly Step[] => {
  /** Names of certificates in the summaries, by their status before the step; `new` is the one that it creates. */
  const names: Record<string, string> = {}
  const list = async (): Promise<Json[]> => success(await as(admin)('GET', '/saml/certificates'))
  const step = (path: () => string, method: string) => async () => {
    const before = await list()
    for (const { status, fingerprint } of before) names[status] = shortened(fingerprint)
    await call(method, path)()
    const known = new Set(before.map(({ id }) => id))
    names['new'] = shortened((await list()).find(({ id }) => !known.has(id))?.fingerprint ?? '')
  }
  const withId = (status: string) => async () => {
    const certificate = (await list()).find((each) => each.status === status)
    await step(() => `/saml/certificates/${String(certificate.id)}`, 'DELETE')()
  }
  const named = (text: string, which: string) => () => `${text} ${names[which] ?? ''}`
  return [
    [
      'rotate the SAML certificate',
      [
        ['saml.certificate.rotate', named('Started signing SAML responses with the certificate', 'next')],
        ['saml.certificate.create', named('Created the SAML certificate', 'new')],
      ],
      step(() => '/saml/certificate/rotate', 'POST'),
    ],
    [
      'delete the previous SAML certificate',
      [
        [
          'saml.certificate.delete',
          () => `Removed the SAML certificate ${names['previous'] ?? ''} from the metadata`,
        ],
      ],
      withId('previous'),
    ],
    [
      'delete the next SAML certificate',
      [
        [
          'saml.certificate.delete',
          () => `Removed the SAML certificate ${names['next'] ?? ''} from the metadata`,
        ],
        ['saml.certificate.create', named('Created the SAML certificate', 'new')],
      ],
      withId('next'),
    ],
  ]
}
