import { expect } from 'chai'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { newSecret } from '../../adapters/engines/vault/hash.ts'
import { system, type TestPerson } from '../support/service/service.ts'
import { newJar, passkeyWorld, type Jar, type PasskeyPerson } from '../support/sign-in/passkey-world.ts'
import { until } from '../support/until.ts'
import { everythingStored, refusal, startPlace, success, type Json, type Place } from './api/support.ts'

const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17.5 Mobile/15E148 Safari/604.1'

describe('AUD-02 devices', function () {
  this.timeout(120_000)
  let place: Place
  let passkeys: ReturnType<typeof passkeyWorld>
  let jar: Jar
  let ada: PasskeyPerson
  let here: TestPerson
  before(async () => {
    place = await startPlace()
    passkeys = passkeyWorld(place.service)
  })
  beforeEach(async () => {
    jar = newJar()
    ada = await passkeys.enrolled(jar)
    here = await passkeys.signIn(ada, jar)
  })
  after(() => place.service.stop())

  const own = async (person = here): Promise<Json[]> => success(await place.as(person)('GET', '/me/devices'))
  const only = async (person = here): Promise<Json> => {
    const devices = await own(person)
    expect(devices).to.have.length(1)
    return devices[0]
  }
  const token = (of = jar) => of.cookies.get('svc_device') ?? ''
  const reasons = async (count: number): Promise<string[]> => {
    const path = `/sign-ins?userId=${ada.userId}&result=failure`
    await until(async () => success(await place.send('GET', path)).length >= count)
    return success(await place.send('GET', path)).map(({ reason }: Json) => String(reason))
  }

  it('AUD-02 a browser is registered once and recognized by its cookie', async () => {
    const device = await only()
    expect(device).to.deep.include({
      userId: ada.userId,
      kind: 'browser',
      name: 'Firefox on Linux',
      platform: 'linux',
      browser: 'Firefox',
      osVersion: null,
      status: 'registered',
      lastIp: '127.0.0.1',
      location: null,
      trustedAt: null,
      trustedBy: null,
      trustExpiresAt: null,
      managed: null,
      current: true,
      version: 1,
    })
    const answer = await passkeys.tryIn(ada, jar)
    const line = answer.headers.getSetCookie().find((each) => each.startsWith('svc_device='))
    expect(line).to.match(/^svc_device=[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/)
    const second = await place.service.signIn(ada.userId, ada.email)
    expect((await own(second)).map(({ id, current }: Json) => [id, current])).to.deep.equal([
      [device.id, false],
    ])
    const sessions = success(await place.as(second)('GET', '/me/sessions')) as Json[]
    expect(sessions.map(({ deviceId }) => deviceId)).to.include.members([device.id, null])
  })

  it('AUD-02 another browser is another device; a phone states its system', async () => {
    const phone = newJar(SAFARI)
    const there = await passkeys.signIn(ada, phone)
    const [newest, first] = await own(there)
    expect(newest).to.include({ platform: 'ios', browser: 'Safari', osVersion: '17.5', current: true })
    expect(first).to.include({ platform: 'linux', current: false })
    expect(token(phone)).not.to.equal(token())
  })

  it('AUD-02 the cookie alone grants no access, and only its hash is stored', async () => {
    const value = token()
    for (const path of ['/me', '/me/devices', '/me/sessions', '/devices'])
      refusal(
        await place.service.api('GET', path, { headers: { Cookie: `svc_device=${value}` } }),
        401,
        'ERR_UNAUTHENTICATED',
      )
    const thief = newJar()
    const eve = await passkeys.enrolled(thief)
    thief.cookies.set('svc_device', value)
    const asEve = await passkeys.signIn(eve, thief)
    expect(await own(asEve)).to.have.length(2)
    const { id } = await only()
    refusal(await place.as(asEve)('GET', `/me/devices/${String(id)}`), 404, 'ERR_NOT_FOUND')
    refusal(await place.as(asEve)('PATCH', `/me/devices/${String(id)}`, { name: 'x' }), 404, 'ERR_NOT_FOUND')
    refusal(await place.as(asEve)('DELETE', `/me/devices/${String(id)}`), 404, 'ERR_NOT_FOUND')
    expect(await everythingStored(place.service.databaseUrl, '.')).not.to.include(value)
  })

  it('AUD-02 a foreign cookie value is not reused', async () => {
    for (const planted of [newSecret('', place.service.core.services.random), 'x', '']) {
      const other = newJar()
      other.cookies.set('svc_device', planted)
      await passkeys.signIn(ada, other)
      expect(token(other))
        .to.match(/^[\w-]{43}$/)
        .and.not.to.equal(planted)
    }
  })

  it('AUD-02 two users of one browser each have their own device', async () => {
    const bob = await passkeys.enrolled(newJar())
    jar.cookies.delete('svc_session')
    const value = token()
    const asBob = await passkeys.signIn(bob, jar)
    expect(token()).to.equal(value)
    const bobs = (await own(asBob)).find(({ current }: Json) => current)
    const adas = await only()
    expect(bobs.id).not.to.equal(adas.id)
    success(await place.send('POST', `/devices/${String(bobs.id)}/block`), 204)
    expect((await passkeys.tryIn(bob, jar)).code).to.equal('ERR_BLOCKED_BY_POLICY')
    expect((await passkeys.tryIn(ada, jar)).status).to.equal(200)
  })

  it('AUD-02 concurrent sign-ins register one device', async () => {
    const shared = newJar()
    const bob = await passkeys.enrolled(shared)
    shared.cookies.delete('svc_session')
    const answers = await Promise.all([passkeys.tryIn(ada, shared), passkeys.tryIn(ada, shared)])
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200])
    expect(await own()).to.have.length(2)
    expect(bob.userId).not.to.equal(ada.userId)
  })

  it('AUD-02 AUT-05 a blocked device has no sessions left, and no user can sign in on it', async () => {
    const { id } = await only()
    const phone = await passkeys.signIn(ada, newJar(SAFARI))
    success(await place.send('POST', `/devices/${String(id)}/block`), 204)
    refusal(await place.as(here)('GET', '/me'), 401, 'ERR_UNAUTHENTICATED')
    success(await place.as(phone)('GET', '/me'))
    const [ended] = success(await place.send('GET', `/sessions?userId=${ada.userId}&status=revoked`))
    expect(ended).to.include({ deviceId: id, endReason: 'policy' })
    const refused = await passkeys.tryIn(ada, jar)
    expect([refused.status, refused.code]).to.deep.equal([403, 'ERR_BLOCKED_BY_POLICY'])
    expect(refused.headers.getSetCookie()).to.deep.equal([])
    expect(await reasons(1)).to.deep.equal(['blocked_by_policy'])
    refusal(await place.as(phone)('DELETE', `/me/devices/${String(id)}`), 409, 'ERR_CONFLICT')
    refusal(await place.send('POST', `/devices/${String(id)}/trust`), 409, 'ERR_CONFLICT')
    success(await place.send('POST', `/devices/${String(id)}/unblock`), 204)
    const again = await passkeys.signIn(ada, jar)
    expect((await own(again)).find(({ current }: Json) => current).id).to.equal(id)
  })

  it('AUD-02 a block during a sign-in ends it', async () => {
    const { id } = await only()
    const { ceremonyId, publicKey } = (await passkeys.post(jar, '/auth/passkey/options', {})).body
    const credential = ada.passkey.get(publicKey, ada.userId)
    await Promise.all([
      passkeys.post(jar, '/auth/passkey/verify', { ceremonyId, credential }),
      place.send('POST', `/devices/${String(id)}/block`),
    ])
    const live = success(await place.send('GET', `/sessions?userId=${ada.userId}&status=active`)) as Json[]
    expect(live.filter(({ deviceId }) => deviceId === id)).to.deep.equal([])
  })

  it('AUD-02 removing a device ends its sessions, and the next sign-in registers it again', async () => {
    const { id } = await only()
    const answer = await place.as(here)('DELETE', `/me/devices/${String(id)}`)
    success(answer, 204)
    expect(answer.headers.get('set-cookie')).to.match(/^svc_session=;/)
    refusal(await place.as(here)('GET', '/me'), 401, 'ERR_UNAUTHENTICATED')
    const again = await passkeys.signIn(ada, jar)
    const device = await only(again)
    expect(device.id).not.to.equal(id)
    const send = place.send
    success(await send('DELETE', `/devices/${String(device.id)}`), 204)
    refusal(await place.as(again)('GET', '/me'), 401, 'ERR_UNAUTHENTICATED')
    for (const [method, path, body] of [
      ['DELETE', '', undefined],
      ['PATCH', '', { name: 'x' }],
      ['POST', '/block', undefined],
    ] as const)
      refusal(await send(method, `/devices/${String(device.id)}${path}`, body), 404, 'ERR_NOT_FOUND')
    const listed = success(await send('GET', `/users/${ada.userId}/devices?status=removed`)) as Json[]
    expect(listed.map((row) => row.id)).to.deep.equal([device.id, id])
    expect(success(await send('GET', `/users/${ada.userId}/devices`))).to.deep.equal([])
  })

  it('AUD-02 can be renamed by its user, and trusted for a time by an administrator', async () => {
    const { id } = await only()
    const path = `/me/devices/${String(id)}`
    const renamed = success(await place.as(here)('PATCH', path, { name: 'Work laptop' }))
    expect(renamed).to.include({ name: 'Work laptop', version: 2, current: true })
    expect(success(await place.as(here)('GET', path))).to.deep.equal(renamed)
    refusal(await place.as(here)('PATCH', path, { name: ' ' }), 422, 'ERR_INVALID', '/name')
    refusal(await place.as(here)('PATCH', path, { name: 'x' }, { 'If-Match': '"1"' }), 412, 'ERR_STALE')
    const { clock, pool } = place.service.core.services
    const expiresAt = clock.in(3600)
    success(await place.send('POST', `/devices/${String(id)}/trust`, { expiresAt }), 204)
    const trusted = success(await place.send('GET', `/devices/${String(id)}`))
    expect(trusted).to.include({
      status: 'trusted',
      trustedBy: place.admin.userId,
      trustExpiresAt: expiresAt,
    })
    expect(success(await place.send('GET', `/devices?userId=${ada.userId}&status=trusted`))).to.deep.equal([
      trusted,
    ])
    await pool.query(`update devices set trust_expires_at = now() - interval '1 second' where id = $1`, [id])
    expect(success(await place.send('GET', `/devices/${String(id)}`))).to.include({
      status: 'registered',
      trustedAt: null,
      trustExpiresAt: null,
    })
    const past = { expiresAt: '2020-01-01T00:00:00Z' }
    refusal(await place.send('POST', `/devices/${String(id)}/trust`, past), 422, 'ERR_INVALID', '/expiresAt')
    success(await place.send('POST', `/devices/${String(id)}/trust`), 204)
    const forever = success(await place.send('GET', `/devices/${String(id)}`))
    expect(forever).to.include({
      status: 'trusted',
      trustedBy: place.admin.userId,
      trustExpiresAt: null,
    })
    expect(forever.trustedAt).to.be.a('string')
    success(await place.send('POST', `/devices/${String(id)}/untrust`), 204)
    expect(success(await place.send('GET', `/devices/${String(id)}`)).status).to.equal('registered')
  })

  it('AUT-05 only global administrators can change devices of administrators', async () => {
    const guard = place.as(await place.service.person({}, ['security_admin']))
    const theirs = newJar()
    const auditor = await passkeys.enrolled(theirs, ['auditor'])
    const device = await only(await passkeys.signIn(auditor, theirs))
    refusal(await guard('POST', `/devices/${String(device.id)}/block`), 403, 'ERR_FORBIDDEN')
    refusal(await guard('DELETE', `/devices/${String(device.id)}`), 403, 'ERR_FORBIDDEN')
    success(await guard('POST', `/devices/${String((await only()).id)}/trust`), 204)
    success(await place.send('PATCH', `/devices/${String(device.id)}`, { name: 'Desk' }))
  })

  it('AUD-02 signing in again on the same device continues the session; on an unknown one it starts another session', async () => {
    const again = await passkeys.signIn(ada, jar)
    const before = success(await place.send('GET', `/sessions?userId=${ada.userId}&status=active`)) as Json[]
    jar.cookies.delete('svc_device')
    const fresh = await passkeys.signIn(ada, jar)
    refusal(await place.as(again)('GET', '/me'), 401, 'ERR_UNAUTHENTICATED')
    const after = success(await place.send('GET', `/sessions?userId=${ada.userId}&status=active`)) as Json[]
    expect(after).to.have.length(before.length)
    expect(await own(fresh)).to.have.length(2)
  })

  it('AUD-02 erasing the user removes all personal data', async () => {
    const { id } = await only()
    const { services } = place.service.core
    await userCommands(services).delete(ada.userId, 'system', system)
    await userCommands(services).erase(ada.userId, system)
    expect(success(await place.send('GET', `/devices/${String(id)}`))).to.deep.include({
      status: 'removed',
      name: '',
      userAgent: null,
      lastIp: null,
      location: null,
    })
  })
})
