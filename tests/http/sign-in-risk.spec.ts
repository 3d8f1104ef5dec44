import { expect } from 'chai'
import { testPlace, testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { calmStep, codeAt, cookieOf, invitation } from '../support/sign-in/authenticator.ts'
import { policyWorld } from '../support/sign-in/policies.ts'
import { until } from '../support/until.ts'

/** Registered in Germany and in Japan. */
const BERLIN = { 'X-Forwarded-For': '193.99.144.80' }
const TOKYO = { 'X-Forwarded-For': '133.11.0.1' }

describe('SGN-07 the risk of a sign-in', function () {
  this.timeout(60_000)
  let service: TestService
  let admin: TestPerson
  let place: Awaited<ReturnType<typeof testPlace>>
  before(async () => {
    place = await testPlace({ trustedProxies: ['127.0.0.1/32', '::1/128'] })
    service = await testService(place)
    admin = await service.person({}, ['global_admin'])
  })
  after(async () => {
    await service.stop()
    await place.drop()
  })

  /** A user with an authenticator app who enrolled in Berlin, and the cookies of that browser. */
  const berliner = async () => {
    await calmStep()
    const { userId, email, path } = await invitation(service)
    const { ceremonyId, secret } = (await service.api('POST', `${path}/authenticator`, { headers: BERLIN }))
      .body
    const answer = await service.api('POST', `${path}/authenticator/verify`, {
      body: { ceremonyId, code: codeAt(secret, -1) },
      headers: BERLIN,
    })
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    const device = cookieOf(answer.headers)
      .split('; ')
      .find((pair) => pair.includes('svc_device='))
    return { userId, email, secret: String(secret), device: device ?? expect.fail('no device cookie') }
  }
  const signIn = (email: string, code: string, headers: Record<string, string>) =>
    service.api('POST', '/auth/code', { body: { email, code }, headers })
  const newest = async (userId: string, count: number) => {
    const list = async () => (await service.api('GET', `/sign-ins?userId=${userId}`, { as: admin })).body
    await until(async () => (await list()).length >= count)
    return (await list())[0]
  }

  it('SGN-06 SGN-07 a user in Berlin who appears in Tokyo needs a passkey, and the record says why', async () => {
    const { userId, email, secret, device } = await berliner()
    const policies = policyWorld(service)
    await policies.under({ action: 'require_strong', conditions: { riskAtLeast: 'medium' } }, async () => {
      const there = await signIn(email, codeAt(secret), TOKYO)
      expect([there.status, there.body.error.code]).to.deep.equal([403, 'ERR_STRONGER_AUTH_REQUIRED'])
      expect(await newest(userId, 2)).to.deep.include({
        ...{ result: 'interrupted', reason: 'stronger_auth_required', risk: 'high', location: 'Japan' },
      })
      const openRisks = async () =>
        (await service.api('GET', `/risk-events?userId=${userId}&state=at_risk`, { as: admin })).body
      await until(async () => (await openRisks()).length === 3)
      const [travel] = (await openRisks()).filter(({ level }: { level: string }) => level === 'high')
      expect(travel).to.deep.include({ type: 'impossible_travel', location: 'Japan' })
      expect(travel.detail).to.include({ from: 'Germany', to: 'Japan' })
      for (const { id } of await openRisks())
        await service.api('POST', `/risk-events/${String(id)}/confirm-safe`, { as: admin, body: {} })
      const here = await signIn(email, codeAt(secret, 1), { ...BERLIN, Cookie: device })
      expect(here.status, 'in Berlin, on the known device').to.equal(200)
      expect(await newest(userId, 3)).to.deep.include({ result: 'success', risk: 'none' })
    })
  })

  it('SGN-07 an address that hides its users is a risk, also at the first sign-in', async () => {
    const { email, userId, secret, device } = await berliner()
    const zone = await service.api('POST', '/network-zones', {
      as: admin,
      body: { name: 'Exits', type: 'ip', cidrs: ['193.99.144.80'], anonymizers: true },
    })
    expect(zone.status, JSON.stringify(zone.body)).to.equal(201)
    const answer = await signIn(email, codeAt(secret), { ...BERLIN, Cookie: device })
    expect(answer.status).to.equal(200)
    expect(await newest(userId, 2)).to.deep.include({ result: 'success', risk: 'medium' })
    await service.api('DELETE', `/network-zones/${String(zone.body.id)}`, { as: admin })
  })

  it('SGN-06 SGN-07 an existing session keeps the risk of its sign-in', async () => {
    const { userId, email } = await berliner()
    const policies = policyWorld(service)
    const risky = await service.signIn(userId, email, { methods: ['authenticator_code'], risk: 'high' })
    const usual = await service.signIn(userId, email, { methods: ['authenticator_code'] })
    await policies.under({ action: 'block', conditions: { riskAtLeast: 'high' } }, async () => {
      const status = async (as: TestPerson) => (await service.api('GET', '/me', { as })).status
      expect([await status(risky), await status(usual)]).to.deep.equal([403, 200])
    })
  })
})
