import { expect } from 'chai'
import { userCommands } from '../../../adapters/application/commands/users.ts'
import { methodsOf } from '../../../read-models/queries/account.ts'
import { attestationMaker, type AttestationMaker } from '../../support/sign-in/attestation-maker.ts'
import { softPasskey, type SoftPasskey } from '../../support/sign-in/soft-passkey.ts'
import { system, testService, type TestPerson, type TestService } from '../../support/service/service.ts'

const YUBIKEY = 'cb69481e-8ff7-4039-93ec-0a2729a154a8'
const OTHER = '11111111-2222-3333-4444-555555555555'

describe('security keys', function () {
  this.timeout(60_000)
  let service: TestService
  let admin: TestPerson
  let maker: AttestationMaker
  before(async () => {
    service = await testService()
    admin = await service.person({}, ['security_admin'])
    maker = await attestationMaker('Yubico')
  })
  after(() => service.stop())

  const post = async (path: string, body?: unknown, as?: TestPerson) => {
    const answer = await service.api('POST', path, {
      ...(body === undefined ? {} : { body }),
      ...(as === undefined ? {} : { as }),
    })
    return { ...answer, code: answer.body?.error?.code as string | undefined }
  }
  const set = async (type: string, body: object): Promise<void> => {
    const answer = await service.api('PATCH', `/methods/${type}`, { as: admin, body })
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
  }
  const makes = {
    attestation: 'direct',
    allowedAaguids: [YUBIKEY.toUpperCase()],
    get attestationRoots() {
      return [maker.rootPem]
    },
  }
  const asBefore = () =>
    Promise.all(['passkey', 'security_key'].map((type) => set(type, { options: {}, enabled: true })))
  afterEach(asBefore)

  type How = Parameters<SoftPasskey['create']>[1]
  const add = async (person: TestPerson, key: SoftPasskey, kind: string | undefined, how?: How) => {
    const { body } = await post('/me/methods/passkey/options', kind === undefined ? {} : { kind }, person)
    const credential = key.create(body.publicKey, how)
    return post('/me/methods/passkey/verify', { ceremonyId: body.ceremonyId, credential }, person)
  }
  const signIn = async (key: SoftPasskey, userId: string, verified: boolean) => {
    const { body } = await post('/auth/passkey/options', {})
    const credential = key.get(body.publicKey, userId, { verified })
    const answer = await post('/auth/passkey/verify', { ceremonyId: body.ceremonyId, credential })
    return { ...answer, userVerification: body.publicKey.userVerification as string }
  }
  const securityKey = (aaguid?: string) =>
    softPasskey(service.publicUrl, { kind: 'security_key', ...(aaguid === undefined ? {} : { aaguid }) })

  it('SGN-01 the offer of a security key requests a portable authenticator', async () => {
    const person = await service.person()
    const { body } = await post('/me/methods/passkey/options', { kind: 'security_key' }, person)
    expect(body.publicKey.authenticatorSelection).to.deep.include({
      authenticatorAttachment: 'cross-platform',
      residentKey: 'required',
      userVerification: 'required',
    })
    expect(body.publicKey.hints).to.deep.equal(['security-key'])
    expect(body.publicKey.attestation).to.equal('none')
    const plain = await post('/me/methods/passkey/options', undefined, person)
    expect(plain.body.publicKey.authenticatorSelection).not.to.have.property('authenticatorAttachment')
    expect((await post('/me/methods/passkey/options', { kind: 'fingerprint' }, person)).code).to.equal(
      'ERR_INVALID',
    )
  })

  it('SGN-01 one is added as such, whatever was offered, and signs in as such', async () => {
    const person = await service.person()
    const first = securityKey()
    const added = await add(person, first, 'security_key')
    expect(added.status, JSON.stringify(added.body)).to.equal(201)
    expect(added.body.type).to.equal('security_key')
    expect((await add(person, securityKey(), undefined)).body.type).to.equal('security_key')
    expect((await add(person, softPasskey(service.publicUrl), 'security_key')).body.type).to.equal('passkey')
    expect((await signIn(first, person.userId, true)).status).to.equal(200)
  })

  it('SGN-01 an invited user may start with one', async () => {
    const { enrollUrl, userId } = await userCommands(service.core.services).invite(
      { profile: { name: 'Ada', email: 'first-key@example.com' }, source: 'local' },
      system,
    )
    const path = `/auth/enroll/${enrollUrl.split('/').at(-1) ?? ''}/passkey`
    const { body } = await post(`${path}/options`, { kind: 'security_key' })
    expect(body.publicKey.hints).to.deep.equal(['security-key'])
    const answer = await post(path, {
      ceremonyId: body.ceremonyId,
      credential: securityKey().create(body.publicKey),
    })
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    const [method] = await methodsOf(service.core.services.pool, userId)
    expect(method?.type).to.equal('security_key')
  })

  it('SGN-01 user verification may be omitted by security keys if it is preferred, and appears in amr', async () => {
    const person = await service.person()
    const key = securityKey()
    const refused = await add(person, key, 'security_key', { verified: false })
    expect(refused.code).to.equal('ERR_REGISTRATION_FAILED')

    await set('security_key', { options: { userVerification: 'preferred' } })
    const offer = await post('/me/methods/passkey/options', { kind: 'security_key' }, person)
    expect(offer.body.publicKey.authenticatorSelection.userVerification).to.equal('preferred')
    expect((await add(person, key, 'security_key', { verified: false })).status).to.equal(201)
    // A passkey, and a key that responds to a request for one, must verify the user.
    expect((await add(person, securityKey(), undefined, { verified: false })).code).to.equal(
      'ERR_REGISTRATION_FAILED',
    )
    const passkey = softPasskey(service.publicUrl)
    expect((await add(person, passkey, 'security_key', { verified: false })).code).to.equal(
      'ERR_REGISTRATION_FAILED',
    )
    expect((await add(person, passkey, undefined)).status).to.equal(201)

    const amrOf = async ({ headers }: { headers: Headers }): Promise<string[]> => {
      const cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? ''
      const sessions = await service.api('GET', '/me/sessions', { headers: { Cookie: cookie } })
      return sessions.body.find(({ current }: { current: boolean }) => current).amr
    }
    const unverified = await signIn(key, person.userId, false)
    expect([unverified.status, unverified.userVerification]).to.deep.equal([200, 'preferred'])
    expect(await amrOf(unverified)).to.deep.equal(['hwk'])
    expect(await amrOf(await signIn(key, person.userId, true))).to.deep.equal(['hwk', 'user'])
    expect((await signIn(passkey, person.userId, false)).code).to.equal('ERR_PASSKEY_REJECTED')
    expect((await signIn(passkey, person.userId, true)).status).to.equal(200)

    await set('security_key', { options: {} })
    const strict = await signIn(key, person.userId, false)
    expect([strict.code, strict.userVerification]).to.deep.equal(['ERR_PASSKEY_REJECTED', 'required'])
  })

  it('SGN-01 if models are required, keys without a model or with another one are rejected with its name', async () => {
    const person = await service.person()
    await set('security_key', { options: makes })
    const offer = await post('/me/methods/passkey/options', { kind: 'security_key' }, person)
    expect(offer.body.publicKey.attestation).to.equal('direct')

    const silent = await add(person, securityKey(YUBIKEY), 'security_key')
    expect(silent.code).to.equal('ERR_REGISTRATION_FAILED')
    expect(silent.body.error.message).to.contain(YUBIKEY).and.contain('does not prove')
    const other = await add(person, securityKey(OTHER), 'security_key', {
      attestation: await maker.batch(OTHER),
    })
    expect(other.code).to.equal('ERR_REGISTRATION_FAILED')
    expect(other.body.error.message).to.contain(OTHER)
    const right = await add(person, securityKey(YUBIKEY), 'security_key', {
      attestation: await maker.batch(YUBIKEY),
    })
    expect(right.status, JSON.stringify(right.body)).to.equal(201)

    // A user may respond to a passkey prompt with a security key, so it requests attestation too; passkeys need no
    // model.
    const plain = await post('/me/methods/passkey/options', {}, person)
    expect(plain.body.publicKey.attestation).to.equal('direct')
    expect((await add(person, softPasskey(service.publicUrl), undefined)).status).to.equal(201)
    expect((await add(person, securityKey(OTHER), undefined)).code).to.equal('ERR_REGISTRATION_FAILED')
  })

  it('SGN-01 no key proves its model without a certificate that chains to a root of the organization', async () => {
    const person = await service.person()
    await set('security_key', { options: makes })
    const stranger = await attestationMaker('Stranger')
    const expired = await attestationMaker('Expired', { notAfter: new Date(Date.now() - 1000) })
    const forged = await attestationMaker('Forged', { forgedAuthority: true })
    await set('security_key', {
      options: { ...makes, attestationRoots: [maker.rootPem, expired.rootPem, forged.rootPem] },
    })
    const genuine = await maker.batch(YUBIKEY)
    const software = await stranger.batch(YUBIKEY)
    const claims = {
      'signed with the new key itself': 'self',
      'a certificate of an unknown manufacturer': software,
      'an expired intermediate': await expired.batch(YUBIKEY),
      'an intermediate that is not a CA': await forged.batch(YUBIKEY),
      'a certificate without its issuer': { ...genuine, x5c: genuine.x5c.slice(0, 1) },
      "a manufacturer's chain with a certificate of another one": {
        ...software,
        x5c: [...software.x5c, ...genuine.x5c],
      },
    } as const
    for (const [what, attestation] of Object.entries(claims)) {
      const answer = await add(person, securityKey(YUBIKEY), 'security_key', { attestation })
      expect(answer.code, what).to.equal('ERR_REGISTRATION_FAILED')
    }
    const answer = await add(person, securityKey(YUBIKEY), 'security_key', { attestation: genuine })
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
  })

  it('SGN-01 a statement that fails verification is rejected', async () => {
    const person = await service.person()
    await set('security_key', { options: { attestation: 'direct', attestationRoots: [maker.rootPem] } })
    const attestation = await maker.batch(OTHER)
    const { body } = await post('/me/methods/passkey/options', { kind: 'security_key' }, person)
    const credential = securityKey(OTHER).create(
      { ...body.publicKey, challenge: body.publicKey.challenge },
      { attestation },
    ) as { response: { attestationObject: string } }
    const bytes = Buffer.from(credential.response.attestationObject, 'base64url')
    const at = bytes.indexOf(Buffer.from('sig')) + 40
    bytes[at] = (bytes[at] ?? 0) ^ 1
    credential.response.attestationObject = bytes.toString('base64url')
    const answer = await post(
      '/me/methods/passkey/verify',
      { ceremonyId: body.ceremonyId, credential },
      person,
    )
    expect(answer.code).to.equal('ERR_REGISTRATION_FAILED')
    expect((await add(person, securityKey(OTHER), 'security_key', { attestation })).status).to.equal(201)
  })

  it('SGN-01 if disabled, they can neither be added nor used; passkeys still work', async () => {
    const person = await service.person()
    const key = securityKey()
    const passkey = softPasskey(service.publicUrl)
    expect((await add(person, key, 'security_key')).status).to.equal(201)
    expect((await add(person, passkey, undefined)).status).to.equal(201)
    await set('security_key', { enabled: false })
    const offer = await post('/me/methods/passkey/options', { kind: 'security_key' }, person)
    expect(offer.code).to.equal('ERR_FORBIDDEN')
    expect(offer.body.error.message).to.match(/^Security keys are disabled/)
    expect((await add(person, securityKey(), undefined)).code).to.equal('ERR_FORBIDDEN')
    expect((await signIn(key, person.userId, true)).code).to.equal('ERR_PASSKEY_REJECTED')
    expect((await signIn(passkey, person.userId, true)).status).to.equal(200)
  })
})
