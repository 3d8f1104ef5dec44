import { expect } from 'chai'
import { maintenanceDuties } from '../../adapters/application/reactions/maintenance.ts'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { newSecret } from '../../adapters/engines/vault/hash.ts'
import { deviceWorld } from '../support/sign-in/device-authorization.ts'
import { oidcWorld, pkce, type OidcWorld, type TestApplication } from '../support/oidc/oidc.ts'
import { FIREFOX, newJar, passkeyWorld } from '../support/sign-in/passkey-world.ts'
import { softPasskey } from '../support/sign-in/soft-passkey.ts'
import { system } from '../support/service/service.ts'
import { until } from '../support/until.ts'
import { refusal, startPlace, success, walk, type Json, type Place } from './api/support.ts'

describe('AUD-02 sign-in events', function () {
  this.timeout(120_000)
  let place: Place
  let world: OidcWorld
  let passkeys: ReturnType<typeof passkeyWorld>
  let app: TestApplication
  before(async () => {
    place = await startPlace()
    world = oidcWorld(place.service)
    passkeys = passkeyWorld(place.service)
    app = await world.application()
  })
  after(() => place.service.stop())

  const list = async (query: string): Promise<Json[]> => success(await place.send('GET', `/sign-ins${query}`))
  /** Returns the events for a filter, newest first, once there are as many as expected. */
  const events = async (query: string, count: number): Promise<Json[]> => {
    await until(async () => (await list(query)).length >= count)
    const rows = await list(query)
    expect(rows.map(({ result, method, reason }: Json) => [result, method, reason])).to.have.length(count)
    return rows
  }
  const brief = (rows: readonly Json[]) =>
    rows.map(({ result, method, reason }) => `${String(result)} ${String(method)} ${String(reason)}`)
  const challenge = () => ({ code_challenge: pkce().challenge, code_challenge_method: 'S256' })
  const authorize = (
    of: TestApplication,
    person: { cookie: string } | null,
    more: Record<string, string> = {},
  ) => world.authorize(of, person, { ...challenge(), ...more })
  const member = async (of = app) => {
    const person = await place.service.person()
    await world.join(of.groupId, person.userId)
    return person
  }

  it('AUD-02 an enrolment and a sign-in with a passkey are one event each, with all details', async () => {
    const jar = newJar()
    const ada = await passkeys.enrolled(jar)
    await passkeys.signIn(ada, jar)
    const [signIn, enrolment] = await events(`?userId=${ada.userId}`, 2)
    expect(signIn).to.deep.include({
      userId: ada.userId,
      email: ada.email,
      appId: null,
      result: 'success',
      method: 'passkey',
      ip: '127.0.0.1',
      location: null,
      device: 'Firefox on Linux',
      userAgent: FIREFOX,
      risk: 'none',
      reason: null,
      amr: ['hwk', 'user'],
    })
    expect(signIn.id).to.match(/^evt_/)
    expect(signIn.time).to.match(/\.\d{6}Z$/)
    expect(brief([enrolment])).to.deep.equal(['success enrollment_link null'])
    expect(enrolment.deviceId).to.equal(signIn.deviceId).and.to.match(/^dev_/)
    const session = success(await place.send('GET', `/sessions/${String(signIn.sessionId)}`))
    expect(session).to.include({ userId: ada.userId, deviceId: signIn.deviceId, location: null })
    expect(success(await place.send('GET', `/sign-ins/${String(signIn.id)}`))).to.deep.equal(signIn)
    expect(success(await place.send('GET', `/users/${ada.userId}`)).lastSignInAt).to.equal(signIn.time)
  })

  it('AUD-02 failed passkeys name the user, if the passkey is known', async () => {
    const jar = newJar()
    const ada = await passkeys.enrolled(jar)
    const other = await place.service.person()
    const before = (await list('?result=failure&limit=200')).length
    expect((await passkeys.tryIn({ ...ada, userId: other.userId }, jar)).code).to.equal(
      'ERR_PASSKEY_REJECTED',
    )
    const [bad] = await events(`?userId=${ada.userId}&result=failure`, 1)
    expect(bad).to.deep.include({
      method: 'passkey',
      reason: 'bad_passkey',
      email: ada.email,
      sessionId: null,
    })
    const stranger = softPasskey(place.service.publicUrl)
    expect((await passkeys.tryIn({ userId: ada.userId, passkey: stranger }, jar)).code).to.equal(
      'ERR_PASSKEY_REJECTED',
    )
    const [unknown] = await events('?result=failure&limit=200', before + 2)
    expect(unknown).to.deep.include({ userId: null, email: null, reason: 'unknown_user', method: 'passkey' })
    const { ceremonyId } = (await passkeys.post(jar, '/auth/passkey/options', {})).body
    const credential = stranger.get({ challenge: 'x' }, ada.userId)
    await passkeys.post(jar, '/auth/passkey/verify', { ceremonyId: `${String(ceremonyId)}x`, credential })
    await passkeys.post(jar, '/auth/passkey/options', {
      authRequestId: newSecret('', place.service.core.services.random),
    })
    expect(await list('?result=failure&limit=200')).to.have.length(before + 2)
  })

  it('AUD-02 a sign-in for an expired request fails as such, once, and opens no session', async () => {
    const jar = newJar()
    const ada = await passkeys.enrolled(jar)
    jar.cookies.delete('svc_session')
    const over = newSecret('', place.service.core.services.random)
    expect((await passkeys.tryIn(ada, jar, over)).code).to.equal('ERR_AUTH_REQUEST_EXPIRED')
    const rows = await events(`?userId=${ada.userId}&result=failure`, 1)
    expect(brief(rows)).to.deep.equal(['failure passkey request_expired'])
    expect(jar.cookies.has('svc_session')).to.equal(false)
  })

  it('AUD-02 failed enrolments and suspended users', async () => {
    const jar = newJar()
    const { userId, path } = await passkeys.invite()
    const { body } = await passkeys.post(jar, `${path}/passkey/options`)
    const credential = softPasskey(place.service.publicUrl).create(body.publicKey, { verified: false })
    const sent = { ceremonyId: body.ceremonyId, credential }
    expect((await passkeys.post(jar, `${path}/passkey`, sent)).code).to.equal('ERR_REGISTRATION_FAILED')
    await events(`?userId=${userId}&result=failure`, 1)
    await userCommands(place.service.core.services).suspend(userId, undefined, 'system', system)
    expect((await passkeys.post(jar, `${path}/passkey`, sent)).code).to.equal('ERR_ACCOUNT_SUSPENDED')
    expect(brief(await events(`?userId=${userId}`, 2))).to.deep.equal([
      'failure enrollment_link account_suspended',
      'failure enrollment_link bad_passkey',
    ])
    const before = (await list('?method=enrollment_link&limit=200')).length
    expect((await passkeys.post(jar, '/auth/enroll/nothing/passkey', sent)).code).to.equal('ERR_LINK_EXPIRED')
    const [expired] = await events('?method=enrollment_link&limit=200', before + 1)
    expect(expired).to.include({ reason: 'link_expired', userId: null })
  })

  it('AUD-02 a session that opens an application is a sign-in; codes, tokens and renewals are not', async () => {
    const person = await member()
    const tokens = await world.tokens(app, person)
    const [entered] = await events(`?userId=${person.userId}`, 1)
    expect(entered).to.deep.include({
      appId: app.applicationId,
      result: 'success',
      method: 'session',
      reason: null,
      email: person.email,
      sessionId: person.sessionId,
      amr: ['hwk', 'user'],
    })
    expect((await world.refresh(app, tokens.refresh_token)).status).to.equal(200)
    for (let i = 0; i < 3; i++)
      expect((await authorize(app, person, { prompt: 'none' })).query).to.have.property('code')
    await authorize(app, person)
    expect(brief(await events(`?userId=${person.userId}`, 2))).to.deep.equal([
      'success session null',
      'success session null',
    ])
    const { lastSignInAt } = success(await place.send('GET', `/users/${person.userId}`))
    expect(lastSignInAt > entered.time).to.equal(true)
  })

  it('AUD-02 an interactive sign-in for an application is one event', async () => {
    const jar = newJar()
    const ada = await passkeys.enrolled(newJar())
    await world.join(app.groupId, ada.userId)
    const id = (await authorize(app, null)).query['authRequest'] ?? ''
    const signedIn = await passkeys.signIn(ada, jar, id)
    const resumed = await world.browse(`/oauth2/authorize/resume?authRequest=${id}`, signedIn)
    expect(resumed.query).to.have.property('code')
    const [first] = await events(`?userId=${ada.userId}&appId=${app.applicationId}`, 1)
    expect(brief([first])).to.deep.equal(['success passkey null'])
    // Signing in elsewhere while a request is pending is not a sign-in for it.
    const second = (await authorize(app, null)).query['authRequest'] ?? ''
    const portal = await passkeys.signIn(ada, newJar())
    await world.browse(`/oauth2/authorize/resume?authRequest=${second}`, portal)
    const rows = await events(`?userId=${ada.userId}&appId=${app.applicationId}`, 2)
    expect(brief(rows)).to.deep.equal(['success session null', 'success passkey null'])
  })

  it('AUD-02 records a user who is not assigned, and a disabled application', async () => {
    const mine = await world.application()
    const person = await place.service.person()
    const answer = await authorize(mine, person)
    expect(answer.status).to.equal(403)
    expect(brief(await events(`?appId=${mine.applicationId}`, 1))).to.deep.equal([
      'failure session not_assigned',
    ])
    const back = /name="authRequest" value="([^"]+)"/.exec(answer.text)?.[1] ?? ''
    const cancelled = await world.browse('/sign-in/cancel', null, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ authRequest: back }).toString(),
    })
    expect(cancelled.query['error']).to.equal('access_denied')
    await events(`?appId=${mine.applicationId}`, 1)
    await world.change({ type: 'disable', applicationId: mine.applicationId })
    expect((await authorize(mine, person)).status).to.equal(400)
    expect((await authorize(mine, null)).status).to.equal(400)
    const [disabled] = await events(`?appId=${mine.applicationId}`, 2)
    expect(disabled).to.include({ userId: person.userId, reason: 'app_disabled', result: 'failure' })
  })

  it('AUD-02 an insufficient session is an interruption; a page without a session is not', async () => {
    const mine = await world.application()
    const { userId, email } = await member(mine)
    const person = await place.service.signIn(userId, email, { methods: ['authenticator_code'] })
    await authorize(mine, null)
    await authorize(mine, person, { prompt: 'login' })
    await authorize(mine, person, { acr_values: 'phr' })
    expect(brief(await events(`?appId=${mine.applicationId}`, 2))).to.deep.equal([
      'interrupted session stronger_auth_required',
      'interrupted session reauth_required',
    ])
  })

  it('AUD-02 going back to the application is a cancelled sign-in', async () => {
    const mine = await world.application()
    const cancel = async () => {
      const id = (await authorize(mine, null)).query['authRequest'] ?? ''
      const post = {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ authRequest: id }).toString(),
      }
      expect((await world.browse('/sign-in/cancel', null, post)).query['error']).to.equal('access_denied')
      expect((await world.browse('/sign-in/cancel', null, post)).status).to.equal(404)
    }
    await cancel()
    await cancel()
    const [row] = await events(`?appId=${mine.applicationId}`, 1)
    expect(row).to.include({ userId: null, result: 'interrupted', reason: 'cancelled', method: null })
  })

  it('AUD-02 OIDC-09 records decisions about sign-ins on other devices', async () => {
    const device = deviceWorld(place.service)
    const person = await place.service.person()
    const first = (await device.begin()).body
    await device.approve(first.user_code, person)
    await device.poll(first.device_code)
    const second = (await device.begin()).body
    expect((await device.deny(second.user_code, person)).status).to.equal(204)
    const rows = await events(`?userId=${person.userId}`, 2)
    expect(brief(rows)).to.deep.equal(['interrupted device_code cancelled', 'success device_code null'])
    const cli = await device.application(place.admin)
    expect(rows[1]).to.include({ appId: cli.id, email: person.email, sessionId: person.sessionId })
  })

  it('AUD-02 users can read their own, and administrators all, in pages', async () => {
    const jar = newJar()
    const ada = await passkeys.enrolled(jar)
    let signedIn = await passkeys.signIn(ada, jar)
    for (let i = 0; i < 3; i++) signedIn = await passkeys.signIn(ada, jar)
    const all = await events(`?userId=${ada.userId}`, 5)
    const own = place.as(signedIn)
    expect(all.every(({ decision }) => decision !== null)).to.equal(true)
    const ownView = all.map((event) => ({ ...event, decision: null }))
    expect(success(await own('GET', '/me/sign-ins'))).to.deep.equal(ownView)
    refusal(await own('GET', '/sign-ins'), 403, 'ERR_FORBIDDEN')
    refusal(await own('GET', `/sign-ins?userId=${ada.userId}`), 403, 'ERR_FORBIDDEN')
    expect(success(await place.send('GET', `/users/${ada.userId}/sign-ins`))).to.deep.equal(all)
    const { rows, pages } = await walk(own, '/me/sign-ins?limit=2')
    expect(rows).to.deep.equal(ownView)
    expect(pages).to.equal(3)
    const times = all.map(({ time }) => String(time))
    const of = (query: string) => list(`?userId=${ada.userId}&${query}`)
    expect(await of(`from=${times[2] ?? ''}&to=${times[0] ?? ''}`)).to.deep.equal(all.slice(1, 3))
    expect(await of('result=failure')).to.deep.equal([])
    expect(await of('ip=127.0.0.1')).to.have.length(5)
    expect(await of('ip=192.0.2.9')).to.deep.equal([])
    for (const [query, field] of [
      ['from=yesterday', '/from'],
      ['result=maybe', '/result'],
      ['method=password', '/method'],
      ['ip=x', '/ip'],
      ['appId=x', '/appId'],
    ] as const)
      refusal(await place.send('GET', `/sign-ins?${query}`), 422, 'ERR_INVALID', field)
  })

  it('AUD-02 counts attempts by hour and day, also where there were none', async () => {
    const { pool } = place.service.core.services
    const DAY = 86_400_000
    const midnight = Math.floor(Date.now() / DAY) * DAY - 5 * DAY
    const at = (hours: number, ms = 0): string => new Date(midnight + hours * 3_600_000 + ms).toISOString()
    const made = [
      ...[at(0), at(0, 1), at(1, -1), at(2), at(24)].map((time) => [time, 'success']),
      ...[at(1, -1), at(2, 1), at(48, -1)].map((time) => [time, 'failure']),
      [at(2, 2), 'interrupted'],
    ]
    for (const [n, [time, result]] of made.entries())
      await pool.query(
        `insert into sign_ins (id, position, created_at, result, risk, amr, correlation_id)
         values ($1, '0', $2, $3, 'none', '{}', 'counted')`,
        [`evt_counted${String(n)}`, time, result],
      )
    const counts = async (query: string) =>
      (success(await place.send('GET', `/sign-ins/statistics?${query}`)) as Json[]).map(
        ({ start, success: done, failure, interrupted }) => [start, done, failure, interrupted],
      )
    const started = (hours: number) => at(hours).replace('Z', '000Z')
    try {
      // A start within an interval counts all of it.
      expect(await counts(`interval=hour&from=${at(0, 5)}&to=${at(3)}`)).to.deep.equal([
        [started(0), 3, 1, 0],
        [started(1), 0, 0, 0],
        [started(2), 1, 1, 1],
      ])
      expect(await counts(`interval=day&from=${at(0)}&to=${at(48)}`)).to.deep.equal([
        [started(0), 4, 2, 1],
        [started(24), 1, 1, 0],
      ])
      expect(await counts(`interval=day&to=${at(48, 1)}`)).to.have.length(30)
      expect((await counts(`to=${at(48)}`)).map(([start]) => start)).to.include.members([
        started(24),
        started(47),
      ])
      expect(await counts('')).to.have.length(24)
      // Databases know no year 0, in which the usual period would begin.
      expect(await counts('to=0001-01-01T00:00:00Z')).to.deep.equal([])
      expect(await counts('to=0001-01-01T02:00:00Z')).to.have.length(2)
      expect(await counts('interval=day&from=9999-12-31T00:00:00Z&to=9999-12-31T23:59:59Z')).to.have.length(1)
      for (const query of [
        `from=${at(1)}&to=${at(1)}`,
        `from=${at(0)}&to=${at(401)}`,
        `interval=day&from=0001-01-01T00:00:00Z`,
      ])
        refusal(await place.send('GET', `/sign-ins/statistics?${query}`), 422, 'ERR_INVALID', '/from')
      const wrong = await place.send('GET', '/sign-ins/statistics?interval=minute')
      refusal(wrong, 422, 'ERR_INVALID', '/interval')
    } finally {
      await pool.query(`delete from sign_ins where correlation_id = 'counted'`)
    }
  })

  it('AUD-02 erasure and retention remove all personal data', async () => {
    const { services, workPool } = place.service.core
    const jar = newJar()
    const ada = await passkeys.enrolled(jar)
    await events(`?userId=${ada.userId}`, 1)
    await userCommands(services).delete(ada.userId, 'system', system)
    await userCommands(services).erase(ada.userId, system)
    const [row] = await events(`?userId=${ada.userId}`, 1)
    expect(row).to.deep.include({ email: null, ip: null, location: null, device: null, userAgent: null })
    const { rows } = await workPool.query('select * from work.device_use where user_id = $1', [ada.userId])
    expect(rows).to.deep.equal([])
    await services.pool.query(
      `update sign_ins set created_at = created_at - interval '400 days' where id = $1`,
      [row.id],
    )
    const duty = maintenanceDuties(services, place.service.core).find(({ name }) => name === 'old sign-ins')
    await duty?.run()
    expect(await list(`?userId=${ada.userId}`)).to.deep.equal([])
  })
})
