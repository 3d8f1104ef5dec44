/** Administrators' commands with a sign-in of the device flow: `svc login --admin` until `svc logout`. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { adminSignInStore, type AdminSignIn } from '../../cli/client/credentials.ts'
import { apiKey } from '../support/api/api-keys.ts'
import { computer, firstLine, type Computer } from '../support/oidc/svc-client.ts'
import { oidcWorld } from '../support/oidc/oidc.ts'
import { deviceWorld, type DeviceWorld } from '../support/sign-in/device-authorization.ts'
import { testService, type TestPerson, type TestService } from '../support/service/service.ts'

describe('svc login --admin', function () {
  this.timeout(120_000)
  let service: TestService
  let device: DeviceWorld
  let laptop: Computer
  let admin: TestPerson
  let file: string

  before(async () => {
    service = await testService(undefined, { devicePollSeconds: 1 })
    device = deviceWorld(service)
    admin = await service.person({ name: 'Ada' }, ['global_admin'])
  })
  beforeEach(async () => {
    laptop = await computer()
    file = join(laptop.home, 'svc', 'admin.json')
  })
  afterEach(() => laptop.remove())
  after(() => service.stop())

  const login = async (...more: readonly string[]) => {
    const run = laptop.run('login', '--server', service.publicUrl, '--json', ...more)
    const { userCode = '' } = await firstLine(run)
    await device.approve(userCode, admin)
    const ended = await run.ended
    expect(ended.code, ended.err).to.equal(0)
    return JSON.parse(ended.out.trim().split('\n').at(-1) ?? '') as Record<string, string>
  }
  const stored = async () => JSON.parse(await readFile(file, 'utf8')) as AdminSignIn
  const store = async (signIn: Partial<AdminSignIn>) =>
    adminSignInStore(join(laptop.home, 'svc')).write({
      server: service.publicUrl,
      clientId: 'svc-cli',
      accessToken: 'at',
      expiresAt: new Date(Date.now() + 900_000).toISOString(),
      userId: admin.userId,
      email: admin.email,
      ...signIn,
    })

  it('CLI-02 lets administrators’ commands act with the roles of the user, beside the other sign-in', async () => {
    await login()
    const before = await laptop.read()
    const { adminUntil = '' } = await login('--admin')
    expect(Date.parse(adminUntil) - Date.now()).to.be.within(800_000, 900_000)
    expect(await laptop.read(), 'the other sign-in').to.deep.equal(before)
    expect((await stat(file)).mode & 0o777).to.equal(0o600)
    expect(Object.keys(await stored()).sort()).to.deep.equal([
      'accessToken',
      'clientId',
      'email',
      'expiresAt',
      'server',
      'userId',
    ])
    const made = await laptop.svc('api', 'POST', '/groups', '--data', '{"name": "Of a terminal"}')
    expect([made.code, made.err]).to.deep.equal([0, ''])
    expect(JSON.parse(made.out)).to.include({ name: 'Of a terminal' })
    const who = await laptop.svc('who', admin.email)
    expect([who.code, who.err]).to.deep.equal([0, ''])
    const shown = await laptop.svc('whoami')
    expect(shown.out).to.contain(`Admin    until ${adminUntil}\n`)
    expect(JSON.parse((await laptop.svc('whoami', '--json')).out)).to.include({ adminUntil })
  })

  it('CLI-02 configuration as files needs no API key', async () => {
    await login('--admin')
    const dir = join(laptop.home, 'config')
    const exported = await laptop.svc('export-config', '-f', dir)
    expect([exported.code, exported.err]).to.deep.equal([0, ''])
    await writeFile(join(dir, 'groups.yaml'), '- name: From a file\n')
    const plan = await laptop.svc('plan', '-f', dir, '--detailed-exitcode')
    expect(plan.code, plan.err).to.equal(7)
    const applied = await laptop.svc('apply', '-f', dir)
    expect([applied.code, applied.err]).to.deep.equal([0, ''])
    const [made] = (await service.api('GET', '/groups?q=From', { as: admin })).body
    const [event] = await service.core.eventLog.readStream(`group-${String(made.id)}`)
    expect(event?.metadata).to.deep.include({ actorId: admin.userId, actorType: 'cli' })
  })

  it('CLI-02 works without another sign-in, for the service that it names', async () => {
    await login('--admin')
    expect((await laptop.svc('api', 'GET', '/groups')).code).to.equal(0)
    const elsewhere = await laptop.svc('api', 'GET', '/groups', '--server', 'https://id.example.com')
    expect(elsewhere.code).to.equal(3)
    expect(elsewhere.err).to.match(/not signed in for administration at https:\/\/id\.example\.com/)
    expect((await laptop.svc('whoami')).code).to.equal(3)
  })

  it('CLI-02 a key in SVC_API_KEY comes first, and without either the error names both ways', async () => {
    await store({ accessToken: 'nonsense' })
    const { key } = await apiKey(service, { roles: ['auditor'] })
    const withKey = await computer({ SVC_API_KEY: key })
    try {
      await mkdir(join(withKey.home, 'svc'))
      await writeFile(join(withKey.home, 'svc', 'admin.json'), await readFile(file))
      expect((await withKey.svc('api', 'GET', '/groups')).code).to.equal(0)
    } finally {
      await withKey.remove()
    }
    const refused = await laptop.svc('api', 'GET', '/groups')
    expect([refused.code, refused.out]).to.deep.equal([3, ''])
    await store({ expiresAt: new Date(Date.now() - 1000).toISOString() })
    const expired = await laptop.svc('api', 'GET', '/groups')
    expect(expired.code).to.equal(3)
    expect(expired.err).to.match(/svc login --admin.*SVC_API_KEY/)
    await laptop.svc('logout')
    expect((await laptop.svc('api', 'GET', '/groups')).err).to.match(/--server URL/)
  })

  it('CLI-02 an ordinary sign-in is not enough', async () => {
    await login()
    const { code, err } = await laptop.svc('api', 'GET', '/groups')
    expect(code).to.equal(3)
    expect(err).to.match(/svc login --admin/)
  })

  it('CLI-02 a second one and logout revoke it', async () => {
    const world = oidcWorld(service)
    const works = async (token: string) => (await world.userinfo(token)).status
    await login('--admin')
    const first = (await stored()).accessToken
    await login('--admin')
    const second = (await stored()).accessToken
    expect([await works(first), await works(second)]).to.deep.equal([401, 200])
    const out = await laptop.svc('logout')
    expect([out.code, out.out, out.err]).to.deep.equal([
      0,
      `You are signed out of ${service.publicUrl}.\n`,
      '',
    ])
    expect(await works(second)).to.equal(401)
    expect(await readFile(file).catch(() => null)).to.equal(null)
  })

  it('CLI-02 stores nothing if the user denies it, or has no role', async () => {
    const run = laptop.run('login', '--admin', '--server', service.publicUrl, '--json')
    const { userCode = '' } = await firstLine(run)
    const person = await service.person()
    expect((await device.tryApprove(userCode, person)).body.error.code).to.equal('ERR_FORBIDDEN')
    await device.deny(userCode, person)
    expect((await run.ended).code).to.equal(4)
    expect(await readFile(file).catch(() => null)).to.equal(null)
  })
})
