import { expect } from 'chai'
import { upcast } from '../../adapters/engines/event-log/upcast.ts'
import { accessPackageDecider } from '../../domain/access-package/decider.ts'
import { accessRequestDecider } from '../../domain/access-request/decider.ts'
import { accessReviewDecider } from '../../domain/access-review/decider.ts'
import { apiKeyDecider } from '../../domain/api-key/decider.ts'
import { apiResourceDecider } from '../../domain/api-resource/decider.ts'
import { applicationDecider } from '../../domain/application/decider.ts'
import { catalogue, rowOf, type DomainEvent, type EventType } from '../../domain/catalogue.ts'
import type { Decider } from '../../domain/decider.ts'
import { deviceDecider } from '../../domain/device/decider.ts'
import { deviceAuthorizationDecider } from '../../domain/device-authorization/decider.ts'
import { grantDecider } from '../../domain/grant/decider.ts'
import { groupDecider } from '../../domain/group/decider.ts'
import { membershipDecider } from '../../domain/membership/decider.ts'
import { methodSettingsDecider } from '../../domain/method-settings/decider.ts'
import { applicationLogoDecider } from '../../domain/application-logo/decider.ts'
import { brandingDecider } from '../../domain/branding/decider.ts'
import { dnsDomainDecider } from '../../domain/dns-domain/decider.ts'
import { exportDecider } from '../../domain/export/decider.ts'
import { networkZoneDecider } from '../../domain/network-zone/decider.ts'
import { lifecycleRuleDecider } from '../../domain/lifecycle-rule/decider.ts'
import { lifecycleRunDecider } from '../../domain/lifecycle-run/decider.ts'
import { organizationDecider } from '../../domain/organization/decider.ts'
import { packageAssignmentDecider } from '../../domain/package-assignment/decider.ts'
import { policyDecider } from '../../domain/policy/decider.ts'
import { provisionedAccountDecider } from '../../domain/provisioned-account/decider.ts'
import { identityProviderDecider } from '../../domain/identity-provider/decider.ts'
import { provisioningDecider } from '../../domain/provisioning/decider.ts'
import { riskDecider } from '../../domain/risk/decider.ts'
import { streamDecider } from '../../domain/shared-signals/decider.ts'
import { secretKeyDecider } from '../../domain/secret-key/decider.ts'
import { serviceAccountDecider } from '../../domain/service-account/decider.ts'
import { samlCertificateDecider } from '../../domain/saml-certificate/decider.ts'
import { samlAssertionDecider } from '../../domain/saml-assertion/decider.ts'
import { sessionDecider } from '../../domain/session/decider.ts'
import { signInDecider } from '../../domain/sign-in/decider.ts'
import { sshAuthorityDecider } from '../../domain/ssh-authority/decider.ts'
import { sshCertificateDecider } from '../../domain/ssh-certificate/decider.ts'
import { sshHostCertificateDecider } from '../../domain/ssh-host-certificate/decider.ts'
import { sshPrincipalMappingDecider } from '../../domain/ssh-principal-mapping/decider.ts'
import { signingKeyDecider } from '../../domain/signing-key/decider.ts'
import { userDecider } from '../../domain/user/decider.ts'
import { webhookDecider } from '../../domain/webhook/decider.ts'
import { corpus, digestOf, frozen, type FrozenEvent } from '../support/domain/corpus.ts'

type Owner = Pick<Decider<unknown, never, DomainEvent>, 'initial' | 'evolve'>

/** Deciders by the first part of their event types. */
const owners: Readonly<Record<string, unknown>> = {
  user: userDecider,
  risk_event: riskDecider,
  shared_signals_stream: streamDecider,
  group: groupDecider,
  membership: membershipDecider,
  application: applicationDecider,
  api_resource: apiResourceDecider,
  session: sessionDecider,
  sign_in: signInDecider,
  grant: grantDecider,
  saml_assertion: samlAssertionDecider,
  device: deviceDecider,
  device_login: deviceAuthorizationDecider,
  signing_key: signingKeyDecider,
  saml_certificate: samlCertificateDecider,
  organization: organizationDecider,
  webhook: webhookDecider,
  method_settings: methodSettingsDecider,
  policy: policyDecider,
  network_zone: networkZoneDecider,
  domain: dnsDomainDecider,
  export: exportDecider,
  identity_provider: identityProviderDecider,
  branding: brandingDecider,
  application_logo: applicationLogoDecider,
  service_account: serviceAccountDecider,
  api_key: apiKeyDecider,
  provisioning: provisioningDecider,
  provisioned_account: provisionedAccountDecider,
  secret_key: secretKeyDecider,
  access_package: accessPackageDecider,
  package_assignment: packageAssignmentDecider,
  access_review: accessReviewDecider,
  access_request: accessRequestDecider,
  lifecycle_rule: lifecycleRuleDecider,
  lifecycle_run: lifecycleRunDecider,
  ssh_principal_mapping: sshPrincipalMappingDecider,
  ssh_certificate: sshCertificateDecider,
  ssh_host_certificate: sshHostCertificateDecider,
  ssh_authority_key: sshAuthorityDecider,
}

const ownerOf = (type: EventType): Owner => {
  const owner = owners[type.split('.')[0] ?? '']
  if (owner === undefined) expect.fail(`no decider is known to own ${type}: add it to owners`)
  return owner as Owner
}

const lifted = ({ type, metadata, data }: FrozenEvent): Readonly<Record<string, unknown>> =>
  upcast(type, metadata.schema, data) ?? {}

/** Resources that exist only once have their name as id. */
const targets: Readonly<Record<string, RegExp>> = {
  'organization.updated': /^organization$/,
  'branding.logo_updated': /^organization$/,
  'branding.logo_deleted': /^organization$/,
  'branding.updated': /^organization$/,
  'secret_key.lost': /^organization$/,
  'secret_key.rotated': /^organization$/,
  'method_settings.updated': /^security_key$/,
  'ssh_certificate.issued': /^\d+$/,
  'ssh_certificate.revoked': /^\d+$/,
  'ssh_host_certificate.issued': /^\d+$/,
  'ssh_host_certificate.revoked': /^\d+$/,
  'ssh_authority_key.created': /^SHA256:/,
  'ssh_authority_key.activated': /^SHA256:/,
  'ssh_authority_key.retired': /^SHA256:/,
  'ssh_authority_key.revoked': /^SHA256:/,
}
const ID = /\b[a-z]{2,3}_[0-9A-Za-z]{26}\b/
/** Additional shapes of a type's data: `<type>.v<n>.<shape>.json`. */
const shapeOf = (file: string): string => /\.v\d+(\.[a-z]+)?\.json$/.exec(file)?.[1] ?? ''
const types = Object.keys(catalogue) as readonly EventType[]

describe('The corpus of stored events', () => {
  it('EVT-03 contains one event of every type and version', () => {
    const wanted = types.flatMap((type) =>
      Array.from({ length: rowOf(type).schema }, (_, i) => `${type}.v${String(i + 1)}.json`),
    )
    const missing = wanted.filter((file) => !corpus.has(file))
    expect(
      missing,
      'write these files to tests/domain/corpus, one plausible stored event each',
    ).to.deep.equal([])
    expect(
      [...corpus.keys()].filter((file) => !wanted.includes(file.replace(`${shapeOf(file)}.json`, '.json'))),
      'a type or version once stored can never leave the catalogue',
    ).to.deep.equal([])
  })

  it('EVT-03 is frozen', () => {
    const unlisted = [...corpus.keys()].filter((file) => !frozen.has(file))
    expect(
      unlisted.map((file) => `${digestOf(file)}  ${file}`),
      'new files need these lines in tests/domain/corpus/frozen.txt',
    ).to.deep.equal([])
    for (const [file, digest] of frozen) {
      expect(corpus.has(file), `${file} is gone: stored shapes never leave`).to.equal(true)
      expect(
        digestOf(file),
        `${file} was edited. Stored shapes never change: put it back, raise the schema, add an upcast and a new file`,
      ).to.equal(digest)
    }
  })

  for (const [file, event] of corpus)
    describe(file, () => {
      const row = rowOf(event.type)
      const names = { target: 'The target', other: 'The other' }

      it('EVT-03 is named after its type and version', () => {
        expect(file).to.equal(`${event.type}.v${String(event.metadata.schema)}${shapeOf(file)}.json`)
      })

      it('EVT-03 is upcast to the current version', () => {
        const current = corpus.get(`${event.type}.v${String(row.schema)}${shapeOf(file)}.json`)
        expect(Object.keys(lifted(event)).sort()).to.deep.equal(Object.keys(current?.data ?? {}).sort())
      })

      it('EVT-03 is accepted by its decider, also without its personal fields', () => {
        const { initial, evolve } = ownerOf(event.type)
        const data = lifted(event)
        const erased = Object.fromEntries(
          Object.entries(data).filter(([field]) => !row.personal.includes(field)),
        )
        for (const some of [data, erased]) {
          const state = evolve(initial, { type: event.type, data: some } as unknown as DomainEvent)
          expect(state).to.be.an('object')
          expect(evolve(state, { type: event.type, data: some } as unknown as DomainEvent)).to.be.an('object')
        }
      })

      it('AUD-01 has a target, at most one action, and a summary without ids', () => {
        const data = lifted(event)
        const { type, id } = row.target(data)
        expect(type).to.match(/^[a-z_]+$/)
        expect(id).to.match(targets[event.type] ?? ID)
        const sentence = row.summary(data, names)
        expect(sentence).to.match(/^[A-Z][^\n]+[^.\s]$/)
        expect(sentence).not.to.match(ID)
        expect(sentence).not.to.match(/undefined|null|\[object/)
        const action = typeof row.audit === 'function' ? row.audit(data) : row.audit
        if (action !== null) expect(action).to.match(/^[a-z_]+(\.[a-z_]+)+$/)
      })

      it('EVT-01 is encrypted only in existing fields, under the key of the user whom it describes', () => {
        const data = lifted(event)
        for (const field of row.personal) expect(data).to.have.property(field)
        const subject = row.subject(data)
        // A risk of all users describes none of them.
        if (row.personal.length > 0 && data['userId'] !== null) expect(subject).to.match(/^usr_[0-9A-Z]{26}$/)
        if (subject !== null) expect(data['userId']).to.equal(subject)
      })
    })
})
