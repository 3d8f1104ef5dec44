import { expect } from 'chai'
import { sessionMoment } from '../../../adapters/application/services/moment.ts'
import fc from 'fast-check'
import { sessionCommands } from '../../../adapters/application/commands/sessions.ts'
import { userCommands } from '../../../adapters/application/commands/users.ts'
import { newId } from '../../../adapters/kernel/ids.ts'
import { CEREMONY_SECONDS, ceremonies } from '../../../adapters/application/sign-in/ceremonies.ts'
import { passkeyAuthentication } from '../../../adapters/application/sign-in/webauthn/authentication.ts'
import { recordUse } from '../../../adapters/application/sign-in/method-use.ts'
import { passkeyRegistration } from '../../../adapters/application/sign-in/webauthn/registration.ts'
import { DomainError } from '../../../domain/errors.ts'
import { liveSessionsOf, methodsOf } from '../../../read-models/queries/account.ts'
import { softPasskey, type SoftPasskey } from '../../support/sign-in/soft-passkey.ts'
import { system, testService, type TestPerson, type TestService } from '../../support/service/service.ts'

describe('passkeys over HTTP', function () {
  this.timeout(60_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.stop())

  const post = async (path: string, body?: unknown, as?: TestPerson) => {
    const answer = await service.api('POST', path, {
      ...(body === undefined ? {} : { body }),
      ...(as === undefined ? {} : { as }),
    })
    return { ...answer, code: answer.body?.error?.code as string | undefined }
  }
  const verify = (ceremonyId: string, credential: unknown) =>
    post('/auth/passkey/verify', { ceremonyId, credential })
  /** Returns a clock that differs from the service's by these seconds. */
  const clockAt = (seconds: number) => {
    const { clock } = service.core.services
    return { now: () => clock.in(seconds), in: (more: number) => clock.in(seconds + more) }
  }
  const invite = async (n: string) => {
    const { userId, enrollUrl } = await userCommands(service.core.services).invite(
      { profile: { name: 'Ada', email: `${n}@example.com` }, source: 'local' },
      system,
    )
    return { userId, path: `/auth/enroll/${enrollUrl.split('/').at(-1) ?? ''}` }
  }
  const enroll = async (n: string): Promise<{ userId: string; passkey: SoftPasskey }> => {
    const { userId, path } = await invite(n)
    const passkey = softPasskey(service.publicUrl)
    const { body } = await post(`${path}/passkey/options`)
    const credential = passkey.create(body.publicKey)
    const answer = await post(`${path}/passkey`, { ceremonyId: body.ceremonyId, credential })
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    return { userId, passkey }
  }
  const options = async () => (await post('/auth/passkey/options', {})).body

  it('SGN-01 the options require a discoverable passkey with user verification and no attestation', async () => {
    const { path } = await invite('offers')
    const { body } = await post(`${path}/passkey/options`)
    expect(body.publicKey).to.deep.include({ attestation: 'none', excludeCredentials: [] })
    expect(body.publicKey.rp.id).to.equal('localhost')
    expect(body.publicKey.authenticatorSelection).to.deep.include({
      residentKey: 'required',
      userVerification: 'required',
    })
    const signIn = await options()
    expect(signIn.publicKey).to.deep.include({
      rpId: 'localhost',
      userVerification: 'required',
      allowCredentials: [],
    })
    const info = await service.api('GET', path)
    expect(info.body).to.deep.include({
      kind: 'invite',
      email: 'offers@example.com',
      allowedMethods: ['passkey', 'security_key', 'authenticator_code'],
    })
    expect((await service.api('GET', '/auth/methods')).body).to.deep.equal({
      methods: ['passkey', 'security_key', 'authenticator_code', 'recovery_codes'],
      magicLinkAvailable: false,
    })
    expect((await service.api('GET', '/auth/providers')).body).to.deep.equal([])
  })

  it('SGN-01 a passkey without a counter can sign in repeatedly, but no ceremony works twice', async () => {
    const { passkey, userId } = await enroll('again')
    for (let round = 0; round < 3; round++) {
      const { ceremonyId, publicKey } = await options()
      const credential = passkey.get(publicKey, userId)
      const both = await Promise.all([verify(ceremonyId, credential), verify(ceremonyId, credential)])
      expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 400])
      expect(both.map(({ code }) => code)).to.include('ERR_CEREMONY_EXPIRED')
      expect((await verify(ceremonyId, credential)).code).to.equal('ERR_CEREMONY_EXPIRED')
    }
  })

  it('SGN-01 a ceremony that has expired, was changed, or is of another kind is rejected', async () => {
    const { passkey, userId } = await enroll('over')
    const past = { ...service.core.services, clock: clockAt(-CEREMONY_SECONDS - 1) }
    const late = await passkeyAuthentication(past).begin()
    expect((await verify(late.ceremonyId, passkey.get(late.publicKey, userId))).code).to.equal(
      'ERR_CEREMONY_EXPIRED',
    )
    const { ceremonyId, publicKey } = await options()
    const credential = passkey.get(publicKey, userId)
    const changed = `${ceremonyId.slice(0, -2)}${ceremonyId.endsWith('AA') ? 'BB' : 'AA'}`
    expect((await verify(changed, credential)).code).to.equal('ERR_CEREMONY_EXPIRED')
    const registration = await passkeyRegistration(service.core.services).begin(
      { userId, name: 'Ada', email: 'over@example.com' },
      '',
      [],
    )
    expect((await verify(registration.ceremonyId, credential)).code).to.equal('ERR_CEREMONY_EXPIRED')
    expect((await verify(ceremonyId, credential)).status).to.equal(200)
  })

  it('SGN-01 a ceremony is valid for five minutes, to the second', () => {
    const seals = service.core.services.vault
    const ceremonyId = ceremonies({ vault: seals, clock: clockAt(0) }, 'passkey-registration').begin(
      { challenge: 'c' },
      'here',
    )
    const openAt = (seconds: number, place = 'here') =>
      ceremonies({ vault: seals, clock: clockAt(seconds) }, 'passkey-registration').open(ceremonyId, place)
    expect(openAt(CEREMONY_SECONDS - 2)).to.deep.equal({ challenge: 'c' })
    expect(() => openAt(CEREMONY_SECONDS + 1)).to.throw('expired')
    expect(() => openAt(0, 'elsewhere')).to.throw('expired')
  })

  it('SGN-01 an assertion for another origin, person, challenge or without verification is rejected in the same way', async () => {
    const { passkey, userId } = await enroll('alike')
    const other = await service.person()
    const stranger = softPasskey(service.publicUrl)
    const attempts: Record<string, (publicKey: { challenge: string; rpId?: string }) => unknown> = {
      'another origin': (request) => passkey.get(request, userId, { origin: 'https://evil.example' }),
      'another host': (request) => passkey.get({ ...request, rpId: 'evil.example' }, userId),
      'another person': (request) => passkey.get(request, other.userId),
      'another challenge': (request) => passkey.get({ ...request, challenge: 'AAAA' }, userId),
      'no user verification': (request) => passkey.get(request, userId, { verified: false }),
      'an unknown passkey': (request) => stranger.get(request, userId),
    }
    const answers = new Set<string>()
    for (const [name, attempt] of Object.entries(attempts)) {
      const { ceremonyId, publicKey } = await options()
      const { status, body, headers } = await verify(ceremonyId, attempt(publicKey))
      expect([status, body.error.code], name).to.deep.equal([401, 'ERR_PASSKEY_REJECTED'])
      expect(headers.get('set-cookie'), name).to.equal(null)
      answers.add(body.error.message)
    }
    expect([...answers]).to.have.length(1)
  })

  it('SGN-01 a counter that does not grow is rejected, whichever request comes first', async () => {
    const { passkey, userId } = await enroll('copied')
    const use = async (signCount: number) => {
      const { ceremonyId, publicKey } = await options()
      return verify(ceremonyId, passkey.get(publicKey, userId, { signCount }))
    }
    expect((await use(7)).status).to.equal(200)
    expect((await use(7)).code).to.equal('ERR_PASSKEY_REJECTED')
    expect((await use(3)).code).to.equal('ERR_PASSKEY_REJECTED')
    expect((await use(0)).code).to.equal('ERR_PASSKEY_REJECTED')
    expect((await use(8)).status).to.equal(200)
    const { pool, clock } = service.core.services
    const at = clock.now()
    const both = await Promise.all([recordUse(pool, 'mth_x', 5, at), recordUse(pool, 'mth_x', 5, at)])
    expect([...both].sort()).to.deep.equal([false, true])
  })

  it('SGN-01 a new passkey without a valid proof is rejected, and the link stays valid', async () => {
    const { path } = await invite('unproven')
    const passkey = softPasskey(service.publicUrl)
    const attempts: Record<string, object> = {
      'another origin': { origin: 'https://evil.example' },
      'no user verification': { verified: false },
    }
    for (const [name, how] of Object.entries(attempts)) {
      const { body } = await post(`${path}/passkey/options`)
      const credential = passkey.create(body.publicKey, how)
      const { status, code } = await post(`${path}/passkey`, { ceremonyId: body.ceremonyId, credential })
      expect([status, code], name).to.deep.equal([400, 'ERR_REGISTRATION_FAILED'])
    }
    const { body } = await post(`${path}/passkey/options`)
    const other = await invite('unproven-other')
    const credential = passkey.create(body.publicKey)
    const sent = { ceremonyId: body.ceremonyId, credential }
    expect((await post(`${other.path}/passkey`, sent)).code).to.equal('ERR_CEREMONY_EXPIRED')
    expect((await post(`${path}/passkey`, sent)).status).to.equal(200)
    expect((await post(`${path}/passkey`, sent)).code).to.equal('ERR_LINK_EXPIRED')
  })

  it('SGN-03 SGN-05 of two concurrent uses of one link, one succeeds; a suspended user’s link is rejected', async () => {
    const { path } = await invite('twice')
    const tries = await Promise.all(
      [1, 2].map(async () => {
        const { body } = await post(`${path}/passkey/options`)
        const credential = softPasskey(service.publicUrl).create(body.publicKey)
        return { ceremonyId: body.ceremonyId, credential }
      }),
    )
    const answers = await Promise.all(tries.map((body) => post(`${path}/passkey`, body)))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 404])
    expect(answers.map(({ code }) => code)).to.include('ERR_LINK_EXPIRED')

    const stopped = await invite('stopped')
    await userCommands(service.core.services).suspend(stopped.userId, undefined, 'system', system)
    const { status, code } = await post(`${stopped.path}/passkey/options`)
    expect([status, code]).to.deep.equal([403, 'ERR_ACCOUNT_SUSPENDED'])
  })

  it('SGN-05 a suspension or removal during a sign-in ends it', async () => {
    const { services } = service.core
    const person = await service.person()
    const [method] = await methodsOf(services.pool, person.userId)
    const start = (methodId: string) =>
      sessionCommands(services)
        .start(
          {
            proofId: newId('session'),
            userId: person.userId,
            methodId,
            methods: ['passkey'],
            userVerified: true,
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
    const live = async () =>
      (await liveSessionsOf(services.pool, person.userId, sessionMoment(services))).length
    expect(await start(method?.id ?? '')).to.equal('started')
    expect(await start(newId('method'))).to.equal('ERR_PASSKEY_REJECTED')
    expect(await live()).to.equal(2)
    await userCommands(services).suspend(person.userId, undefined, 'system', system)
    expect(await start(method?.id ?? '')).to.equal('ERR_ACCOUNT_SUSPENDED')
    expect(await live()).to.equal(0)
  })

  it('SGN-01 adding a passkey: one ceremony adds one, and not in another session', async () => {
    const person = await service.person()
    const elsewhere = await service.signIn(person.userId, person.email)
    const { body } = await post('/me/methods/passkey/options', undefined, person)
    expect(body.publicKey.excludeCredentials).to.have.length(1)
    const credential = softPasskey(service.publicUrl).create(body.publicKey)
    const sent = { ceremonyId: body.ceremonyId, credential, name: 'Second' }
    expect((await post('/me/methods/passkey/verify', sent, elsewhere)).code).to.equal('ERR_CEREMONY_EXPIRED')
    const added = await post('/me/methods/passkey/verify', sent, person)
    expect(added.status, JSON.stringify(added.body)).to.equal(201)
    expect(added.body).to.deep.include({ name: 'Second', type: 'passkey', lastUsedAt: null })
    expect((await post('/me/methods/passkey/verify', sent, person)).code).to.equal('ERR_CEREMONY_EXPIRED')
    expect((await service.api('GET', '/me/methods', { as: person })).body).to.have.length(2)
  })

  it('SGN-01 any invalid credential causes a declared error, never a server error', async () => {
    const { path } = await invite('garbage')
    const signIn = await options()
    const enrolling = (await post(`${path}/passkey/options`)).body
    const bytes = fc.uint8Array({ maxLength: 80 }).map((all) => Buffer.from(all).toString('base64url'))
    const clientData = fc
      .record({
        type: fc.constantFrom('webauthn.get', 'webauthn.create', 'x'),
        challenge: fc.constantFrom(signIn.publicKey.challenge, enrolling.publicKey.challenge, 'x'),
        origin: fc.constantFrom(service.publicUrl, 'x'),
        tokenBinding: fc.jsonValue(),
        crossOrigin: fc.jsonValue(),
      })
      .map((data) => Buffer.from(JSON.stringify(data)).toString('base64url'))
    const text = fc.oneof(bytes, clientData, fc.string(), fc.constant('AAAA'))
    const id = fc.constantFrom('AAAA', 'BBBB')
    const credential = fc.record({
      id,
      rawId: id,
      type: fc.constant('public-key'),
      clientExtensionResults: fc.constant({}),
      authenticatorAttachment: fc.constantFrom('platform', 'cross-platform', null),
      response: fc.record({
        clientDataJSON: text,
        attestationObject: text,
        authenticatorData: text,
        signature: text,
        userHandle: fc.oneof(bytes, fc.string({ maxLength: 20 })),
        transports: fc.array(fc.string(), { maxLength: 3 }),
      }),
    })
    await fc.assert(
      fc.asyncProperty(credential, fc.oneof(fc.constant(true), fc.jsonValue()), async (sent, other) => {
        const cases = [
          ['/auth/passkey/verify', signIn.ceremonyId],
          [`${path}/passkey`, enrolling.ceremonyId],
        ]
        for (const [to, ceremonyId] of cases)
          for (const body of [sent, other]) {
            const { status, code } = await post(to ?? '', { ceremonyId, credential: body })
            expect(status).to.be.within(400, 499)
            expect([
              'ERR_PASSKEY_REJECTED',
              'ERR_REGISTRATION_FAILED',
              'ERR_INVALID',
              'ERR_INVALID_JSON',
            ]).to.include(code)
          }
      }),
      { numRuns: 60 },
    )
  })
})
