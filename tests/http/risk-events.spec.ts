import { expect } from 'chai'
import { system, testService, type TestPerson, type TestService } from '../support/service/service.ts'
import { newJar, passkeyWorld, type Jar, type PasskeyPerson } from '../support/sign-in/passkey-world.ts'
import { softPasskey } from '../support/sign-in/soft-passkey.ts'
import { policyWorld } from '../support/sign-in/policies.ts'
import { recordRisks } from '../../adapters/application/reactions/risk-events.ts'
import { eventSerializer, openedSource } from '../../adapters/engines/event-log/serializer.ts'
import { userDecider, userStream } from '../../domain/user/decider.ts'
import { oidcWorld } from '../support/oidc/oidc.ts'
import { until } from '../support/until.ts'

const CHROME =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36'

describe('SGN-07 risk events', function () {
  this.timeout(60_000)
  let service: TestService
  let admin: TestPerson
  let world: ReturnType<typeof passkeyWorld>
  before(async () => {
    service = await testService()
    admin = await service.person({}, ['global_admin'])
    world = passkeyWorld(service)
  })
  after(() => service.stop())

  const get = async (path: string, as = admin) => {
    const { status, body } = await service.api('GET', path, { as })
    expect(status, JSON.stringify(body)).to.equal(200)
    return body
  }
  const post = (path: string, body: unknown = {}, as = admin) => service.api('POST', path, { as, body })
  const risksOf = (userId: string) => get(`/risk-events?userId=${userId}`)
  const riskLevel = async (userId: string) => (await get(`/users/${userId}`)).riskLevel
  /** Waits for a number of risk events of a user, newest first. */
  const risks = async (userId: string, count: number) => {
    await until(async () => (await risksOf(userId)).length >= count, 10_000, `${String(count)} risk events`)
    return risksOf(userId)
  }
  const signInWith = async (person: PasskeyPerson, jar: Jar, how: object) => {
    const { ceremonyId, publicKey } = (await world.post(jar, '/auth/passkey/options', {})).body
    const credential = person.passkey.get(publicKey, person.userId, how)
    return world.post(jar, '/auth/passkey/verify', { ceremonyId, credential })
  }
  const lockOut = async ({ userId }: { readonly userId: string }) => {
    const { handle, clock } = service.core.services
    const command = { type: 'lock_out', userId, now: clock.now(), until: clock.in(60) } as const
    await handle(userDecider, userStream(userId), command, system)
  }

  it('SGN-07 a new device is a risk that its own passkey sign-in ends', async () => {
    const person = await world.enrolled(newJar())
    await until(
      async () => (await get(`/sign-ins?userId=${person.userId}`)).length === 1,
      10_000,
      'a first sign-in',
    )
    await world.signIn(person, newJar(CHROME))
    const [risk] = await risks(person.userId, 1)
    expect(risk).to.deep.include({ type: 'new_device', level: 'low', userId: person.userId, detail: {} })
    await until(async () => (await risksOf(person.userId))[0].state === 'remediated')
    const [after] = await risksOf(person.userId)
    expect(after.resolvedBySignInEventId).to.equal(after.signInEventId)
    const signIn = await get(`/sign-ins/${String(after.signInEventId)}`)
    expect(signIn.riskEventIds).to.deep.equal([after.id])
    expect(await riskLevel(person.userId)).to.equal('none')
  })

  it('SGN-07 a passkey whose counter goes back is a risk that no passkey ends', async () => {
    const jar = newJar()
    const person = await world.enrolled(jar)
    expect((await signInWith(person, jar, { signCount: 7 })).status).to.equal(200)
    expect((await signInWith(person, jar, { signCount: 7 })).code, 'sent again').to.equal(
      'ERR_PASSKEY_REJECTED',
    )
    expect((await signInWith(person, jar, { signCount: 3 })).code, 'a copy').to.equal('ERR_PASSKEY_REJECTED')
    const [risk, ...others] = await risks(person.userId, 1)
    expect(others).to.deep.equal([])
    expect(risk).to.include({ type: 'credential_cloned', level: 'high', state: 'at_risk' })
    expect(risk.detail.methodId).to.match(/^mth_/)
    expect((await signInWith(person, jar, { signCount: 8 })).status, 'the original').to.equal(200)
    await lockOut(person)
    expect((await signInWith(person, jar, { signCount: 9 })).status).to.equal(200)
    // The sign-in ended the later risk, so it was processed for the earlier one too.
    await until(async () => (await risksOf(person.userId))[0].state === 'remediated')
    expect((await risksOf(person.userId)).map((each: { state: string }) => each.state)).to.deep.equal([
      'remediated',
      'at_risk',
    ])
    expect(await riskLevel(person.userId)).to.equal('high')
  })

  it('SGN-06 SGN-07 a risk changes what policies decide about an existing session, and its end as well', async () => {
    const person = await service.person()
    const policies = policyWorld(service)
    const me = async () => (await service.api('GET', '/me', { as: person })).status
    await policies.under({ action: 'block', conditions: { riskAtLeast: 'medium' } }, async () => {
      expect(await me()).to.equal(200)
      await lockOut(person)
      await until(async () => (await me()) === 403)
      const [risk] = await risks(person.userId, 1)
      expect(risk).to.deep.include({ type: 'code_lockout', level: 'medium', state: 'at_risk' })
      expect((await get('/overview')).openRisk).to.be.at.least(1)
      const dismissed = await post(`/risk-events/${String(risk.id)}/dismiss`, { note: 'Her own mistake' })
      expect(dismissed.body).to.include({
        state: 'dismissed',
        resolvedBy: admin.userId,
        resolvedNote: 'Her own mistake',
      })
      expect(await me(), 'after it was dismissed').to.equal(200)
    })
  })

  it('SGN-07 a risk no longer counts after 14 days', async () => {
    const person = await service.person()
    await lockOut(person)
    await risks(person.userId, 1)
    expect(await riskLevel(person.userId)).to.equal('medium')
    const isListed = async (level: string) =>
      (await get(`/users?riskLevel=${level}&email=${encodeURIComponent(person.email)}`)).length === 1
    expect([await isListed('medium'), await isListed('high'), await isListed('none')]).to.deep.equal([
      true,
      false,
      false,
    ])
    await service.core.services.pool.query(
      `update risk_events set created_at = created_at - interval '15 days' where user_id = $1`,
      [person.userId],
    )
    expect(await riskLevel(person.userId)).to.equal('none')
    expect([await isListed('medium'), await isListed('none')]).to.deep.equal([false, true])
  })

  it('SGN-07 a refresh token that is used twice is a risk of high level', async () => {
    const oidc = oidcWorld(service)
    const app = await oidc.application('web')
    const person = await oidc.member(app)
    const { refresh_token } = await oidc.tokens(app, person)
    await oidc.refresh(app, refresh_token)
    await oidc.refresh(app, refresh_token)
    const [risk] = await risks(person.userId, 1)
    expect(risk).to.deep.include({
      ...{ type: 'token_reuse', level: 'high', state: 'at_risk' },
      detail: { token: 'refresh_token', applicationId: app.applicationId },
    })
  })

  it('SGN-07 a confirmed compromise ends sessions and tokens at once, until the methods are reset', async () => {
    const jar = newJar()
    const person = await world.enrolled(jar)
    const session = await world.signIn(person, jar)
    const oidc = oidcWorld(service)
    const app = await oidc.application('web')
    await oidc.join(app.groupId, person.userId)
    const { refresh_token } = await oidc.tokens(app, session)
    const { status, body } = await post(`/users/${person.userId}/confirm-compromised`, { note: 'She called' })
    expect(status, JSON.stringify(body)).to.equal(201)
    expect(body).to.include({ type: 'admin_confirmed', state: 'confirmed_compromised', level: 'high' })
    expect((await service.api('GET', '/me', { as: session })).status, 'the session').to.equal(401)
    expect((await oidc.refresh(app, refresh_token)).body.error, 'the refresh token').to.equal('invalid_grant')
    expect((await world.tryIn(person, jar)).code, 'another sign-in').to.equal('ERR_BLOCKED_BY_POLICY')
    expect(await riskLevel(person.userId)).to.equal('high')
    const reset = await post(`/users/${person.userId}/reset-methods`)
    expect(reset.status).to.equal(200)
    const link = `/auth/enroll/${String(reset.body.enrollUrl).split('/').at(-1) ?? ''}`
    const enrolled = await world.enroll(jar, link, softPasskey(service.publicUrl))
    expect(enrolled.status, JSON.stringify(enrolled.body)).to.equal(200)
    expect(await riskLevel(person.userId)).to.equal('none')
  })

  it('SGN-07 a mistaken confirmation is taken back', async () => {
    const jar = newJar()
    const person = await world.enrolled(jar)
    const { body } = await post(`/users/${person.userId}/confirm-compromised`)
    expect((await world.tryIn(person, jar)).code).to.equal('ERR_BLOCKED_BY_POLICY')
    expect((await post(`/risk-events/${String(body.id)}/confirm-safe`)).body.state).to.equal('confirmed_safe')
    expect((await world.tryIn(person, jar)).status).to.equal(200)
  })

  it('SGN-07 only a global administrator confirms a compromise of an administrator, and never of the last one', async () => {
    const security = await service.person({}, ['security_admin'])
    const helpdesk = await service.person({}, ['helpdesk_admin'])
    const confirm = async (of: TestPerson, as: TestPerson) =>
      (await post(`/users/${of.userId}/confirm-compromised`, {}, as)).body?.error?.code
    expect(await confirm(helpdesk, security)).to.equal('ERR_FORBIDDEN')
    expect(await confirm(admin, admin)).to.equal('ERR_LAST_ADMIN')
    expect(await risksOf(helpdesk.userId), 'nothing is left behind').to.deep.equal([])
    const other = await service.person({}, ['global_admin'])
    expect(await confirm(other, admin)).to.equal(undefined)
    expect(await confirm(admin, admin), 'the other one cannot sign in').to.equal('ERR_LAST_ADMIN')
  })

  it('SGN-07 a user reports a sign-in, which ends its session and nobody else’s', async () => {
    const person = await world.enrolled(newJar())
    const [mine, theirs] = [newJar(), newJar(CHROME)]
    const own = await world.signIn(person, mine)
    const stolen = await world.signIn(person, theirs)
    await until(async () => (await get(`/sign-ins?userId=${person.userId}&result=success`)).length >= 3)
    const [latest] = await get(`/sign-ins?userId=${person.userId}&result=success`)
    const report = (as: TestPerson) =>
      post('/me/report-activity', { signInId: latest.id, note: 'Not me' }, as)
    const answer = await report(own)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    expect(answer.body.sessionEnded).to.equal(true)
    expect((await service.api('GET', '/me', { as: stolen })).status).to.equal(401)
    expect((await service.api('GET', '/me', { as: own })).status).to.equal(200)
    const { id, ...risk } = await get(`/risk-events/${String(answer.body.riskEventId)}`)
    expect(risk).to.deep.include({
      ...{ type: 'user_reported', level: 'high', state: 'at_risk', signInEventId: latest.id },
      detail: { note: 'Not me' },
    })
    expect((await report(own)).body.riskEventId, 'again').to.equal(id)
    const somebody = await service.person()
    expect((await report(somebody)).status, 'of somebody else').to.equal(404)
  })

  it('SGN-06 the break-glass account gets in whatever policies say, and every use is reported', async () => {
    const glass = await world.enrolled(newJar(), ['global_admin'])
    const settings = (breakGlassUserId: string | null) =>
      service.api('PATCH', '/settings', { as: admin, body: { breakGlassUserId } })
    const helpdesk = await service.person({}, ['helpdesk_admin'])
    expect((await settings(helpdesk.userId)).body.error.field, 'not a global administrator').to.equal(
      '/breakGlassUserId',
    )
    expect((await settings(glass.userId)).status).to.equal(200)
    const everybody = { name: 'Nobody', action: 'block', status: 'enabled' }
    const blocked = await post('/policies', everybody, admin)
    expect([blocked.status, blocked.body.error.field], 'it blocks who saves it').to.deep.equal([
      409,
      '/force',
    ])
    const policies = policyWorld(service)
    await policies.under({ action: 'block' }, async () => {
      expect((await service.api('GET', '/me', { as: admin })).status, 'any other administrator').to.equal(403)
      const inside = await world.signIn(glass, newJar(CHROME))
      expect((await service.api('GET', '/me', { as: inside })).status).to.equal(200)
    })
    const found = async () =>
      (await risksOf(glass.userId)).find(({ type }: { type: string }) => type === 'break_glass_used')
    await until(async () => (await found()) !== undefined)
    expect(await found()).to.include({ level: 'high', state: 'at_risk' })
    expect((await settings(null)).status).to.equal(200)
    await policies.under({ action: 'block' }, async () => {
      expect((await world.tryIn(glass, newJar(CHROME))).code).to.equal('ERR_BLOCKED_BY_POLICY')
    })
    // Other tests need the only administrator.
    expect((await post(`/users/${glass.userId}/suspend`)).status).to.equal(204)
  })

  it('SGN-07 EVT-02 a batch that is processed again records nothing again', async () => {
    const { eventLog, services } = service.core
    const person = await service.person()
    await lockOut(person)
    await risks(person.userId, 1)
    const again = recordRisks({ ...services, waitFor: () => Promise.resolve(true) })
    const source = openedSource(eventLog, eventSerializer(services.vault))
    const { events } = await source.read('', 5000)
    const stateOf = async () =>
      (await get('/risk-events?limit=200')).map(({ id, state }: Record<string, string>) => [id, state])
    const states = await stateOf()
    await again({ events })
    expect(await stateOf()).to.deep.equal(states)
  })
})
