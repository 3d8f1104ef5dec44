import { sshCertificateDecider } from '../../domain/ssh-certificate/decider.ts'
import type { SshCertificateData, SshCertificateEvent } from '../../domain/ssh-certificate/events.ts'
import { at, id } from '../support/fixed.ts'
import { given } from '../support/domain/given.ts'

const data: SshCertificateData = {
  serial: '7',
  userId: id('user'),
  keyId: `ada@example.com|${id('user')}|${id('auditEvent')}`,
  keyType: 'ssh-ed25519',
  keyFingerprint: 'SHA256:key',
  authorityFingerprint: 'SHA256:authority',
  principals: ['deploy'],
  validAfter: at(-60),
  validBefore: at(3600),
  sourceAddresses: [],
  extensions: ['permit-pty'],
}
const issued: SshCertificateEvent = { type: 'ssh_certificate.issued', data }
const revoked: SshCertificateEvent = {
  type: 'ssh_certificate.revoked',
  data: { serial: '7', userId: id('user'), reason: 'stolen' },
}
const revoke = (now: string, ownerId: string | null = null) =>
  ({ type: 'revoke', serial: '7', ownerId, reason: 'stolen', now }) as const

describe('An SSH certificate', () => {
  it('SSH-01 is recorded once per serial number', () => {
    given(sshCertificateDecider).when({ type: 'issue', data }).then(issued)
    given(sshCertificateDecider, issued).when({ type: 'issue', data }).refuses('ERR_CONFLICT')
  })
  it('SSH-02 is never issued without principals', () => {
    given(sshCertificateDecider)
      .when({ type: 'issue', data: { ...data, principals: [] } })
      .refuses('ERR_NO_PRINCIPALS')
  })
  it('SSH-01 is revoked once, by an administrator or its user', () => {
    given(sshCertificateDecider, issued)
      .when(revoke(at(10)))
      .then(revoked)
    given(sshCertificateDecider, issued)
      .when(revoke(at(10), id('user')))
      .then(revoked)
    given(sshCertificateDecider, issued, revoked)
      .when(revoke(at(20)))
      .changesNothing()
  })
  it('SSH-01 of another user looks like one that does not exist', () => {
    given(sshCertificateDecider, issued)
      .when(revoke(at(10), id('user', 2)))
      .refuses('ERR_NOT_FOUND')
    given(sshCertificateDecider)
      .when(revoke(at(10)))
      .refuses('ERR_NOT_FOUND')
  })
  it('SSH-01 that has expired is not revoked any more', () => {
    given(sshCertificateDecider, issued)
      .when(revoke(at(3600)))
      .refuses('ERR_CONFLICT', /expired/)
  })
})
