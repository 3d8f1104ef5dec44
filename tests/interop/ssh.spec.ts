/** SSH certificates with OpenSSH's server, client, agent and `ssh-keygen`. */
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { expect } from 'chai'
import { newAuthorityKey } from '../../adapters/engines/ssh/authority-key.ts'
import { signCertificate } from '../../adapters/engines/ssh/certificate.ts'
import {
  certificateTypes,
  parseSshPublicKey,
  type SshKeyType,
} from '../../adapters/engines/ssh/public-key.ts'
import { newId } from '../../adapters/kernel/ids.ts'
import { testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { newKeyOf } from '../support/ssh/openssh-keys.ts'
import { until } from '../support/until.ts'
import { ACCOUNT, printed, startSshServer, type Ran, type SshServer } from './ssh-server.ts'

/** Responses of every shape are inspected. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

/** Every kind of key that `ssh-keygen` makes without a security key. */
const kinds: readonly (readonly [name: string, arguments: readonly string[], inLog: string])[] = [
  ['ed25519', ['-t', 'ed25519'], 'ED25519-CERT'],
  ['ecdsa-256', ['-t', 'ecdsa', '-b', '256'], 'ECDSA-CERT'],
  ['ecdsa-384', ['-t', 'ecdsa', '-b', '384'], 'ECDSA-CERT'],
  ['ecdsa-521', ['-t', 'ecdsa', '-b', '521'], 'ECDSA-CERT'],
  ['rsa-3072', ['-t', 'rsa', '-b', '3072'], 'RSA-CERT'],
  ['rsa-4096', ['-t', 'rsa', '-b', '4096'], 'RSA-CERT'],
]

describe('SSH certificates with OpenSSH', function () {
  this.timeout(90_000)
  let service: TestService
  let admin: TestPerson
  let person: TestPerson
  let sshd: SshServer

  const send = (method: string, path: string, body?: unknown, as = admin) =>
    service.api(method, path, { as, ...(body === undefined ? {} : { body }) })
  const success = async (method: string, path: string, body?: unknown, as = admin): Promise<Json> => {
    const answer = await send(method, path, body, as)
    expect(answer.status, JSON.stringify(answer.body)).to.be.within(200, 204)
    return answer.body
  }
  const fetched = async (path: string): Promise<Buffer> =>
    Buffer.from(await (await fetch(`${service.publicUrl}/api/v1/ssh/${path}`)).arrayBuffer())
  const mapped = async (fields: object, ...members: readonly TestPerson[]): Promise<void> => {
    const { id } = await success('POST', '/groups', { name: `Servers ${newId('group')}` })
    for (const { userId } of members) await success('PUT', `/groups/${String(id)}/members/${userId}`, {})
    await success('POST', '/ssh/principal-mappings', { groupId: id, principals: ['deploy'], ...fields })
  }

  let made = 0
  /** Makes a key; the certificate is a file of its own, so that tests can have several for a key. */
  const newKey = async (...args: readonly string[]): Promise<string> => {
    const path = sshd.at(`key${String(++made)}`)
    await printed('ssh-keygen', '-q', '-N', '', '-C', 'test', '-f', path, ...args)
    return path
  }
  const saved = async (line: string): Promise<string> => {
    const path = sshd.at(`certificate${String(++made)}`)
    await writeFile(path, `${line}\n`)
    return path
  }
  const issued = async (key: string, as = person, fields: object = {}): Promise<Json> =>
    success(
      'POST',
      '/me/ssh/certificates',
      { publicKey: await readFile(`${key}.pub`, 'utf8'), ...fields },
      as,
    )
  const enter = (key: string, certificate: string, ...options: readonly string[]): Promise<Ran> =>
    sshd.enter('-i', key, '-o', `CertificateFile=${certificate}`, ...options)
  const enterWith = async (key: string, { certificate }: Json, ...options: readonly string[]): Promise<Ran> =>
    enter(key, await saved(certificate), ...options)
  const letIn = async (entering: Promise<Ran>, what = ''): Promise<void> => {
    const { code, out, err } = await entering
    expect({ code, out: out.trim() }, `${what} ${err} ${sshd.log()}`).to.deep.equal({ code: 0, out: ACCOUNT })
  }
  const keptOut = async (entering: Promise<Ran>): Promise<void> => {
    const { code, err } = await entering
    expect({ code, denied: /Permission denied/.test(err) }, err).to.deep.equal({ code: 255, denied: true })
  }

  before(async () => {
    service = await testService()
    admin = await service.person({}, ['global_admin'])
    person = await service.person()
    await mapped({}, person)
    sshd = await startSshServer({
      authority: (await fetched('ca.pub')).toString(),
      revoked: await fetched('revoked-keys'),
    })
  })
  beforeEach(() => sshd.accept('deploy'))
  after(async () => {
    await sshd.stop()
    await service.stop()
  })

  for (const [name, args, inLog] of kinds)
    it(`SSH-01 sshd lets in with a certificate of an ${name} key, and its log names the person`, async () => {
      const key = await newKey(...args)
      await keptOut(sshd.enter('-i', key))
      const answer = await issued(key)
      await letIn(enterWith(key, answer))
      const id = answer.keyId.replaceAll(/[|.+]/g, '\\$&')
      await sshd.logged(
        new RegExp(`Accepted publickey for ${ACCOUNT} .* ${inLog} .* ID ${id} \\(serial ${answer.serial}\\)`),
      )
    })

  it('SSH-01 ssh-keygen reads a certificate of each accepted type as it was meant', async () => {
    const limited = await service.person()
    await mapped(
      {
        principals: ['root', 'deploy'],
        sourceAddresses: ['192.0.2.0/24', '2001:db8::/32'],
        extensions: ['permit-pty', 'permit-user-rc', 'permit-X11-forwarding'],
        maxValiditySeconds: 600,
      },
      limited,
    )
    for (const type of Object.keys(certificateTypes) as SshKeyType[]) {
      const publicKey = newKeyOf[type]()
      const answer = await success('POST', '/me/ssh/certificates', { publicKey }, limited)
      const read = await printed('ssh-keygen', '-L', '-f', await saved(answer.certificate))
      expect(read, type).to.include(`Type: ${certificateTypes[type]} user certificate`)
      expect(read).to.include(`Public key: `).and.to.include(answer.keyFingerprint)
      expect(read).to.include(
        `Signing CA: ED25519 ${String(answer.authorityFingerprint)} (using ssh-ed25519)`,
      )
      expect(read).to.include(`Key ID: "${String(answer.keyId)}"`)
      expect(read).to.include(`Serial: ${String(answer.serial)}`)
      const lists = read
        .slice(read.indexOf('Principals:'))
        .split('\n')
        .map((line) => line.trim())
      expect(lists.filter((line) => line !== '')).to.deep.equal([
        ...['Principals:', 'deploy', 'root'],
        ...['Critical Options:', 'source-address 192.0.2.0/24,2001:db8::/32'],
        ...['Extensions:', 'permit-X11-forwarding', 'permit-pty', 'permit-user-rc'],
      ])
      const [, from = '', to = ''] = /Valid: from (\S+) to (\S+)/.exec(read) ?? []
      expect(Date.parse(to) - Date.parse(from)).to.equal(660_000)
    }
  })

  it('SSH-01 sshd refuses a certificate that has expired, is not valid yet, or is from another authority', async () => {
    const key = await newKey('-t', 'ed25519')
    const parsed = parseSshPublicKey(await readFile(`${key}.pub`, 'utf8'))
    const { sshAuthority } = await service.core.services.configuration.fresh()
    if (sshAuthority === null) expect.fail('there is no authority')
    const now = Math.floor(Date.now() / 1000)
    const signed = (from: number, to: number, authority = sshAuthority.privateKey) =>
      saved(
        signCertificate(
          authority,
          parsed,
          {
            type: 'user',
            serial: 1n,
            keyId: 'test',
            principals: ['deploy'],
            validAfter: now + from,
            validBefore: now + to,
            sourceAddresses: [],
            extensions: [],
          },
          randomBytes(32),
        ),
      )
    await letIn(enter(key, await signed(-60, 60)), 'otherwise the same')
    await keptOut(enter(key, await signed(-120, -1)))
    await sshd.logged(/Certificate invalid: expired/)
    await keptOut(enter(key, await signed(600, 1200)))
    await sshd.logged(/Certificate invalid: not yet valid/)
    await keptOut(enter(key, await signed(-60, 60, newAuthorityKey(randomBytes))))
  })

  it('SSH-01 sshd refuses a certificate for other principals, and one of another key', async () => {
    const key = await newKey('-t', 'ed25519')
    const answer = await issued(key)
    await sshd.accept('web')
    await keptOut(enterWith(key, answer))
    await sshd.logged(
      /Certificate does not contain an authorized principal|none of the certificate.*principal/i,
    )
    await sshd.accept('web', 'deploy')
    await letIn(enterWith(key, answer))
    await keptOut(enterWith(await newKey('-t', 'ed25519'), answer))
  })

  it('SSH-01 sshd refuses a certificate from addresses that it does not allow', async () => {
    const [near, far] = [await service.person(), await service.person()]
    await mapped({ sourceAddresses: ['127.0.0.0/8'] }, near)
    await mapped({ sourceAddresses: ['192.0.2.0/24'] }, far)
    const key = await newKey('-t', 'ed25519')
    await letIn(enterWith(key, await issued(key, near)))
    await keptOut(enterWith(key, await issued(key, far)))
    await sshd.logged(/not from a permitted source address/)
  })

  it('SSH-01 sshd refuses a revoked certificate, and those of a suspended user, once it has fetched the list', async () => {
    const leaver = await service.person()
    await mapped({}, leaver)
    const key = await newKey('-t', 'ed25519')
    const [first, second, theirs] = [await issued(key), await issued(key), await issued(key, leaver)]
    for (const answer of [first, second, theirs]) await letIn(enterWith(key, answer))
    await success('POST', `/ssh/certificates/${String(first.serial)}/revoke`, { reason: 'Stolen' })
    await success('POST', `/users/${leaver.userId}/suspend`, {})
    await until(async () => {
      await sshd.revoke(await fetched('revoked-keys'))
      return (await enterWith(key, first)).code !== 0 && (await enterWith(key, theirs)).code !== 0
    }, 20_000)
    await keptOut(enterWith(key, first))
    await keptOut(enterWith(key, theirs))
    await sshd.logged(/revoked by file/)
    await letIn(enterWith(key, second))
    const list = await saved('')
    await writeFile(list, await fetched('revoked-keys'))
    const read = await printed('ssh-keygen', '-Q', '-l', '-f', list)
    expect(read).to.include(`serial: ${String(first.serial)}`)
    expect(read).not.to.include(`serial: ${String(second.serial)}`)
  })

  it('SSH-01 a rotation of the authority locks nobody out: before and after servers fetch its keys', async () => {
    const key = await newKey('-t', 'ed25519')
    const old = await issued(key)
    await success('POST', '/ssh/ca/rotate', {})
    const current = await issued(key)
    expect(current.authorityFingerprint).not.to.equal(old.authorityFingerprint)
    await letIn(enterWith(key, old), 'old certificate, keys of before')
    await letIn(enterWith(key, current), 'new certificate, keys of before')
    await sshd.trust((await fetched('ca.pub')).toString())
    await letIn(enterWith(key, old), 'old certificate, keys of after')
    await letIn(enterWith(key, current), 'new certificate, keys of after')
    // Without fetching in between, a second rotation would need a key that the server does not know.
    await success('POST', '/ssh/ca/rotate', {})
    await letIn(enterWith(key, await issued(key)), 'after another rotation')
    await letIn(enterWith(key, old), 'the oldest certificate')
  })

  it('SSH-01 sshd refuses everything that a revoked key of the authority has signed', async () => {
    const key = await newKey('-t', 'ed25519')
    const old = await issued(key)
    await success('POST', '/ssh/ca/rotate', {})
    const current = await issued(key)
    const trusted = (await fetched('ca.pub')).toString()
    await sshd.trust(trusted)
    await letIn(enterWith(key, old))
    const revoke = { fingerprint: old.authorityFingerprint, reason: 'A copy was found' }
    await success('POST', '/ssh/ca/revoke', revoke)
    expect((await success('GET', `/ssh/certificates/${String(old.serial)}`)).status).to.equal('revoked')
    expect((await fetched('ca.pub')).toString().split('\n').length).to.equal(trusted.split('\n').length - 1)
    await until(async () => {
      await sshd.revoke(await fetched('revoked-keys'))
      return (await enterWith(key, old)).code !== 0
    }, 20_000)
    await keptOut(enterWith(key, old))
    await letIn(enterWith(key, current))
    const active = { fingerprint: current.authorityFingerprint }
    expect((await send('POST', '/ssh/ca/revoke', active)).status).to.equal(409)
  })

  it('SSH-01 a certificate permits a terminal only if its mapping does', async () => {
    const [plain, interactive] = [await service.person(), await service.person()]
    await mapped({ extensions: [] }, plain)
    await mapped({ extensions: ['permit-pty'] }, interactive)
    const key = await newKey('-t', 'ed25519')
    const refused = await enterWith(key, await issued(key, plain), '-tt')
    expect(refused.err).to.match(/PTY allocation request failed/)
    const given = await enterWith(key, await issued(key, interactive), '-tt')
    expect(given.err).not.to.match(/PTY allocation request failed/)
    expect(given.out).to.include(ACCOUNT)
  })
})
