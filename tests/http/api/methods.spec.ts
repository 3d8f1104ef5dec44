import { expect } from 'chai'
import { methodTypes } from '../../../domain/method-settings/decider.ts'
import { userDecider, userStream } from '../../../domain/user/decider.ts'
import { newId } from '../../../adapters/kernel/ids.ts'
import { system, type TestPerson } from '../../support/service/service.ts'
import { attestationMaker } from '../../support/sign-in/attestation-maker.ts'
import { softPasskey } from '../../support/sign-in/soft-passkey.ts'
import { until } from '../../support/until.ts'
import { refusal, startPlace, success, type Json, type Place } from './support.ts'

describe('settings of sign-in methods', function () {
  this.timeout(60_000)
  let place: Place
  before(async () => {
    place = await startPlace()
  })
  after(() => place.service.stop())
  afterEach(async () => {
    for (const type of methodTypes)
      success(await place.send('PATCH', `/methods/${type}`, { enabled: true, allowedGroupIds: null }))
  })

  const set = (type: string, body: object, headers = {}) =>
    place.send('PATCH', `/methods/${type}`, body, headers)
  const group = async (name: string): Promise<string> =>
    success(await place.send('POST', '/groups', { name }), 201).id
  const post = (path: string, body: object = {}, as?: TestPerson) =>
    place.service.api('POST', path, { body, ...(as === undefined ? {} : { as }) })
  const withPasskey = async () => {
    const person = await place.service.person()
    const passkey = softPasskey(place.service.publicUrl)
    const { body } = await post('/me/methods/passkey/options', {}, person)
    const credential = passkey.create(body.publicKey)
    success(
      await post('/me/methods/passkey/verify', { ceremonyId: body.ceremonyId, credential }, person),
      201,
    )
    const signIn = async () => {
      const offer = (await post('/auth/passkey/options')).body
      return post('/auth/passkey/verify', {
        ceremonyId: offer.ceremonyId,
        credential: passkey.get(offer.publicKey, person.userId),
      })
    }
    return { person, signIn }
  }
  /** Attempts are recorded after the response. */
  const sawRefusal = ({ userId }: TestPerson): Promise<void> =>
    until(
      async () => {
        const rows: Json[] = success(await place.send('GET', `/sign-ins?userId=${userId}&result=failure`))
        return rows.some(({ reason }) => reason === 'method_not_allowed')
      },
      10_000,
      'a sign-in event',
    )

  it('SGN-01 all are listed with their current settings', async () => {
    const listed: Json[] = success(await place.send('GET', '/methods'))
    expect(listed.map(({ type }) => type)).to.deep.equal(methodTypes)
    expect(listed[0]).to.deep.include({ type: 'passkey', enabled: true, allowedGroupIds: null })
    expect(listed[0].options).to.deep.equal({
      attestation: 'none',
      attestationRoots: [],
      allowedAaguids: [],
      userVerification: 'required',
    })
  })

  it('API-03 SGN-01 a change returns the current settings, with the version of all settings', async () => {
    const { version } = success(await place.send('GET', '/methods'))[0]
    const { rootPem } = await attestationMaker('Yubico')
    const options = {
      attestation: 'direct',
      attestationRoots: [`\n${rootPem.replaceAll('\n', '\r\n')}\n`],
      allowedAaguids: ['CB69481E-8FF7-4039-93EC-0A2729A154A8'],
    }
    const changed = success(await set('security_key', { options }, { 'If-Match': `"${String(version)}"` }))
    expect(changed.options).to.deep.equal({
      attestation: 'direct',
      attestationRoots: [`${rootPem.trim()}\n`],
      allowedAaguids: ['cb69481e-8ff7-4039-93ec-0a2729a154a8'],
      userVerification: 'required',
    })
    expect(changed.version).to.equal(Number(version) + 1)
    const stale = await set('magic_link', { enabled: false }, { 'If-Match': `"${String(version)}"` })
    refusal(stale, 412, 'ERR_STALE')
    expect(success(await set('security_key', { options: {} })).options.attestation).to.equal('none')
    refusal(
      await set('passkey', { options: { userVerification: 'preferred' } }),
      422,
      'ERR_INVALID',
      '/options/userVerification',
    )
    refusal(
      await set('passkey', {
        options: { attestation: 'direct', attestationRoots: [rootPem], allowedAaguids: ['x'] },
      }),
      422,
      'ERR_INVALID',
      '/options/allowedAaguids/0',
    )
    refusal(
      await set('passkey', { options: { allowedAaguids: ['cb69481e-8ff7-4039-93ec-0a2729a154a8'] } }),
      422,
      'ERR_INVALID',
      '/options/allowedAaguids',
    )
    refusal(
      await set('passkey', { options: { attestation: 'direct', attestationRoots: [rootPem, 'x'] } }),
      422,
      'ERR_INVALID',
      '/options/attestationRoots/1',
    )
    refusal(
      await set('passkey', { options: { attestation: 'direct' } }),
      422,
      'ERR_INVALID',
      '/options/attestationRoots',
    )
    refusal(await set('passkey', { enabled: 'no' }), 422, 'ERR_INVALID', '/enabled')
    refusal(await set('password', { enabled: false }), 404, 'ERR_NOT_FOUND')
  })

  it('SGN-01 groups must exist, and cannot be deleted while they are used', async () => {
    const staff = await group('Staff with magic')
    const gone = `grp_${'0'.repeat(26)}`
    refusal(
      await set('magic_link', { allowedGroupIds: [staff, gone] }),
      422,
      'ERR_INVALID',
      '/allowedGroupIds/1',
    )
    success(await set('magic_link', { allowedGroupIds: [staff] }))
    expect(refusal(await place.send('DELETE', `/groups/${staff}`), 409, 'ERR_CONFLICT')).to.contain(
      'magic link',
    )
    success(await set('magic_link', { allowedGroupIds: null }))
    success(await place.send('DELETE', `/groups/${staff}`), 204)
  })

  it('SGN-05 no administrator is left without a sign-in method, unless forced', async () => {
    const message = refusal(await set('passkey', { enabled: false }), 409, 'ERR_CONFLICT')
    expect(message).to.contain('grace@example.com')
    expect(success(await set('passkey', { enabled: false, force: true })).enabled).to.equal(false)
    for (const type of ['security_key', 'authenticator_code', 'identity_provider'])
      success(await set(type, { enabled: false }))
    refusal(await set('magic_link', { enabled: false, force: true }), 409, 'ERR_CONFLICT')
  })

  it('SGN-01 a disabled method is not offered, cannot be added and does not sign in', async () => {
    const { person, signIn } = await withPasskey()
    success(await signIn())
    success(await set('passkey', { enabled: false, force: true }))
    expect((await place.service.api('GET', '/auth/methods')).body.methods).not.to.include('passkey')
    refusal(await signIn(), 401, 'ERR_PASSKEY_REJECTED')
    await sawRefusal(person)
    expect(refusal(await post('/me/methods/passkey/options', {}, person), 403, 'ERR_FORBIDDEN')).to.match(
      /^Passkeys/,
    )
    const invited = success(
      await place.send('POST', '/users', { email: 'off@example.com', name: 'Off' }),
      201,
    )
    const token = String(invited.enrollUrl).split('/').at(-1) ?? ''
    const link = success(await place.service.api('GET', `/auth/enroll/${token}`))
    expect(link.allowedMethods).to.deep.equal(['security_key', 'authenticator_code'])
    refusal(await post(`/auth/enroll/${token}/passkey/options`), 403, 'ERR_FORBIDDEN')
    success(await place.service.api('GET', '/me', { as: person }))
  })

  it('SGN-01 a method for a group is for its current members, including invited ones', async () => {
    const members = await group('Those with passkeys')
    const { person, signIn } = await withPasskey()
    success(await set('passkey', { allowedGroupIds: [members], force: true }))
    refusal(await signIn(), 401, 'ERR_PASSKEY_REJECTED')
    success(await place.send('PUT', `/groups/${members}/members/${person.userId}`, {}), 204)
    success(await signIn())
    success(await place.send('DELETE', `/groups/${members}/members/${person.userId}`), 204)
    refusal(await signIn(), 401, 'ERR_PASSKEY_REJECTED')
    const invited = success(await place.send('POST', '/users', { email: 'in@example.com', name: 'In' }), 201)
    const token = String(invited.enrollUrl).split('/').at(-1) ?? ''
    refusal(await post(`/auth/enroll/${token}/passkey/options`), 403, 'ERR_FORBIDDEN')
    success(await place.send('PUT', `/groups/${members}/members/${String(invited.id)}`, {}), 204)
    success(await post(`/auth/enroll/${token}/passkey/options`))
  })

  it('SGN-02 codes of disabled methods are wrong codes, and recovery codes are not used up', async () => {
    const person = await place.service.person()
    const { recoveryCodes } = success(await post('/me/methods/recovery-codes', {}, person), 201)
    const type = (code: string) => post('/auth/code', { email: person.email, code })
    success(await set('recovery_codes', { enabled: false }))
    refusal(await type(recoveryCodes[0]), 401, 'ERR_CODE_MISMATCH')
    await sawRefusal(person)
    refusal(await post('/me/methods/recovery-codes', {}, person), 403, 'ERR_FORBIDDEN')
    success(await set('authenticator_code', { enabled: false }))
    refusal(await post('/me/methods/authenticator', {}, person), 403, 'ERR_FORBIDDEN')
    success(await set('recovery_codes', { enabled: true }))
    success(await type(recoveryCodes[0]))
  })

  it('AUT-05 administrators need a passkey unless the settings say otherwise: their other sessions have no roles', async () => {
    const { service, admin } = place
    const auditor = await service.person({}, ['auditor'])
    const weak = await service.signIn(auditor.userId, auditor.email, { methods: ['authenticator_code'] })
    const weakAdmin = await service.signIn(admin.userId, admin.email, { methods: ['authenticator_code'] })
    refusal(await place.as(weak)('GET', '/users'), 403, 'ERR_STRONGER_AUTH_REQUIRED')
    refusal(await place.as(weak)('POST', '/groups', { name: 'x' }), 403, 'ERR_FORBIDDEN')
    success(await place.as(weak)('GET', '/me'))
    success(await place.as(auditor)('GET', '/users'))
    success(await place.send('PATCH', '/settings', { requireStrongForAdmins: false }))
    success(await place.as(weak)('GET', '/users'))
    refusal(
      await place.as(weakAdmin)('PATCH', '/settings', { requireStrongForAdmins: true }),
      403,
      'ERR_STRONGER_AUTH_REQUIRED',
    )
    success(await place.send('PATCH', '/settings', { requireStrongForAdmins: true }))
    refusal(await place.as(weak)('GET', '/users'), 403, 'ERR_STRONGER_AUTH_REQUIRED')
  })

  it('API-03 settings of codes and links have limits, and the lockout is replaced as a whole', async () => {
    const pci = { maxAttempts: 10, windowMinutes: 30, lockoutMinutes: 30 }
    const changed = success(await place.send('PATCH', '/settings', { codeLockout: pci, magicLinkMinutes: 5 }))
    expect(changed).to.deep.include({ codeLockout: pci, magicLinkMinutes: 5, requireStrongForAdmins: true })
    const wrong: [object, string][] = [
      [{ codeLockout: { ...pci, maxAttempts: 2 } }, '/codeLockout/maxAttempts'],
      [{ codeLockout: { maxAttempts: 5 } }, '/codeLockout/windowMinutes'],
      [{ magicLinkMinutes: 61 }, '/magicLinkMinutes'],
    ]
    for (const [body, field] of wrong)
      refusal(await place.send('PATCH', '/settings', body), 422, 'ERR_INVALID', field)
    refusal(await place.send('PATCH', '/settings', { codeLockout: null }), 422, 'ERR_INVALID', '/codeLockout')
  })

  it('SGN-05 a linked account counts as a sign-in method for an administrator who needs no passkey', async () => {
    const { handle } = place.service.core.services
    const { userId } = place.admin
    const account = {
      linkId: newId('linkedAccount'),
      identityProviderId: newId('identityProvider'),
      subject: 's',
      email: null,
    }
    await handle(userDecider, userStream(userId), { type: 'link_account', userId, account }, system)
    refusal(await set('passkey', { enabled: false }), 409, 'ERR_CONFLICT')
    success(await place.send('PATCH', '/settings', { requireStrongForAdmins: false }))
    success(await set('passkey', { enabled: false }))
    refusal(await set('identity_provider', { enabled: false }), 409, 'ERR_CONFLICT')
    success(await set('passkey', { enabled: true }))
    success(await place.send('PATCH', '/settings', { requireStrongForAdmins: true }))
    const { linkId } = account
    await handle(
      userDecider,
      userStream(userId),
      { type: 'unlink_account', userId, linkId, by: 'self', enabledProviderIds: [] },
      system,
    )
  })
})
