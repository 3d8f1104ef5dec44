import type { ApplicationEvent, SamlSettings } from '../../../domain/application/events.ts'
import type { SamlCertificateEvent } from '../../../domain/saml-certificate/events.ts'
import { at, id } from '../fixed.ts'
import type { TableCase } from '../sign-in/people-cases.ts'
import { position } from '../event-log/projection.ts'

const applicationId = id('application', 7)
const saml: SamlSettings = {
  entityId: 'urn:wiki',
  acsUrls: ['https://wiki.example.com/acs'],
  nameIdFormat: 'email',
  attributeNames: { email: 'mail', name: 'name', given_name: 'gn', family_name: 'sn', groups: 'roles' },
  signResponse: false,
  defaultRelayState: '/home',
  sessionNotOnOrAfter: true,
}
const registered: ApplicationEvent = {
  type: 'application.created',
  data: {
    applicationId,
    protocol: 'saml',
    builtIn: false,
    fields: { name: 'Wiki', launchUrl: 'https://wiki.example.com/', visibleInPortal: true },
    saml,
  },
}
const changed = (field: string, from: unknown, to: unknown): ApplicationEvent => ({
  type: 'application.saml_updated',
  data: { applicationId, changes: [{ field, from, to }] },
})
const wiki = { id: applicationId, protocol: 'saml', type: null, client_id: null, name: 'Wiki' }

const crt = (n: number): string => id('samlCertificate', n)
const created = (n: number): SamlCertificateEvent => ({
  type: 'saml_certificate.created',
  data: {
    certificateId: crt(n),
    certificatePem: `pem ${String(n)}`,
    fingerprint: `f${String(n)}`,
    notBefore: at(0),
    notAfter: at(1000),
    sealedPrivateKey: `sealed ${String(n)}`,
  },
})
const activated = (n: number, previous: number | null): SamlCertificateEvent => ({
  type: 'saml_certificate.activated',
  data: { certificateId: crt(n), previousCertificateId: previous === null ? null : crt(previous) },
})
const deleted = (n: number): SamlCertificateEvent => ({
  type: 'saml_certificate.deleted',
  data: { certificateId: crt(n) },
})
const begun = [created(1), activated(1, null), created(2)]
const row = (n: number) => ({
  id: crt(n),
  certificate: `pem ${String(n)}`,
  sealed_private_key: `sealed ${String(n)}`,
})

/** Service providers, and the certificates that sign responses to them. */
export const samlCases: readonly TableCase[] = [
  [
    'applications',
    'registration of a service provider',
    [registered],
    [
      {
        ...wiki,
        status: 'active',
        settings: { launchUrl: 'https://wiki.example.com/', visibleInPortal: true },
        saml,
        entity_id: 'urn:wiki',
        version: 1,
      },
    ],
  ],
  [
    'applications',
    'SAML settings changed, added and removed',
    [
      registered,
      changed('entityId', 'urn:wiki', 'urn:pages'),
      changed('signResponse', false, true),
      changed('defaultRelayState', '/home', null),
    ],
    [
      {
        ...wiki,
        saml: {
          entityId: 'urn:pages',
          acsUrls: saml.acsUrls,
          nameIdFormat: 'email',
          attributeNames: saml.attributeNames,
          signResponse: true,
          sessionNotOnOrAfter: true,
        },
        entity_id: 'urn:pages',
        updated_at: at(4),
        version: 4,
      },
    ],
  ],
  [
    'applications',
    'a service provider that is deleted keeps its settings, and its entity id is free',
    [registered, { type: 'application.deleted', data: { applicationId } }],
    [{ ...wiki, status: 'deleted', name_key: null, saml, entity_id: null, tokens_void_before: position(2) }],
  ],
  [
    'saml_certificates',
    'the first ones',
    begun,
    [
      {
        ...row(1),
        ...{ status: 'active', fingerprint: 'f1', not_before: at(0), not_after: at(1000) },
        ...{ created_at: at(1), activated_at: at(2) },
      },
      { ...row(2), status: 'next', created_at: at(3), activated_at: null },
    ],
  ],
  [
    'saml_certificates',
    'rotation',
    [...begun, activated(2, 1), created(3)],
    [
      { ...row(1), status: 'previous', activated_at: at(2) },
      { ...row(2), status: 'active', activated_at: at(4) },
      { ...row(3), status: 'next', activated_at: null },
    ],
  ],
  [
    'saml_certificates',
    'deletion of a previous one and of the next one, private keys with them',
    [...begun, activated(2, 1), created(3), deleted(1), deleted(3), created(4)],
    [
      { ...row(2), status: 'active' },
      { ...row(4), status: 'next' },
    ],
  ],
  [
    'configuration_change',
    'SAML settings and certificates, which instances hold in memory',
    [registered, changed('signResponse', false, true), ...begun],
    [{ position: position(5) }],
  ],
]
