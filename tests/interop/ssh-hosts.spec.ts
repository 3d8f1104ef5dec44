/** SSH certificates of hosts with OpenSSH's server and client, and `svc` on both. */
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { newAuthorityKey } from '../../adapters/engines/ssh/authority-key.ts'
import { signCertificate, type CertificateContent } from '../../adapters/engines/ssh/certificate.ts'
import {
  certificateTypes,
  parseSshPublicKey,
  type SshKeyType,
} from '../../adapters/engines/ssh/public-key.ts'
import { newId } from '../../adapters/kernel/ids.ts'
import { apiKey, type TestKey } from '../support/api/api-keys.ts'
import { computer, firstLine } from '../support/oidc/svc-client.ts'
import { program } from '../support/service/processes.ts'
import { testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { deviceWorld } from '../support/sign-in/device-authorization.ts'
import { newKeyOf } from '../support/ssh/openssh-keys.ts'
import { readCertificate } from '../support/ssh/read-certificate.ts'
import { until } from '../support/until.ts'
import { startDaemon } from './daemon.ts'
import { ACCOUNT, printed, ran, startSshServer, type Ran, type SshServer } from './ssh-server.ts'

/** Responses of every shape are inspected. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

describe('SSH host certificates with OpenSSH', function () {
  this.timeout(90_000)
  let service: TestService
  let admin: TestPerson
  let person: TestPerson
  let sshd: SshServer
  let host: TestKey
  /** The options with which the account of the server is open. */
  let entry: readonly string[]

  const success = async (method: string, path: string, body?: unknown, as = admin): Promise<Json> => {
    const answer = await service.api(method, path, { as, ...(body === undefined ? {} : { body }) })
    expect(answer.status, JSON.stringify(answer.body)).to.be.within(200, 204)
    return answer.body
  }
  const fetched = async (path: string): Promise<Buffer> =>
    Buffer.from(await (await fetch(`${service.publicUrl}/api/v1/ssh/${path}`)).arrayBuffer())
  const known = async (): Promise<string> => (await fetched('known-hosts')).toString()
  const hostKey = (): Promise<string> => readFile(sshd.at('host_key.pub'), 'utf8')
  const issued = async (fields: object = {}, publicKey?: string): Promise<Json> => {
    const body = { publicKey: publicKey ?? (await hostKey()), ...fields }
    const answer = await host.send('POST', '/ssh/host-certificates', body)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
    return answer.body
  }
  const presented = async (fields: object = {}): Promise<Json> => {
    const answer = await issued(fields)
    await sshd.restart(answer.certificate)
    return answer
  }
  /** Presents a certificate that the service would not issue. */
  const presentSigned = async (
    content: Partial<CertificateContent>,
    authority?: 'another',
  ): Promise<void> => {
    const { sshAuthority } = await service.core.services.configuration.fresh()
    if (sshAuthority === null) expect.fail('there is no authority')
    const now = Math.floor(Date.now() / 1000)
    const line = signCertificate(
      authority === undefined ? sshAuthority.privateKey : newAuthorityKey(randomBytes),
      parseSshPublicKey(await hostKey()),
      {
        ...{ type: 'host', serial: 1n, keyId: 'test', principals: ['localhost'] },
        ...{ validAfter: now - 60, validBefore: now + 60, sourceAddresses: [], extensions: [] },
        ...content,
      },
      randomBytes(32),
    )
    await sshd.restart(line)
  }
  const enter = async (name: string, lines?: string, ...options: readonly string[]): Promise<Ran> =>
    sshd.enterKnown(name, lines ?? (await known()), ...entry, ...options)
  const knows = async (entering: Promise<Ran>, what = ''): Promise<void> => {
    const { code, out, err } = await entering
    expect({ code, out: out.trim() }, `${what} ${err} ${sshd.log()}`).to.deep.equal({ code: 0, out: ACCOUNT })
  }
  const refuses = async (entering: Promise<Ran>, why?: RegExp): Promise<void> => {
    const { code, err } = await entering
    expect({ code, failed: /Host key verification failed/.test(err) }, err).to.deep.equal({
      code: 255,
      failed: true,
    })
    if (why !== undefined) expect(err).to.match(why)
  }

  before(async () => {
    service = await testService(undefined, { devicePollSeconds: 1 })
    admin = await service.person({}, ['global_admin'])
    person = await service.person()
    const { id } = await success('POST', '/groups', { name: `Servers ${newId('group')}` })
    await success('PUT', `/groups/${String(id)}/members/${person.userId}`, {})
    await success('POST', '/ssh/principal-mappings', { groupId: id, principals: ['deploy'] })
    sshd = await startSshServer({
      authority: (await fetched('ca.pub')).toString(),
      revoked: await fetched('revoked-keys'),
    })
    await sshd.accept('deploy')
    const key = sshd.at('user_key')
    await printed('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', key)
    const publicKey = await readFile(`${key}.pub`, 'utf8')
    const { certificate } = await success('POST', '/me/ssh/certificates', { publicKey }, person)
    await writeFile(`${key}-cert.pub`, `${String(certificate)}\n`)
    entry = ['-i', key]
    host = await apiKey(service, {
      sshHostNames: ['localhost', '127.0.0.1', 'deploy', '*.example.com', '2001:db8::7'],
    })
  })
  after(async () => {
    await sshd.stop()
    await service.stop()
  })

  it('SSH-01 ssh-keygen reads a certificate of each accepted type as it was meant', async () => {
    for (const type of Object.keys(certificateTypes) as SshKeyType[]) {
      const answer = await issued({ hostNames: ['web.example.com', '2001:db8::7'] }, newKeyOf[type]())
      const file = sshd.at('read-cert.pub')
      await writeFile(file, `${String(answer.certificate)}\n`)
      const read = await printed('ssh-keygen', '-L', '-f', file)
      expect(read, type).to.include(`Type: ${certificateTypes[type]} host certificate`)
      expect(read).to.include(
        `Signing CA: ED25519 ${String(answer.authorityFingerprint)} (using ssh-ed25519)`,
      )
      expect(read).to.include(`Key ID: "${String(answer.keyId)}"`)
      expect(read).to.include(`Serial: ${String(answer.serial)}`)
      const lists = read.slice(read.indexOf('Principals:')).split('\n')
      expect(lists.map((line) => line.trim()).filter((line) => line !== '')).to.deep.equal([
        ...['Principals:', 'web.example.com', '2001:db8::7'],
        ...['Critical Options: (none)', 'Extensions: (none)'],
      ])
      const [, from = '', to = ''] = /Valid: from (\S+) to (\S+)/.exec(read) ?? []
      expect(Date.parse(to) - Date.parse(from)).to.equal(86_460_000)
    }
  })

  it('SSH-01 a client that knows only the authority knows the host, under the names of the certificate', async () => {
    await presented({ hostNames: ['localhost'] })
    await knows(enter('localhost'))
    await knows(enter('LOCALHOST'))
    await refuses(enter('127.0.0.1'), /name is not a listed principal/)
    await refuses(enter('localhost', ''))
    await presented({ hostNames: ['127.0.0.1', 'web.example.com'] })
    await knows(enter('127.0.0.1'))
    await knows(enter('localhost', undefined, '-o', 'HostKeyAlias=web.example.com'))
    for (const alias of ['example.com', 'a.web.example.com', 'db.example.com'])
      await refuses(enter('localhost', undefined, '-o', `HostKeyAlias=${alias}`), /not a listed principal/)
  })

  it('SSH-01 a client can limit the authority to some hosts', async () => {
    await presented({ hostNames: ['localhost', '127.0.0.1'] })
    const limited = (await known()).replaceAll('@cert-authority *', '@cert-authority localhost')
    await knows(enter('localhost', limited))
    await refuses(enter('127.0.0.1', limited))
  })

  it('SSH-01 a client refuses a host certificate that has expired, is not valid yet, or is from another authority', async () => {
    const now = Math.floor(Date.now() / 1000)
    await presentSigned({})
    await knows(enter('localhost'), 'otherwise the same')
    await presentSigned({ validBefore: now - 1 })
    await refuses(enter('localhost'), /expired/)
    await presentSigned({ validAfter: now + 600, validBefore: now + 1200 })
    await refuses(enter('localhost'), /not yet valid/)
    await presentSigned({}, 'another')
    await refuses(enter('localhost'))
  })

  it('SSH-01 a certificate of a user is no certificate of a host', async () => {
    await presentSigned({ type: 'user' })
    await refuses(enter('localhost'), /not a host certificate/)
    // What a user gets from the service for the host key of a server.
    const { certificate } = await success(
      'POST',
      '/me/ssh/certificates',
      { publicKey: await hostKey() },
      person,
    )
    await sshd.restart(certificate)
    await refuses(enter('localhost', undefined, '-o', 'HostKeyAlias=deploy'), /not a host certificate/)
  })

  it('SSH-01 a certificate of a host is no certificate of a user', async () => {
    const key = sshd.at('host_as_user')
    await printed('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', key)
    const { certificate } = await issued({ hostNames: ['deploy'] }, await readFile(`${key}.pub`, 'utf8'))
    expect(readCertificate(certificate).principals).to.deep.equal(['deploy'])
    await writeFile(`${key}-cert.pub`, `${String(certificate)}\n`)
    const denied = async (entering: Promise<Ran>): Promise<void> => {
      const { code, err } = await entering
      expect({ code, denied: /Permission denied/.test(err) }, err).to.deep.equal({ code: 255, denied: true })
    }
    await denied(sshd.enter('-i', key, '-o', `CertificateFile=${key}-cert.pub`))
    // ssh itself leaves out such a file, but not what an agent has.
    const socket = sshd.at('agent')
    const env = { SSH_AUTH_SOCK: socket }
    const agent = await startDaemon('ssh-agent', ['-D', '-a', socket], {
      ready: async () => (await ran('ssh-add', ['-l'], env)).code !== 2,
    })
    try {
      expect((await ran('ssh-add', [key], env)).code).to.equal(0)
      const anyKey = ['-F', '/dev/null', '-o', 'BatchMode=yes', '-o', `IdentityAgent=${socket}`]
      const anyHost = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null']
      const to = ['-p', String(sshd.port), `${ACCOUNT}@127.0.0.1`, 'id -un']
      await denied(ran('ssh', [...anyKey, ...anyHost, ...to]))
      await sshd.logged(/Certificate invalid: not a user certificate/)
    } finally {
      await agent.stop()
    }
  })

  it('SSH-01 a client that has fetched the revocation list refuses revoked certificates of hosts', async () => {
    const list = sshd.at('revoked-hosts')
    const [revoked, kept] = [await issued(), await issued()]
    await sshd.restart(revoked.certificate)
    await writeFile(list, await fetched('revoked-keys'))
    const withList = () => enter('localhost', undefined, '-o', `RevokedHostKeys=${list}`)
    await knows(withList())
    await success('POST', `/ssh/host-certificates/${String(revoked.serial)}/revoke`, { reason: 'Stolen' })
    await until(async () => {
      await writeFile(list, await fetched('revoked-keys'))
      return (await withList()).code !== 0
    }, 20_000)
    await refuses(withList(), /revoked/)
    await sshd.restart(kept.certificate)
    await knows(withList())
    const path = `/service-accounts/${host.serviceAccountId}/ssh-host-names`
    const { sshHostNames } = await success('GET', `/service-accounts/${host.serviceAccountId}`)
    const fewer = sshHostNames.filter((name: string) => name !== 'localhost')
    await success('PUT', path, { hostNames: fewer })
    await until(async () => {
      await writeFile(list, await fetched('revoked-keys'))
      return (await withList()).code !== 0
    }, 20_000)
    await refuses(withList(), /revoked/)
    await success('PUT', path, { hostNames: sshHostNames })
  })

  it('SSH-01 a rotation of the authority makes no client refuse a host: before and after it fetches the keys', async () => {
    const before = await known()
    const old = await issued()
    await success('POST', '/ssh/ca/rotate', {})
    const current = await issued()
    expect(current.authorityFingerprint).not.to.equal(old.authorityFingerprint)
    const after = await known()
    for (const { certificate } of [old, current]) {
      await sshd.restart(certificate)
      await knows(enter('localhost', before))
      await knows(enter('localhost', after))
    }
    await success('POST', '/ssh/ca/revoke', { fingerprint: old.authorityFingerprint })
    await sshd.restart(old.certificate)
    await refuses(enter('localhost', await known()))
  })

  describe('with svc', () => {
    const server = (key = host) => computer({ SVC_API_KEY: key.key })
    const address = (): readonly string[] => ['--server', service.publicUrl]

    it('CLI-02 SSH-01 svc ssh-host-cert writes the certificate where sshd finds it, and renews it at half time', async () => {
      const machine = await server()
      try {
        const key = sshd.at('host_key.pub')
        const file = sshd.at('host_key-cert.pub')
        const get = async (...args: readonly string[]) => {
          const { code, out, err } = await machine.svc('ssh-host-cert', '--key', key, ...address(), ...args)
          expect(code, err).to.equal(0)
          return out
        }
        await get()
        const first = readCertificate(await readFile(file, 'utf8'))
        expect(first).to.deep.include({
          kind: 2,
          principals: ['localhost', '127.0.0.1', 'deploy', '2001:db8::7'],
        })
        expect((await stat(file)).mode & 0o777).to.equal(0o644)
        await sshd.restart()
        await knows(enter('localhost'))
        await get('--renew')
        expect(readCertificate(await readFile(file, 'utf8')).serial).to.equal(first.serial)
        const now = Math.floor(Date.now() / 1000)
        await presentSigned({ validAfter: now - 3700, validBefore: now + 3500 })
        await get('--renew')
        expect(readCertificate(await readFile(file, 'utf8')).serial).not.to.be.oneOf([1n, first.serial])
        const line = await get('--out', '-', '--names', 'web.example.com,db.example.com', '--validity', '10m')
        const said = readCertificate(line)
        expect(said.principals).to.deep.equal(['web.example.com', 'db.example.com'])
        expect(said.validBefore - said.validAfter).to.equal(660)
        const json = JSON.parse(await get('--json', '--out', sshd.at('other-cert.pub')))
        expect(json).to.deep.include({ file: sshd.at('other-cert.pub'), hostNames: first.principals })
      } finally {
        await machine.remove()
      }
    })

    it('CLI-02 SSH-02 svc ssh-host-cert says what is wrong, with an exit code for each', async () => {
      const machine = await server()
      const stranger = await server({ ...host, key: `svk_${'A'.repeat(49)}` })
      try {
        const key = ['--key', sshd.at('host_key')]
        const other = await machine.svc('ssh-host-cert', ...key, ...address(), '--names', 'db.example.org')
        expect(other.code).to.equal(4)
        expect(other.err).to.match(/db\.example\.org is not an SSH host name of this service account\. Ask /)
        expect((await stranger.svc('ssh-host-cert', ...key, ...address())).code).to.equal(3)
        const missing = await machine.svc('ssh-host-cert', '--key', sshd.at('none'), ...address())
        expect(missing.code).to.equal(2)
        const nowhere = await machine.svc('ssh-host-cert', ...key, '--server', 'http://127.0.0.1:9')
        expect(nowhere.code).to.equal(5)
        expect(
          (await machine.svc('ssh-host-cert', ...key, ...address(), '--validity', 'long')).code,
        ).to.equal(2)
      } finally {
        await machine.remove()
        await stranger.remove()
      }
    })

    it('CLI-02 SSH-01 with the lines of ssh-config, ssh knows the host without a question', async () => {
      await presented({ hostNames: ['127.0.0.1'] })
      const laptop = await computer()
      try {
        const key = join(laptop.home, '.ssh', 'id_ed25519')
        const file = join(laptop.home, '.ssh', 'svc_known_hosts')
        await mkdir(join(laptop.home, '.ssh'), { mode: 0o700 })
        await printed('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', key)
        const login = laptop.run('login', '--server', service.publicUrl, '--no-browser', '--json')
        const { userCode = '' } = await firstLine(login)
        await deviceWorld(service).approve(userCode, person)
        expect(await login.ended).to.include({ code: 0 })
        const { out: lines } = await laptop.svc('ssh-config', '--hosts', '127.0.0.*')
        const config = join(laptop.home, '.ssh', 'config')
        await writeFile(config, lines)
        const bin = join(laptop.home, 'bin')
        await mkdir(bin)
        const command = [process.execPath, ...program].join("' '")
        await writeFile(join(bin, 'svc'), `#!/bin/sh\nexec '${command}' "$@"\n`)
        await chmod(join(bin, 'svc'), 0o755)
        const env = {
          HOME: laptop.home,
          XDG_CONFIG_HOME: laptop.home,
          PATH: `${bin}:${process.env['PATH'] ?? ''}`,
        }
        const strict = ['-o', 'StrictHostKeyChecking=yes', '-o', 'GlobalKnownHostsFile=/dev/null']
        const to = ['-p', String(sshd.port), `${ACCOUNT}@127.0.0.1`, 'id -un']
        const connect = () => ran('ssh', ['-F', config, '-o', 'BatchMode=yes', ...strict, ...to], env)
        await knows(connect())
        expect(await readFile(file, 'utf8')).to.equal(await known())
        await writeFile(file, '')
        await refuses(connect())
        // A new certificate brings the keys of the authority as they are then.
        expect((await laptop.svc('ssh-cert', '--known-hosts', file)).code).to.equal(0)
        await knows(connect())
      } finally {
        await laptop.remove()
      }
    })

    it('CLI-02 SSH-01 ssh-config --sshd names the host certificate and the command that gets it', async () => {
      const machine = await server()
      try {
        const { out } = await machine.svc('ssh-config', '--sshd', '--server', 'https://id.example.com')
        expect(out).to.match(/^HostCertificate \/etc\/ssh\/ssh_host_ed25519_key-cert\.pub$/m)
        expect(out).to.include('svc ssh-host-cert --renew --server https://id.example.com')
      } finally {
        await machine.remove()
      }
    })
  })
})
