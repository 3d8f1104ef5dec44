/** `svc ssh-cert` and `svc ssh-config` on a user's computer, with OpenSSH's client, agent and server. */
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { newId } from '../../adapters/kernel/ids.ts'
import { computer, firstLine, type Computer } from '../support/oidc/svc-client.ts'
import { program } from '../support/service/processes.ts'
import { testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { deviceWorld } from '../support/sign-in/device-authorization.ts'
import { readCertificate } from '../support/ssh/read-certificate.ts'
import { startDaemon } from './daemon.ts'
import { ACCOUNT, printed, ran, startSshServer, type SshServer } from './ssh-server.ts'

describe('svc ssh-cert with OpenSSH', function () {
  this.timeout(90_000)
  let service: TestService
  let admin: TestPerson
  let person: TestPerson
  let sshd: SshServer
  let laptop: Computer
  let key: string

  const success = async (method: string, path: string, body?: unknown) => {
    const answer = await service.api(method, path, { as: admin, ...(body === undefined ? {} : { body }) })
    expect(answer.status, JSON.stringify(answer.body)).to.be.within(200, 204)
    return answer.body
  }
  const fetched = async (path: string): Promise<Buffer> =>
    Buffer.from(await (await fetch(`${service.publicUrl}/api/v1/ssh/${path}`)).arrayBuffer())
  const mapped = async (principals: readonly string[], who: TestPerson): Promise<void> => {
    const { id } = await success('POST', '/groups', { name: `Servers ${newId('group')}` })
    await success('PUT', `/groups/${String(id)}/members/${who.userId}`, {})
    await success('POST', '/ssh/principal-mappings', { groupId: id, principals })
  }
  const signIn = async (who: TestPerson): Promise<void> => {
    const login = laptop.run('login', '--server', service.publicUrl, '--no-browser', '--json')
    const { userCode = '' } = await firstLine(login)
    await deviceWorld(service).approve(userCode, who)
    expect(await login.ended).to.include({ code: 0 })
  }
  const certificate = async () => readCertificate(await readFile(`${key}-cert.pub`, 'utf8'))
  const good = async (...args: readonly string[]): Promise<string> => {
    const { code, out, err } = await laptop.svc(...args)
    expect({ code, err: code === 0 ? '' : err }).to.deep.equal({ code: 0, err: '' })
    return out
  }

  before(async () => {
    service = await testService(undefined, { devicePollSeconds: 1 })
    admin = await service.person({}, ['global_admin'])
    sshd = await startSshServer({
      authority: (await fetched('ca.pub')).toString(),
      revoked: await fetched('revoked-keys'),
    })
    await sshd.accept('deploy')
  })
  beforeEach(async () => {
    laptop = await computer()
    key = join(laptop.home, '.ssh', 'id_ed25519')
    await mkdir(join(laptop.home, '.ssh'), { mode: 0o700 })
    await printed('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', key)
    person = await service.person()
    await signIn(person)
  })
  afterEach(() => laptop.remove())
  after(async () => {
    await sshd.stop()
    await service.stop()
  })

  it('CLI-02 SSH-01 writes the certificate where ssh finds it, and ssh gets in with it', async () => {
    await mapped(['deploy', 'web'], person)
    await good('ssh-cert')
    expect((await certificate()).principals).to.deep.equal(['deploy', 'web'])
    expect((await stat(`${key}-cert.pub`)).mode & 0o777).to.equal(0o644)
    expect(await sshd.enter('-i', key)).to.deep.include({ code: 0, out: `${ACCOUNT}\n` })
  })

  it('CLI-02 SSH-01 prints the certificate or JSON, for chosen principals and a chosen time', async () => {
    await mapped(['deploy', 'web'], person)
    const line = await good('ssh-cert', '--out', '-', '--principals', 'web', '--validity', '30m')
    const said = readCertificate(line)
    expect(said.principals).to.deep.equal(['web'])
    expect(said.validBefore - said.validAfter).to.equal(1800 + 60)
    const json = JSON.parse(
      await good('ssh-cert', '--key', `${key}.pub`, '--principals', 'web,deploy', '--json'),
    )
    expect(json).to.deep.include({ principals: ['deploy', 'web'], file: `${key}-cert.pub` })
    expect(readCertificate(json.certificate).serial).to.equal(BigInt(json.serial))
  })

  it('CLI-02 SSH-01 renews a certificate only when little of its time is left, or the key is another one', async () => {
    await mapped(['deploy'], person)
    await good('ssh-cert', '--renew')
    const { serial } = await certificate()
    await good('ssh-cert', '--renew')
    expect((await certificate()).serial).to.equal(serial)
    await printed('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', `${key}2`)
    await writeFile(`${key}.pub`, await readFile(`${key}2.pub`))
    await good('ssh-cert', '--renew')
    expect((await certificate()).serial, 'for another key').not.to.equal(serial)
    await writeFile(`${key}-cert.pub`, 'damaged')
    await good('ssh-cert', '--renew')
    expect((await certificate()).isGenuine).to.equal(true)
  })

  it('CLI-02 SSH-01 the lines of ssh-config make ssh fetch the certificate by itself', async () => {
    await mapped(['deploy'], person)
    const config = join(laptop.home, '.ssh', 'config')
    await writeFile(config, await good('ssh-config', '--hosts', '127.0.0.*'))
    const bin = join(laptop.home, 'bin')
    await mkdir(bin)
    await writeFile(
      join(bin, 'svc'),
      `#!/bin/sh\nexec '${[process.execPath, ...program].join("' '")}' "$@"\n`,
    )
    await chmod(join(bin, 'svc'), 0o755)
    const enter = () =>
      ran(
        'ssh',
        [
          ...['-F', config, '-o', 'BatchMode=yes', '-o', 'StrictHostKeyChecking=no'],
          ...[
            '-o',
            'UserKnownHostsFile=/dev/null',
            '-p',
            String(sshd.port),
            `${ACCOUNT}@127.0.0.1`,
            'id -un',
          ],
        ],
        {
          HOME: laptop.home,
          XDG_CONFIG_HOME: laptop.home,
          PATH: `${bin}:${process.env['PATH'] ?? ''}`,
        },
      )
    const first = await enter()
    expect(first, first.err).to.deep.include({ code: 0, out: `${ACCOUNT}\n` })
    const { serial } = await certificate()
    expect(await enter()).to.include({ code: 0 })
    expect((await certificate()).serial).to.equal(serial)
  })

  it('CLI-02 SSH-01 --agent adds the key with its certificate, for as long as it is valid', async () => {
    await mapped(['deploy'], person)
    const socket = join(laptop.home, 'agent')
    const agent = await startDaemon('ssh-agent', ['-D', '-a', socket], {
      ready: async () => (await ran('ssh-add', ['-l'], { SSH_AUTH_SOCK: socket })).code !== 2,
    })
    const other = await computer({ SSH_AUTH_SOCK: socket })
    try {
      await mkdir(join(other.credentials, '..'), { recursive: true })
      await writeFile(other.credentials, await readFile(laptop.credentials), { mode: 0o600 })
      const run = await other.svc('ssh-cert', '--key', key, '--agent')
      expect(run, run.err).to.include({ code: 0 })
      const { out } = await ran('ssh-add', ['-l'], { SSH_AUTH_SOCK: socket })
      expect(out).to.include('(ED25519-CERT)')
      const without = await ran('ssh-add', ['-l'], { SSH_AUTH_SOCK: join(laptop.home, 'none') })
      expect(without.code).to.equal(2)
    } finally {
      await agent.stop()
      await other.remove()
    }
    const missing = await laptop.svc('ssh-cert', '--agent')
    expect(missing.code).to.equal(1)
    expect(missing.err).to.match(/no ssh-agent is running/)
  })

  it('CLI-02 SSH-02 says whom to ask, and what is wrong with the key, with an exit code for each', async () => {
    const refused = await laptop.svc('ssh-cert')
    expect(refused.code).to.equal(4)
    expect(refused.err).to.match(/None of your groups maps to an SSH principal\. Ask an administrator/)
    const missing = await laptop.svc('ssh-cert', '--key', join(laptop.home, 'id_none'))
    expect(missing.code).to.equal(2)
    expect(missing.err).to.match(/no public key at .*id_none\.pub.*ssh-keygen -t ed25519/)
    await writeFile(`${key}.pub`, '-----BEGIN OPENSSH PRIVATE KEY-----')
    expect((await laptop.svc('ssh-cert')).err).to.match(/never the private key/)
    expect((await laptop.svc('ssh-cert', '--validity', 'long')).code).to.equal(2)
    await good('logout')
    await printed('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', `${key}3`)
    expect((await laptop.svc('ssh-cert', '--key', `${key}3`)).code).to.equal(3)
  })

  it('CLI-02 SSH-01 the lines for a server name the files and where they come from', async () => {
    const lines = await good('ssh-config', '--sshd')
    expect(lines).to.include('TrustedUserCAKeys ').and.to.include('RevokedKeys ')
    expect(lines).to.include(`${service.publicUrl}/api/v1/ssh/`)
    expect(await good('ssh-config', '--sshd', '--server', 'https://id.example.com')).to.include(
      'https://id.example.com/api/v1/ssh/',
    )
    for (const hosts of ['*.example.com\nProxyCommand id', 'a b', '$(id)', ''])
      expect((await laptop.svc('ssh-config', '--hosts', hosts)).code).to.equal(2)
    for (const file of ['/tmp/it"s', "/tmp/it's", '/tmp/%h', '/tmp/$HOME', '/tmp/a\nb'])
      expect((await laptop.svc('ssh-config', '--key', file)).code, file).to.equal(2)
  })
})
