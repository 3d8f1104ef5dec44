import { expect } from 'chai'
import { sessionCommands } from '../../../adapters/application/commands/sessions.ts'
import { userCommands } from '../../../adapters/application/commands/users.ts'
import { newId } from '../../../adapters/kernel/ids.ts'
import { stepOf } from '../../../adapters/application/sign-in/totp/codes.ts'
import { authenticatorSetup } from '../../../adapters/application/sign-in/totp/setup.ts'
import { CEREMONY_SECONDS } from '../../../adapters/application/sign-in/ceremonies.ts'
import { DomainError } from '../../../domain/errors.ts'
import {
  ageSignIn,
  appPerson,
  attempts,
  calmStep,
  codeAt,
  cookieOf,
  failuresOf,
  invitation,
  wrongCode,
  type AppPerson,
} from '../../support/sign-in/authenticator.ts'
import { ageTries } from '../../support/sign-in/code-tries.ts'
import { oidcWorld, pkce } from '../../support/oidc/oidc.ts'
import { servicePair } from '../../support/service/service-pair.ts'
import { system, testService, type TestPerson, type TestService } from '../../support/service/service.ts'

describe('authenticator codes over HTTP', function () {
  this.timeout(90_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.stop())

  const post = async (path: string, body?: unknown, as?: Pick<TestPerson, 'cookie'>) => {
    const answer = await service.api('POST', path, {
      ...(body === undefined ? {} : { body }),
      ...(as === undefined ? {} : { as: as as TestPerson }),
    })
    return { ...answer, code: answer.body?.error?.code as string | undefined }
  }
  const enter = (email: string, code: string, as?: Pick<TestPerson, 'cookie'>) =>
    post('/auth/code', { email, code }, as)

  it('SGN-02 accepts the codes of RFC 6238, Appendix B, in their own and the neighbouring steps', () => {
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
    const vectors: readonly (readonly [string, string])[] = [
      ['1970-01-01T00:00:59.000000Z', '287082'],
      ['2005-03-18T01:58:29.000000Z', '081804'],
      ['2005-03-18T01:58:31.000000Z', '050471'],
      ['2009-02-13T23:31:30.000000Z', '005924'],
      ['2033-05-18T03:33:20.000000Z', '279037'],
    ]
    for (const [time, code] of vectors) {
      const step = Math.floor(Date.parse(time) / 30_000)
      const at = (steps: number) => new Date((step + steps) * 30_000).toISOString().replace('Z', '000Z')
      expect(stepOf(secret, code, time), time).to.equal(step)
      expect([-1, 0, 1].map((n) => stepOf(secret, code, at(n)))).to.deep.equal([step, step, step])
      expect([-2, 2].map((n) => stepOf(secret, code, at(n)))).to.deep.equal([null, null])
    }
  })

  it('SGN-02 an invited user sets up an app, is signed in, and gets ten recovery codes', async () => {
    await calmStep()
    const { email, path } = await invitation(service)
    const { body: setup } = await post(`${path}/authenticator`)
    expect(setup.secret).to.match(/^[A-Z2-7]{32}$/)
    const uri = new URL(setup.otpauthUri)
    expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).to.deep.equal([
      'otpauth:',
      'totp',
      `/Identity service:${email}`,
    ])
    expect(Object.fromEntries(uri.searchParams)).to.deep.equal({
      issuer: 'Identity service',
      secret: setup.secret,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    })
    const { ceremonyId } = setup
    const wrong = await post(`${path}/authenticator/verify`, { ceremonyId, code: wrongCode(setup.secret) })
    expect([wrong.status, wrong.code]).to.deep.equal([401, 'ERR_CODE_MISMATCH'])
    const malformed = await post(`${path}/authenticator/verify`, { ceremonyId, code: '12345' })
    expect([malformed.status, malformed.code]).to.deep.equal([422, 'ERR_INVALID'])

    const code = codeAt(setup.secret)
    const answer = await post(`${path}/authenticator/verify`, { ceremonyId, code, name: 'Phone' })
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    expect(answer.body).to.deep.include({ status: 'signed_in', redirectTo: '/account' })
    expect(new Set(answer.body.recoveryCodes).size).to.equal(10)
    for (const one of answer.body.recoveryCodes)
      expect(one).to.match(/^[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5}$/)

    const me = { cookie: cookieOf(answer.headers) } as TestPerson
    const { body: sessions } = await service.api('GET', '/me/sessions', { as: me })
    expect(sessions[0]).to.deep.include({ amr: ['otp'], strength: 'otp' })
    const { body: methods } = await service.api('GET', '/me/methods', { as: me })
    expect(methods).to.have.length(1)
    expect(methods[0]).to.deep.include({ type: 'authenticator_code', name: 'Phone', backedUp: null })

    expect((await enter(email, code)).code, 'the code of the setup').to.equal('ERR_CODE_MISMATCH')
    const next = codeAt(setup.secret, 1)
    expect((await post(`${path}/authenticator/verify`, { ceremonyId, code: next })).code).to.equal(
      'ERR_LINK_EXPIRED',
    )
    expect((await enter(email, next)).status).to.equal(200)
  })

  it('SGN-02 each code is valid once, and none that is older than one used', async () => {
    const ada = await appPerson(service)
    const later = await enter(ada.email, codeAt(ada.secret, 1))
    expect([later.status, later.body.user.id]).to.deep.equal([200, ada.userId])
    expect(later.headers.get('set-cookie')).to.match(/^svc_session=[\w-]{43}; .*HttpOnly/)
    for (const steps of [1, 0, -1])
      expect((await enter(ada.email, codeAt(ada.secret, steps))).code, String(steps)).to.equal(
        'ERR_CODE_MISMATCH',
      )
    expect(await failuresOf(service, ada.userId)).to.deep.equal(['code_reused', 'code_reused', 'code_reused'])
    const { result, method } = (await attempts(service)).find(
      (attempt) => attempt.userId === ada.userId && attempt.method === 'authenticator_code',
    ) ?? { result: '' }
    expect([result, method]).to.deep.equal(['success', 'authenticator_code'])
  })

  it('SGN-02 codes that are two steps off are wrong; the correct code is accepted in any notation', async () => {
    const [ada, grace] = [await appPerson(service), await appPerson(service)]
    for (const steps of [-2, 2])
      expect((await enter(ada.email, codeAt(ada.secret, steps))).code).to.equal('ERR_CODE_MISMATCH')
    const code = codeAt(ada.secret)
    const spaced = await enter(ada.email.toUpperCase(), ` ${code.slice(0, 3)} ${code.slice(3)} `)
    expect(spaced.status).to.equal(200)
    const wide = [...codeAt(grace.secret)]
      .map((digit) => String.fromCodePoint(0xff10 + Number(digit)))
      .join('')
    expect((await enter(grace.email, wide)).status).to.equal(200)
    for (const malformed of ['12345', '1234567', 'abcdef', '12345-6789', 'aaaaa-aaaau', '-'])
      expect((await enter(ada.email, malformed)).code, malformed).to.equal('ERR_INVALID')
  })

  it('SGN-02 a code of another user’s app is rejected', async () => {
    const [ada, grace] = [await appPerson(service), await appPerson(service)]
    expect((await enter(ada.email, codeAt(grace.secret))).code).to.equal('ERR_CODE_MISMATCH')
    expect((await enter(grace.email, codeAt(grace.secret))).status).to.equal(200)
  })

  it('SGN-02 of twenty concurrent sign-ins with the same code one succeeds', async () => {
    const ada = await appPerson(service)
    const code = codeAt(ada.secret)
    const answers = await Promise.all(Array.from({ length: 20 }, () => enter(ada.email, code)))
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1)
    for (const { status } of answers) expect(status).to.be.oneOf([200, 401, 429])
  })

  it('SGN-02 ID-01 two instances accept a code only once', async () => {
    const pair = await servicePair()
    try {
      const ada = await appPerson(pair.one)
      for (const steps of [0, 1]) {
        const code = codeAt(ada.secret, steps)
        const answers = await Promise.all(
          Array.from({ length: 10 }, (_, n) =>
            (n % 2 === 0 ? pair.one : pair.two).api('POST', '/auth/code', {
              body: { email: ada.email, code },
              headers: { Origin: pair.one.publicUrl },
            }),
          ),
        )
        expect(answers.filter(({ status }) => status === 200)).to.have.length(1)
        await ageTries(pair.one, ada.userId, 1440)
      }
    } finally {
      await pair.stop()
    }
  })

  it('SGN-02 continues to the application whose request is pending, and reports an unknown request first', async () => {
    const ada = await appPerson(service)
    const world = oidcWorld(service)
    const app = await world.application('web')
    await world.join(app.groupId, ada.userId)
    const authorizeAnswer = await world.authorize(app, null, {
      code_challenge: pkce().challenge,
      code_challenge_method: 'S256',
    })
    const authRequestId = authorizeAnswer.query['authRequest']
    expect(authRequestId).to.be.a('string')
    const code = codeAt(ada.secret)
    const unknown = await post('/auth/code', { email: ada.email, code, authRequestId: 'none' })
    expect([unknown.status, unknown.code]).to.deep.equal([404, 'ERR_AUTH_REQUEST_EXPIRED'])
    const answer = await post('/auth/code', { email: ada.email, code, authRequestId })
    expect(answer.body.redirectTo).to.match(/^\/oauth2\/authorize\/resume\?authRequest=/)
    const resumed = await world.browse(answer.body.redirectTo, { cookie: cookieOf(answer.headers) })
    expect(resumed.query['code']).to.be.a('string')
  })

  it('ASG-02 SGN-02 a user outside every assigned group is rejected, without a session, which is recorded', async () => {
    const ada = await appPerson(service)
    const world = oidcWorld(service)
    const app = await world.application('web')
    const asked = await world.authorize(app, null, {
      code_challenge: pkce().challenge,
      code_challenge_method: 'S256',
    })
    const authRequestId = asked.query['authRequest']
    const refused = await post('/auth/code', { email: ada.email, code: codeAt(ada.secret), authRequestId })
    expect([refused.status, refused.code]).to.deep.equal([403, 'ERR_NOT_ASSIGNED'])
    expect(refused.headers.get('set-cookie')).to.equal(null)
    expect(await failuresOf(service, ada.userId)).to.deep.equal(['not_assigned'])
  })

  it('SGN-05 a suspended user learns about it only with a correct code', async () => {
    const ada = await appPerson(service)
    await userCommands(service.core.services).suspend(ada.userId, undefined, 'system', system)
    const wrong = await enter(ada.email, wrongCode(ada.secret))
    expect([wrong.status, wrong.code]).to.deep.equal([401, 'ERR_CODE_MISMATCH'])
    const right = await enter(ada.email, codeAt(ada.secret))
    expect([right.status, right.code]).to.deep.equal([403, 'ERR_ACCOUNT_SUSPENDED'])
    expect(right.headers.get('set-cookie')).to.equal(null)
    const recovery = await enter(ada.email, ada.recoveryCodes[0] ?? '')
    expect([recovery.status, recovery.code]).to.deep.equal([403, 'ERR_ACCOUNT_SUSPENDED'])
    const { path } = await invitation(service)
    expect((await post(`${path}/authenticator`)).status).to.equal(200)
    expect(await failuresOf(service, ada.userId)).to.deep.equal([
      'bad_code',
      'account_suspended',
      'account_suspended',
    ])
  })

  it('SGN-05 removing or resetting a method ends a sign-in in progress', async () => {
    const { services } = service.core
    const ada = await appPerson(service)
    const start = (methods: readonly ('authenticator_code' | 'recovery_code')[], methodId: string | null) =>
      sessionCommands(services)
        .start(
          {
            proofId: newId('session'),
            userId: ada.userId,
            methodId,
            methods,
            refusal: 'ERR_CODE_MISMATCH',
            userVerified: false,
            ip: '127.0.0.1',
            userAgent: null,
            deviceId: null,
            location: null,
            risk: 'none',
            current: null,
          },
          system,
        )
        .then(
          () => 'started',
          (error: unknown) => (error instanceof DomainError ? error.code : String(error)),
        )
    expect(await start(['authenticator_code'], ada.methodId)).to.equal('started')
    expect(await start(['recovery_code'], null)).to.equal('started')
    await userCommands(services).resetMethods(ada.userId, 'system', system)
    expect(await start(['authenticator_code'], ada.methodId)).to.equal('ERR_CODE_MISMATCH')
    expect(await start(['recovery_code'], null)).to.equal('ERR_CODE_MISMATCH')
    expect((await service.api('GET', '/me/methods', { as: ada })).status).to.equal(401)
  })

  describe('of the user’s own account', () => {
    const begin = (as: TestPerson) => post('/me/methods/authenticator', undefined, as)
    const verify = (ceremonyId: string, code: string, as: TestPerson, name?: string) =>
      post(
        '/me/methods/authenticator/verify',
        { ceremonyId, code, ...(name === undefined ? {} : { name }) },
        as,
      )

    it('SGN-02 an app is added in the session that started it, once, within five minutes', async () => {
      await calmStep()
      const person = await service.person()
      const elsewhere = await service.signIn(person.userId, person.email)
      const { body } = await begin(person)
      const code = () => codeAt(body.secret)
      expect((await verify(body.ceremonyId, code(), elsewhere)).code).to.equal('ERR_CEREMONY_EXPIRED')
      expect((await verify(body.ceremonyId, wrongCode(body.secret), person)).code).to.equal(
        'ERR_CODE_MISMATCH',
      )
      const added = await verify(body.ceremonyId, code(), person, 'Tablet')
      expect(added.status, JSON.stringify(added.body)).to.equal(201)
      expect(added.body).to.deep.include({ name: 'Tablet', type: 'authenticator_code' })
      expect(added.body.recoveryCodes).to.have.length(10)
      expect((await verify(body.ceremonyId, codeAt(body.secret, 1), person)).code).to.equal(
        'ERR_CEREMONY_EXPIRED',
      )
      const { services } = service.core
      const clock = { now: () => services.clock.in(-CEREMONY_SECONDS - 1), in: services.clock.in }
      const late = authenticatorSetup({ ...services, clock }).begin(
        { email: person.email },
        `person|${person.userId}|${person.sessionId}`,
      )
      expect((await verify(late.ceremonyId, codeAt(late.secret), person)).code).to.equal(
        'ERR_CEREMONY_EXPIRED',
      )
    })

    it('SGN-02 only the first app brings recovery codes, and five apps are the limit', async () => {
      await calmStep()
      const person = await service.person()
      for (let n = 0; n < 5; n++) {
        const { body } = await begin(person)
        const added = await verify(body.ceremonyId, codeAt(body.secret), person)
        expect(added.status).to.equal(201)
        if (n === 0) expect(added.body.recoveryCodes).to.have.length(10)
        else expect(added.body.recoveryCodes).to.equal(null)
        expect((await enter(person.email, codeAt(body.secret, 1))).status, 'any of them signs in').to.equal(
          200,
        )
      }
      const { body } = await begin(person)
      expect((await verify(body.ceremonyId, codeAt(body.secret), person)).code).to.equal('ERR_CONFLICT')
    })

    it('SGN-05 adding and removing require a recent sign-in, and the last method stays', async () => {
      const ada = await appPerson(service)
      await ageSignIn(service, ada.sessionId, 11)
      for (const answer of [await begin(ada), await verify('x', '123456', ada)])
        expect([answer.status, answer.code]).to.deep.equal([401, 'ERR_REAUTH_REQUIRED'])
      const remove = (id: string) => service.api('DELETE', `/me/methods/${id}`, { as: again })
      const signedIn = await enter(ada.email, codeAt(ada.secret), ada)
      const again: TestPerson = { ...ada, cookie: cookieOf(signedIn.headers, ada.cookie) }
      expect((await remove(ada.methodId)).body.error.code).to.equal('ERR_LAST_METHOD')
      const { body } = await begin(again)
      await verify(body.ceremonyId, codeAt(body.secret, -1), again)
      expect((await remove(ada.methodId)).status).to.equal(204)
      expect((await enter(ada.email, codeAt(ada.secret, 1))).code).to.equal('ERR_CODE_MISMATCH')
      expect((await enter(ada.email, codeAt(body.secret))).status).to.equal(200)
    })
  })

  it('SGN-02 signing in again continues the session: the old cookie is invalid, tokens stay valid', async () => {
    const ada = await appPerson(service)
    const world = oidcWorld(service)
    const app = await world.application('web')
    await world.join(app.groupId, ada.userId)
    const tokens = await world.redeem(app, await world.code(app, ada, { scope: 'openid offline_access' }))
    const answer = await enter(ada.email, codeAt(ada.secret), ada)
    const again: TestPerson = { ...ada, cookie: cookieOf(answer.headers, ada.cookie) }
    expect(again.cookie).not.to.equal(ada.cookie)
    expect((await service.api('GET', '/me/sessions', { as: ada })).status).to.equal(401)
    const { body: sessions } = await service.api('GET', '/me/sessions', { as: again })
    expect(sessions.map(({ id }: { id: string }) => id)).to.deep.equal([ada.sessionId])
    const refreshed = await world.refresh(app, String(tokens.body.refresh_token))
    expect(refreshed.status).to.equal(200)
    expect(world.claimsIn(refreshed.body.id_token)['sid']).to.equal(ada.sessionId)
  })

  describe('for administrators', () => {
    let admin: TestPerson
    before(async () => {
      admin = await service.person({}, ['user_admin'])
    })
    const shown = async (person: AppPerson) =>
      (await service.api('GET', `/users/${person.userId}`, { as: admin })).body

    it('API-01 strength, methods, removal, and a reset that invalidates everything', async () => {
      const ada = await appPerson(service)
      expect(await shown(ada)).to.deep.include({
        mfaStrength: 'otp',
        methods: [{ type: 'authenticator_code' }],
        lockedUntil: null,
      })
      const { body: methods } = await service.api('GET', `/users/${ada.userId}/methods`, { as: admin })
      expect(methods[0]).to.deep.include({ type: 'authenticator_code', backedUp: null })
      const removal = await service.api('DELETE', `/users/${ada.userId}/methods/${ada.methodId}`, {
        as: admin,
      })
      expect(removal.body.error.code).to.equal('ERR_LAST_METHOD')
      expect(
        (await service.api('POST', `/users/${ada.userId}/reset-methods`, { as: admin })).status,
      ).to.equal(200)
      expect(await shown(ada)).to.deep.include({ mfaStrength: 'none', methods: [] })
      for (const code of [codeAt(ada.secret), ada.recoveryCodes[0] ?? ''])
        expect((await enter(ada.email, code)).code).to.equal('ERR_CODE_MISMATCH')
      expect((await service.api('GET', '/me/methods', { as: ada })).status).to.equal(401)
    })

    it('API-01 an authenticator app can be removed like any method if there is a passkey', async () => {
      await calmStep()
      const person = await service.person()
      const { body } = await post('/me/methods/authenticator', undefined, person)
      const added = await post(
        '/me/methods/authenticator/verify',
        { ceremonyId: body.ceremonyId, code: codeAt(body.secret) },
        person,
      )
      const { body: both } = await service.api('GET', `/users/${person.userId}`, { as: admin })
      expect([both.mfaStrength, both.methods.length]).to.deep.equal(['phishing_resistant', 2])
      const path = `/users/${person.userId}/methods/${String(added.body.id)}`
      expect((await service.api('DELETE', path, { as: admin })).status).to.equal(204)
      expect((await enter(person.email, codeAt(body.secret, 1))).code).to.equal('ERR_CODE_MISMATCH')
    })
  })
})
