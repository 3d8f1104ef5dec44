/** Proofs that are combined with others, repeated with an idempotency key, removed, or left unused. */
import { expect } from 'chai'
import { sessionCommands, type SignIn } from '../../adapters/application/commands/sessions.ts'
import { userCommands } from '../../adapters/application/commands/users.ts'
import { newId } from '../../adapters/kernel/ids.ts'
import type { SignInMethod } from '../../domain/session/events.ts'
import { deviceWorld } from '../support/sign-in/device-authorization.ts'
import { oidcWorld, outcome, pkce } from '../support/oidc/oidc.ts'
import { system, testService, type TestPerson, type TestService } from '../support/service/service.ts'

describe('the proofs of a session', function () {
  this.timeout(60_000)
  let service: TestService
  let admin: TestPerson

  before(async () => {
    service = await testService()
    admin = await service.person({}, ['global_admin'])
  })
  after(() => service.stop())

  const code = ({ body, status }: { status: number; body: { error?: { code: string } } }) =>
    body.error?.code ?? status

  /** Signs in again in the browser with the session. */
  const goOn = async (
    person: TestPerson,
    methods: readonly SignInMethod[],
    methodId: string | null = null,
  ): Promise<TestPerson> => {
    const signIn: SignIn = {
      proofId: newId('session'),
      userId: person.userId,
      methodId,
      methods,
      userVerified: true,
      ip: '127.0.0.1',
      userAgent: 'test',
      deviceId: null,
      location: null,
      risk: 'none',
      current: { sessionId: person.sessionId, userId: person.userId },
    }
    const { sessionId, token } = await sessionCommands(service.core.services).start(signIn, system)
    expect(sessionId).to.equal(person.sessionId)
    return { ...person, cookie: `svc_session=${token}` }
  }
  const renewCodes = async (as: TestPerson) =>
    code(await service.api('POST', '/me/methods/recovery-codes', { as }))

  const addMethod = async (userId: string, methodType: 'passkey' | 'authenticator_code') => {
    const methodId = newId('method')
    const passkey = {
      methodId,
      methodType: 'passkey' as const,
      name: 'Another',
      credentialId: methodId,
      publicKey: 'AA',
      signCount: 0,
      transports: [],
      aaguid: '00000000-0000-0000-0000-000000000000',
      backedUp: false,
    }
    await userCommands(service.core.services).addMethod(
      userId,
      methodType === 'passkey' ? passkey : { methodId, methodType, name: 'App', sealedSecret: 'sealed' },
      system,
    )
    return methodId
  }

  it('SGN-01 a mailbox does not add to a passkey: the session is then no stronger than the email', async () => {
    const person = await service.person({}, ['auditor'])
    expect(await renewCodes(person)).to.equal(201)
    const byMail = await goOn(person, ['magic_link'])
    expect(await renewCodes(byMail)).to.equal('ERR_STRONGER_AUTH_REQUIRED')
    expect(code(await service.api('POST', '/me/methods/passkey/options', { as: byMail, body: {} }))).to.equal(
      'ERR_STRONGER_AUTH_REQUIRED',
    )
    expect(code(await service.api('GET', '/users', { as: byMail }))).to.equal('ERR_STRONGER_AUTH_REQUIRED')
    expect(await renewCodes(await goOn(byMail, ['passkey']))).to.equal(201)
  })

  it('SGN-01 a sign-in link is not a second factor for an authenticator app, although both are one-time codes', async () => {
    const { userId, email } = await service.person()
    const [passkey] = (await service.api('GET', `/users/${userId}/methods`, { as: admin })).body
    await addMethod(userId, 'authenticator_code')
    await userCommands(service.core.services).removeMethod(userId, passkey.id, 'system', system)
    const byCode = await service.signIn(userId, email, { methods: ['authenticator_code'] })
    expect(await renewCodes(byCode)).to.equal(201)
    const byMail = await goOn(byCode, ['magic_link'])
    expect(await renewCodes(byMail)).to.equal('ERR_STRONGER_AUTH_REQUIRED')
    expect(await renewCodes(await goOn(byMail, ['recovery_code']))).to.equal(201)
  })

  it('API-06 a stored response is repeated only to the credential that got it, not to other credentials of the user', async () => {
    const person = await service.person()
    const headers = { 'Idempotency-Key': 'codes' }
    const first = await service.api('POST', '/me/methods/recovery-codes', { as: person, headers })
    expect(first.status).to.equal(201)
    const repeated = await service.api('POST', '/me/methods/recovery-codes', { as: person, headers })
    expect([repeated.body, repeated.headers.get('idempotency-replayed')]).to.deep.equal([first.body, 'true'])

    const { body } = await deviceWorld(service).signIn(person)
    const cli = { ...headers, Authorization: `Bearer ${String(body.access_token)}` }
    const byTerminal = await service.api('POST', '/me/methods/recovery-codes', { headers: cli })
    expect([byTerminal.status, code(byTerminal)]).to.deep.equal([401, 'ERR_REAUTH_REQUIRED'])
    const old = await service.signIn(person.userId, person.email, { age: 660 })
    expect(code(await service.api('POST', '/me/methods/recovery-codes', { as: old, headers }))).to.equal(
      'ERR_REAUTH_REQUIRED',
    )
    const another = await service.signIn(person.userId, person.email)
    const anew = await service.api('POST', '/me/methods/recovery-codes', { as: another, headers })
    expect([anew.status, anew.headers.get('idempotency-replayed')]).to.deep.equal([201, null])
    expect(anew.body.recoveryCodes).not.to.deep.equal(first.body.recoveryCodes)
  })

  it('API-06 AUT-05 a stored response is not repeated to a caller who lost access', async () => {
    const owner = await service.person({}, ['app_admin'])
    const ask = (as: TestPerson) =>
      service.api('POST', '/applications', {
        as,
        headers: { 'Idempotency-Key': 'app' },
        body: {
          name: 'Payroll',
          protocol: 'oidc',
          type: 'web',
          redirectUris: ['https://payroll.example.com/cb'],
        },
      })
    const made = await ask(owner)
    expect([made.status, typeof made.body.clientSecret]).to.deep.equal([201, 'string'])
    await service.core.services.pool.query(
      `update sessions set auth_time = auth_time - interval '11 minutes' where id = $1`,
      [owner.sessionId],
    )
    expect(code(await ask(owner))).to.equal('ERR_REAUTH_REQUIRED')
    const recent = await goOn(owner, ['passkey'])
    expect((await ask(recent)).body).to.deep.equal(made.body)
    const byMail = await goOn(recent, ['magic_link'])
    expect(code(await ask(byMail))).to.equal('ERR_STRONGER_AUTH_REQUIRED')
    const again = await goOn(byMail, ['passkey'])
    await service.api('PUT', `/users/${owner.userId}/roles`, { as: admin, body: { roles: [] } })
    expect(code(await ask(again))).to.equal('ERR_FORBIDDEN')
    await service.api('POST', `/users/${owner.userId}/suspend`, { as: admin, body: {} })
    expect(code(await ask(again))).to.equal('ERR_UNAUTHENTICATED')
  })

  it('SGN-01 AUT-01 removing a passkey ends the sessions that it started, before the response', async () => {
    const oidc = oidcWorld(service)
    const app = await oidc.application()
    const person = await service.person()
    const { userId, email } = person
    await oidc.join(app.groupId, userId)
    const [first] = (await service.api('GET', '/me/methods', { as: person })).body
    const second = await addMethod(userId, 'passkey')
    const byFirst = await service.signIn(userId, email, { methodIds: [first.id] })
    const tokens = await oidc.tokens(app, byFirst)
    const bySecond = await service.signIn(userId, email, { methodIds: [second] })
    const byBoth = await goOn(
      await service.signIn(userId, email, { methodIds: [second] }),
      ['passkey'],
      first.id,
    )
    const unknown = await service.signIn(userId, email, { methodIds: null })
    const otherKind = await service.signIn(userId, email, { methods: ['recovery_code'], methodIds: null })

    // The session that makes the change was started with the other passkey.
    expect(
      (await service.api('DELETE', `/me/methods/${String(first.id)}`, { as: bySecond })).status,
    ).to.equal(204)
    const isLive = async (as: TestPerson) => (await service.api('GET', '/me', { as })).status === 200
    expect(await Promise.all([person, byFirst, byBoth, unknown].map(isLive))).to.deep.equal([
      false,
      false,
      false,
      false,
    ])
    expect(await Promise.all([bySecond, otherKind].map(isLive))).to.deep.equal([true, true])
    expect((await oidc.introspect(app, tokens.access_token)).body).to.deep.equal({ active: false })
    expect(outcome(await oidc.refresh(app, tokens.refresh_token))).to.deep.equal([400, 'invalid_grant'])
    const { body } = await service.api('GET', `/sessions/${byFirst.sessionId}`, { as: admin })
    expect([body.status, body.endReason]).to.deep.equal(['revoked', 'method_reset'])
  })

  it('SGN-01 AUT-01 an administrator who removes an authenticator app ends its sessions; so does its user', async () => {
    for (const by of ['administrator', 'self'] as const) {
      const person = await service.person()
      const { userId, email } = person
      const app = await addMethod(userId, 'authenticator_code')
      const byCode = await service.signIn(userId, email, {
        methods: ['authenticator_code'],
        methodIds: [app],
      })
      const [as, path] =
        by === 'self' ? [person, `/me/methods/${app}`] : [admin, `/users/${userId}/methods/${app}`]
      expect((await service.api('DELETE', path, { as })).status).to.equal(204)
      expect((await service.api('GET', '/me', { as: byCode })).status).to.equal(401)
      expect((await service.api('GET', '/me', { as: person })).status).to.equal(200)
    }
  })

  it('SGN-01 AUT-01 a session ends if it removes the passkey that it was started with', async () => {
    const person = await service.person()
    await addMethod(person.userId, 'passkey')
    const [first] = (await service.api('GET', '/me/methods', { as: person })).body
    expect((await service.api('DELETE', `/me/methods/${String(first.id)}`, { as: person })).status).to.equal(
      204,
    )
    expect(code(await service.api('GET', '/me', { as: person }))).to.equal('ERR_UNAUTHENTICATED')
  })

  describe('without activity', () => {
    /** Moves the last use of a session, and its start, into the past. */
    const leave = async ({ sessionId }: TestPerson, minutes: number) => {
      const { pool } = service.core.services
      await pool.query(
        `update sessions set auth_time = auth_time - make_interval(mins => $2) where id = $1`,
        [sessionId, minutes],
      )
      await pool.query(
        `update work.session_use set last_seen_at = last_seen_at - make_interval(mins => $2) where session_id = $1`,
        [sessionId, minutes],
      )
    }
    const settings = async (body: object) => {
      const as = await service.signIn(admin.userId, admin.email)
      expect((await service.api('PATCH', '/settings', { as, body })).status).to.equal(200)
    }
    const used = async (as: TestPerson) => (await service.api('GET', '/me', { as })).status

    it('AUT-01 an administrator’s session expires after an hour, another after its full lifetime', async () => {
      const oidc = oidcWorld(service)
      const app = await oidc.application()
      const auditor = await service.person({}, ['auditor'])
      const person = await service.person()
      await oidc.join(app.groupId, auditor.userId)
      for (const [as, minutes, status] of [
        [auditor, 59, 200],
        [auditor, 63, 401],
        [person, 600, 200],
      ] as const) {
        const mine = await service.signIn(as.userId, as.email)
        await leave(mine, minutes)
        expect(await used(mine), `${String(minutes)} minutes`).to.equal(status)
      }
      const idle = await service.signIn(auditor.userId, auditor.email)
      await leave(idle, 63)
      const challenge = { code_challenge: pkce().challenge, code_challenge_method: 'S256' }
      expect((await oidc.authorize(app, idle, challenge)).location).to.include('/sign-in')
      const recent = await service.signIn(auditor.userId, auditor.email)
      expect((await oidc.authorize(app, recent, challenge)).query).to.have.property('code')
      const { body } = await service.api('GET', `/sessions/${idle.sessionId}`, { as: admin })
      expect([body.status, body.endReason]).to.deep.equal(['expired', 'expired'])
      const mine = await service.api('GET', '/me/sessions', { as: auditor })
      expect(mine.body.map(({ id }: { id: string }) => id)).not.to.include(idle.sessionId)
    })

    it('AUT-01 API-03 the settings determine the timeout', async () => {
      const person = await service.person()
      const auditor = await service.person({}, ['auditor'])
      try {
        await settings({ sessionIdleMinutes: 30, administratorIdleMinutes: 5 })
        for (const [as, minutes, status] of [
          [person, 29, 200],
          [person, 33, 401],
          [auditor, 4, 200],
          [auditor, 8, 401],
        ] as const) {
          const mine = await service.signIn(as.userId, as.email)
          await leave(mine, minutes)
          expect(await used(mine), `${String(minutes)} minutes`).to.equal(status)
        }
        await settings({ sessionIdleMinutes: 5, administratorIdleMinutes: 60 })
        const mine = await service.signIn(auditor.userId, auditor.email)
        await leave(mine, 8)
        expect(await used(mine)).to.equal(401)
      } finally {
        await settings({ sessionIdleMinutes: null, administratorIdleMinutes: 60 })
      }
      const mine = await service.signIn(person.userId, person.email)
      await leave(mine, 33)
      expect(await used(mine)).to.equal(200)
    })
  })
})
