import { expect } from 'chai'
import { sshHostCertificateDecider } from '../../domain/ssh-host-certificate/decider.ts'
import type {
  SshHostCertificateData,
  SshHostCertificateEvent,
} from '../../domain/ssh-host-certificate/events.ts'
import { hostNamesOf, isHostName, isHostPattern } from '../../domain/ssh-host-certificate/host-names.ts'
import { given } from '../support/domain/given.ts'
import { at, id } from '../support/fixed.ts'

const data: SshHostCertificateData = {
  serial: '7',
  serviceAccountId: id('user', 7),
  keyId: `host:web01.example.com|${id('user', 7)}|${id('auditEvent')}`,
  keyType: 'ssh-ed25519',
  keyFingerprint: 'SHA256:key',
  authorityFingerprint: 'SHA256:authority',
  hostNames: ['web01.example.com'],
  validAfter: at(-60),
  validBefore: at(3600),
}
const issued: SshHostCertificateEvent = { type: 'ssh_host_certificate.issued', data }
const revoked: SshHostCertificateEvent = {
  type: 'ssh_host_certificate.revoked',
  data: { serial: '7', serviceAccountId: id('user', 7), reason: 'replaced' },
}
const revoke = (now: string) => ({ type: 'revoke', serial: '7', reason: 'replaced', now }) as const

describe('An SSH host certificate', () => {
  it('SSH-01 is recorded once per serial number', () => {
    given(sshHostCertificateDecider).when({ type: 'issue', data }).then(issued)
    given(sshHostCertificateDecider, issued).when({ type: 'issue', data }).refuses('ERR_CONFLICT')
  })
  it('SSH-02 is never issued without names, which ssh takes for all hosts', () => {
    given(sshHostCertificateDecider)
      .when({ type: 'issue', data: { ...data, hostNames: [] } })
      .refuses('ERR_NO_PRINCIPALS')
  })
  it('SSH-01 is revoked once, and not after it has expired', () => {
    given(sshHostCertificateDecider)
      .when(revoke(at(10)))
      .refuses('ERR_NOT_FOUND')
    given(sshHostCertificateDecider, issued)
      .when(revoke(at(10)))
      .then(revoked)
    given(sshHostCertificateDecider, issued, revoked)
      .when(revoke(at(20)))
      .changesNothing()
    given(sshHostCertificateDecider, issued)
      .when(revoke(at(3600)))
      .refuses('ERR_CONFLICT', /expired/)
  })
})

describe('The names of hosts', () => {
  const names = [
    ...['web01.example.com', 'db', 'xn--bcher-kva.example', 'a-b.c', '0a.example', '1.example', '3com'],
    ...['192.0.2.7', '0.0.0.0', '2001:db8::7', '::1', 'fe80::1:2', 'a'.repeat(63)],
    `${'a.'.repeat(126)}a`,
  ]
  const patterns = ['*.example.com', '*.a.b', '*.xn--bcher-kva.example']
  const neither = [
    ...['', '*', '*.', '*.com', '*.*.example.com', 'web*.example.com', 'a.*.example.com', '**.example.com'],
    ...['?.example.com', '!web.example.com', 'web.example.com,db', 'web.example.com db', 'web\nroot'],
    ...['web\0.example.com', 'web\r', ' web', 'Web.example.com', 'WEB', 'bücher.example', 'web.example.com.'],
    ...[
      '.web',
      'web..example',
      '-web',
      'web-',
      'web_1',
      'web/1',
      '@web',
      'a'.repeat(64),
      `${'a.'.repeat(127)}a`,
    ],
    // What the system's resolver reads as an address.
    ...[
      '127.1',
      '1',
      '0x7f.1',
      'a.0x',
      'web.7',
      '256.0.0.1',
      '1.2.3.4.5',
      '01.2.3.4',
      '1.2.3.0x4',
      '*.2.3.4',
    ],
    // Addresses in other forms than ssh writes.
    ...['2001:DB8::7', '2001:db8:0::7', '2001:0db8::7', '::ffff:192.0.2.7', '[::1]', '[::1]:22', '::1%lo'],
    ...['192.0.2.0/24', '::/0', '192.0.2.7:22', ':', '::1::', '*.::1', 'fe80::1%25eth0'],
  ]

  it('SSH-01 are DNS names in lower case and addresses in their usual form', () => {
    for (const name of names) expect(isHostName(name), name).to.equal(true)
    for (const name of [...patterns, ...neither])
      expect(isHostName(name), JSON.stringify(name)).to.equal(false)
  })

  it('SSH-01 or, for accounts, a wildcard for the first label of a name with at least three', () => {
    for (const name of [...names, ...patterns]) expect(isHostPattern(name), name).to.equal(true)
    for (const name of neither) expect(isHostPattern(name), JSON.stringify(name)).to.equal(false)
  })

  const given = ['web01.example.com', '*.db.example.com', '192.0.2.7']
  const of = (requested: readonly string[] | null, account = given) => hostNamesOf(account, requested)

  it('SSH-01 in a certificate are those of the account, without wildcards', () => {
    expect(of(null)).to.deep.equal({ hostNames: ['web01.example.com', '192.0.2.7'] })
    expect(of(['192.0.2.7', '192.0.2.7'])).to.deep.equal({ hostNames: ['192.0.2.7'] })
    expect(of(['a.db.example.com', 'web01.example.com'])).to.deep.equal({
      hostNames: ['a.db.example.com', 'web01.example.com'],
    })
  })

  const refusals: readonly (readonly [names: readonly string[] | null, code: string, account?: string[]])[] =
    [
      [null, 'ERR_NO_PRINCIPALS', []],
      [['web01.example.com'], 'ERR_NO_PRINCIPALS', []],
      [null, 'ERR_INVALID', ['*.db.example.com']],
      [[], 'ERR_INVALID'],
      [['*.db.example.com'], 'ERR_INVALID'],
      [['web02.example.com'], 'ERR_NO_PRINCIPALS'],
      [['web01.example.com', 'example.com'], 'ERR_NO_PRINCIPALS'],
      [['db.example.com'], 'ERR_NO_PRINCIPALS'],
      [['a.b.db.example.com'], 'ERR_NO_PRINCIPALS'],
      [['xdb.example.com'], 'ERR_NO_PRINCIPALS'],
      [['192.0.2.8'], 'ERR_NO_PRINCIPALS'],
      [['WEB01.example.com'], 'ERR_INVALID'],
    ]
  for (const [requested, code, account] of refusals)
    it(`SSH-02 ${JSON.stringify(requested)} of ${JSON.stringify(account ?? given)} are refused`, () => {
      const decision = of(requested, account)
      if (!('refusal' in decision)) expect.fail(JSON.stringify(decision))
      expect(decision.refusal.code).to.equal(code)
    })
})
