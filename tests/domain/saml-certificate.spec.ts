import { samlCertificateDecider } from '../../domain/saml-certificate/decider.ts'
import type { SamlCertificateData, SamlCertificateEvent } from '../../domain/saml-certificate/events.ts'
import { at, id } from '../support/fixed.ts'
import { given } from '../support/domain/given.ts'

const crt = (n: number): string => id('samlCertificate', n)
const data = (n: number): SamlCertificateData => ({
  certificateId: crt(n),
  certificatePem: 'pem',
  fingerprint: 'aa',
  notBefore: at(0),
  notAfter: at(1),
  sealedPrivateKey: 'sealed',
})
const created = (n: number): SamlCertificateEvent => ({ type: 'saml_certificate.created', data: data(n) })
const activated = (n: number, previous: number | null): SamlCertificateEvent => ({
  type: 'saml_certificate.activated',
  data: { certificateId: crt(n), previousCertificateId: previous === null ? null : crt(previous) },
})
const deleted = (n: number): SamlCertificateEvent => ({
  type: 'saml_certificate.deleted',
  data: { certificateId: crt(n) },
})
const certificates = (...past: readonly SamlCertificateEvent[]) => given(samlCertificateDecider, ...past)

const begun = [created(1), activated(1, null), created(2)]
const ensure = { type: 'ensure', active: data(1), next: data(2) } as const
const rotate = (active: number, next: number) =>
  ({ type: 'rotate', activeId: crt(active), next: data(next) }) as const
const remove = (n: number, next = 9) => ({ type: 'delete', certificateId: crt(n), next: data(next) }) as const

describe('SAML certificates', () => {
  it('SAML-08 start with an active and a next one', () => {
    certificates()
      .when(ensure)
      .then(...begun)
    certificates(...begun)
      .when(ensure)
      .changesNothing()
    certificates(created(1), activated(1, null)).when(ensure).then(created(2))
  })
  it('SAML-08 rotate to the next, keep the previous one, and create another next one', () => {
    certificates(...begun)
      .when(rotate(1, 3))
      .then(activated(2, 1), created(3))
    certificates().when(rotate(1, 3)).changesNothing()
    certificates(created(1), activated(1, null)).when(rotate(1, 3)).refuses('ERR_CONFLICT')
  })
  it('SAML-08 rotate once for all requests based on the same active certificate', () => {
    certificates(...begun, activated(2, 1), created(3))
      .when(rotate(1, 4))
      .changesNothing()
  })
  it('SAML-08 the previous one is deleted, the active one is not, and the next one is replaced by another', () => {
    const rotated = [...begun, activated(2, 1), created(3)]
    certificates(...rotated)
      .when(remove(1))
      .then(deleted(1))
    certificates(...rotated)
      .when(remove(2))
      .refuses('ERR_CONFLICT', /[Rr]otate/)
    certificates(...rotated)
      .when(remove(3, 4))
      .then(deleted(3), created(4))
    certificates(...rotated, deleted(1))
      .when(remove(1))
      .refuses('ERR_NOT_FOUND')
    certificates(...rotated)
      .when(remove(7))
      .refuses('ERR_NOT_FOUND')
  })
})
