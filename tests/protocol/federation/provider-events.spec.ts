import { expect } from 'chai'
import { SignJWT, UnsecuredJWT, generateKeyPair, type JWTPayload } from 'jose'
import { audited } from '../../support/audit/audit.ts'
import type { PlainBrowser } from '../../support/federation/browser.ts'
import { DOMAIN, federationPlace, type FederationPlace } from '../../support/federation/place.ts'

const LOGOUT = 'http://schemas.openid.net/event/backchannel-logout'
const SESSION_REVOKED = 'https://schemas.openid.net/secevent/caep/event-type/session-revoked'
const ACCOUNT_DISABLED = 'https://schemas.openid.net/secevent/risc/event-type/account-disabled'

describe('Sign-out at an OpenID provider', function () {
  this.timeout(60_000)
  let place: FederationPlace
  before(async () => {
    place = await federationPlace()
  })
  after(() => place.stop())
  let people = 0

  /** Somebody who has signed in with the provider, in one session there. */
  const arrived = async (sub = `sub-${String(++people)}`, sid?: string): Promise<PlainBrowser> => {
    place.provider.claims = {
      ...{ sub, email: `${sub}@${DOMAIN}`, email_verified: true, name: 'Someone' },
      ...(sid === undefined ? {} : { sid }),
    }
    const { to, browser } = await place.signIn()
    expect(to).to.equal('/account')
    return browser
  }
  const isSignedIn = async (browser: PlainBrowser): Promise<boolean> =>
    (await browser.open(`${place.service.publicUrl}/api/v1/me`)).status === 200

  const now = (): number => Math.floor(Date.now() / 1000)
  const usual = (): JWTPayload => ({
    iss: place.provider.issuer,
    aud: place.provider.clientId,
    iat: now(),
    exp: now() + 120,
    jti: crypto.randomUUID(),
  })
  const signed = (claims: JWTPayload, typ = 'logout+jwt'): Promise<string> =>
    new SignJWT({ ...usual(), ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: place.provider.key().kid, typ })
      .sign(place.provider.key().privateKey)

  const post = async (path: string, type: string, body: string) => {
    const response = await fetch(place.service.publicUrl + path, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body,
    })
    const text = await response.text()
    expect(response.headers.get('cache-control')).to.equal('no-store')
    return {
      status: response.status,
      body: text === '' ? null : (JSON.parse(text) as Record<string, string>),
    }
  }
  const logout = (token: string, id = String(place.record.id)) =>
    post(
      `/oauth2/providers/${id}/backchannel-logout`,
      'application/x-www-form-urlencoded',
      new URLSearchParams({ logout_token: token }).toString(),
    )
  const push = (token: string) =>
    post(`/ssf/providers/${String(place.record.id)}/events`, 'application/secevent+jwt', token)
  const events = { [LOGOUT]: {} }

  it('SGN-04 ends the sessions of the user, at once and nobody else’s', async () => {
    const [ada, other] = [await arrived('ada'), await arrived()]
    const own = await place.service.person()
    expect(await logout(await signed({ sub: 'ada', events }))).to.deep.equal({ status: 200, body: null })
    expect([await isSignedIn(ada), await isSignedIn(other)]).to.deep.equal([false, true])
    expect((await place.service.api('GET', '/me', { as: own })).status).to.equal(200)
    await audited(place.service)
    const ended = await place.send('GET', '/audit?action=session.end&limit=1')
    expect(ended.body[0]).to.include({ actorId: null, outcome: 'success' })
    expect(ended.body[0].credential).to.deep.equal({ type: 'identity_provider', id: place.record.id })
  })

  it('SGN-04 ends one session if the token names it, with or without the user', async () => {
    const [first, second] = [await arrived('grace', 's1'), await arrived('grace', 's2')]
    expect((await logout(await signed({ sub: 'grace', sid: 's1', events }))).status).to.equal(200)
    expect([await isSignedIn(first), await isSignedIn(second)]).to.deep.equal([false, true])
    expect((await logout(await signed({ sid: 's2', events }))).status).to.equal(200)
    expect(await isSignedIn(second)).to.equal(false)
    const third = await arrived('grace', 's3')
    expect((await logout(await signed({ sub: 'hedy', sid: 's3', events }))).status).to.equal(200)
    expect(await isSignedIn(third)).to.equal(true)
  })

  it('SGN-04 ends a session whose name at the provider is unknown together with the user’s others', async () => {
    const browser = await arrived('mary')
    expect((await logout(await signed({ sub: 'mary', sid: 'unknown', events }))).status).to.equal(200)
    expect(await isSignedIn(browser)).to.equal(false)
  })

  it('SGN-04 a token that is sent again ends nothing that began after it', async () => {
    const token = await signed({ sub: 'again', iat: now() - 60, events })
    expect((await logout(token)).status).to.equal(200)
    const browser = await arrived('again')
    expect((await logout(token)).status).to.equal(200)
    expect(await isSignedIn(browser)).to.equal(true)
  })

  it('SGN-04 RISK-06 session-revoked and account-disabled events end the sessions of their subject', async () => {
    const { issuer } = place.provider
    const subject = (sub: string) => ({ format: 'iss_sub', iss: issuer, sub })
    for (const claims of [
      { sub_id: subject('caep'), events: { [SESSION_REVOKED]: { event_timestamp: now() } } },
      { sub_id: { format: 'complex', user: subject('caep') }, events: { [SESSION_REVOKED]: {} } },
      {
        events: {
          [ACCOUNT_DISABLED]: { subject: { ...subject('caep'), format: undefined, subject_type: 'iss-sub' } },
        },
      },
    ]) {
      const browser = await arrived('caep')
      expect(await push(await signed(claims, 'secevent+jwt'))).to.deep.equal({ status: 202, body: null })
      expect(await isSignedIn(browser)).to.equal(false)
    }
    const browser = await arrived('caep')
    for (const claims of [
      { sub_id: { ...subject('caep'), iss: 'https://elsewhere.example' }, events: { [SESSION_REVOKED]: {} } },
      { sub_id: subject('caep'), events: { 'https://example.com/other': {} } },
      { sub_id: { format: 'email', email: `caep@${DOMAIN}` }, events: { [SESSION_REVOKED]: {} } },
    ])
      expect((await push(await signed(claims, 'secevent+jwt'))).status).to.equal(202)
    expect(await isSignedIn(browser)).to.equal(true)
  })

  it('SGN-04 refuses every token that is not exactly that of the provider for this service', async () => {
    const browser = await arrived('victim')
    const claims = { ...usual(), sub: 'victim', events }
    const stranger = await generateKeyPair('RS256')
    const { kid } = place.provider.key()
    const header = { alg: 'RS256', kid, typ: 'logout+jwt' }
    const secret = new TextEncoder().encode(place.provider.clientSecret.padEnd(64, '!'))
    const attacks: readonly (readonly [string, Promise<string> | string, string])[] = [
      [
        'another key',
        new SignJWT(claims).setProtectedHeader(header).sign(stranger.privateKey),
        'invalid_key',
      ],
      [
        'an unknown key id',
        new SignJWT(claims).setProtectedHeader({ ...header, kid: 'x' }).sign(stranger.privateKey),
        'invalid_key',
      ],
      ['no signature', new UnsecuredJWT(claims).encode(), 'invalid_request'],
      [
        'a shared secret',
        new SignJWT(claims).setProtectedHeader({ ...header, alg: 'HS256' }).sign(secret),
        'invalid_request',
      ],
      ['another issuer', signed({ ...claims, iss: 'https://elsewhere.example' }), 'invalid_issuer'],
      ['another audience', signed({ ...claims, aud: 'another-client' }), 'invalid_audience'],
      ['an expired token', signed({ ...claims, exp: now() - 120 }), 'invalid_request'],
      ['an old token', signed({ ...claims, iat: now() - 3600 }), 'invalid_request'],
      ['a token of the future', signed({ ...claims, iat: now() + 3600 }), 'invalid_request'],
      ['a nonce', signed({ ...claims, nonce: 'x' }), 'invalid_request'],
      ['an ID token', signed({ sub: 'victim', nonce: 'n' }, 'JWT'), 'invalid_request'],
      ['no event', signed({ ...claims, events: {} }), 'invalid_request'],
      ['nobody', signed({ events }), 'invalid_request'],
      ['no id of its own', signed({ ...claims, jti: undefined as never }), 'invalid_request'],
      ['a security event token', signed(claims, 'secevent+jwt'), 'invalid_request'],
      ['an access token', signed(claims, 'at+jwt'), 'invalid_request'],
      ['no token', 'x.y.z', 'invalid_request'],
    ]
    for (const [what, token, error] of attacks) {
      const { status, body } = await logout(await token)
      expect(status, what).to.equal(400)
      expect(body?.['error'], what).to.equal(error)
      expect(await isSignedIn(browser), what).to.equal(true)
    }
    for (const id of ['idp_01JZ0000000000000000000000', 'x'])
      expect((await logout(await signed(claims), id)).status).to.equal(400)
    expect((await push(await signed(claims))).status).to.equal(400)
    expect(await isSignedIn(browser)).to.equal(true)
    expect((await logout(await signed(claims))).status).to.equal(200)
    expect(await isSignedIn(browser)).to.equal(false)
  })

  it('SGN-04 accepts a token that is signed with a rotated key', async () => {
    const fresh = await federationPlace()
    const before = place
    place = fresh
    try {
      const browser = await arrived('rotated')
      await place.provider.rotate()
      expect((await logout(await signed({ sub: 'rotated', events }))).status).to.equal(200)
      expect(await isSignedIn(browser)).to.equal(false)
    } finally {
      place = before
      await fresh.stop()
    }
  })
})
