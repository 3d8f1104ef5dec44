import { expect } from 'chai'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose'
import { plainBrowser } from '../../support/federation/browser.ts'
import { DOMAIN, federationPlace, type FederationPlace } from '../../support/federation/place.ts'
import { success, type Json } from '../../http/api/support.ts'

describe('attacks on the sign-in with an OpenID provider', function () {
  this.timeout(60_000)
  let place: FederationPlace
  before(async () => {
    place = await federationPlace()
  })
  after(() => place.stop())
  beforeEach(() => {
    place.provider.claims = { sub: 'ada', email: `ada@${DOMAIN}`, email_verified: true }
  })
  afterEach(() => {
    place.provider.reset()
  })

  const FAILED = '/sign-in?error=ERR_PROVIDER_FAILED'
  const now = () => Math.floor(Date.now() / 1000)

  const tokens: [string, (claims: JWTPayload) => JWTPayload][] = [
    ['another audience', (claims) => ({ ...claims, aud: 'another client' })],
    [
      'our client among audiences, issued to another',
      (claims) => ({ ...claims, aud: ['us', 'other'], azp: 'other' }),
    ],
    ['another issuer', (claims) => ({ ...claims, iss: 'https://accounts.google.com' })],
    ['another nonce', (claims) => ({ ...claims, nonce: 'of another request' })],
    ['no nonce', ({ nonce: _, ...claims }) => claims],
    ['no subject', ({ sub: _, ...claims }) => claims],
    ['an empty subject', (claims) => ({ ...claims, sub: '' })],
    ['a subject that no store keeps', (claims) => ({ ...claims, sub: 'a\u0000b' })],
    ['a subject that is too long', (claims) => ({ ...claims, sub: 'x'.repeat(256) })],
    ['an expired token', (claims) => ({ ...claims, iat: now() - 600, exp: now() - 120 })],
    ['a token for later', (claims) => ({ ...claims, nbf: now() + 600 })],
  ]
  for (const [what, alter] of tokens)
    it(`SGN-04 ${what} is refused`, async () => {
      place.provider.alter = alter
      const { to, browser } = await place.signIn()
      expect(to).to.equal(FAILED)
      expect(browser.has('svc_session')).to.equal(false)
    })

  it('SGN-04 a clock that is a little wrong is accepted', async () => {
    place.provider.alter = (claims) => ({ ...claims, iat: now() + 20, exp: now() - 10 })
    expect((await place.signIn()).to).to.equal('/account')
  })

  const signatures: [string, (claims: JWTPayload) => Promise<string>][] = [
    ['an unsigned token', (claims) => Promise.resolve(new UnsecuredJWT(claims).encode())],
    [
      'a token signed with the client secret',
      (claims) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256' })
          .sign(new TextEncoder().encode(place.provider.clientSecret)),
    ],
    [
      'a token signed with the public key as a secret',
      async (claims) => {
        const { n = '' } = await exportJWK(place.provider.key().publicKey)
        return new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256', kid: place.provider.key().kid })
          .sign(Buffer.from(n, 'base64url'))
      },
    ],
    [
      'a token signed with a foreign key of the same id',
      async (claims) => {
        const { privateKey } = await generateKeyPair('RS256')
        return new SignJWT(claims)
          .setProtectedHeader({ alg: 'RS256', kid: place.provider.key().kid })
          .sign(privateKey)
      },
    ],
    [
      'a token with a key of its own',
      async (claims) => {
        const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
        const jwk = await exportJWK(publicKey)
        return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', jwk }).sign(privateKey)
      },
    ],
  ]
  for (const [what, sign] of signatures)
    it(`SGN-04 ${what} is refused`, async () => {
      place.provider.sign = sign
      const { to, browser } = await place.signIn()
      expect(to).to.equal(FAILED)
      expect(browser.has('svc_session')).to.equal(false)
    })

  const responses: [string, (parameters: URLSearchParams) => void, string][] = [
    ['the issuer of another provider (mix-up)', (sent) => sent.set('iss', 'https://evil.example'), FAILED],
    ['no issuer, though the provider sends one', (sent) => sent.delete('iss'), FAILED],
    ['a code that was never issued', (sent) => sent.set('code', 'stolen'), FAILED],
    ['no code', (sent) => sent.delete('code'), FAILED],
    // Not a redirect: the request itself is invalid.
    ['two codes', (sent) => sent.append('code', 'second'), ''],
    ['another state', (sent) => sent.set('state', 'x'.repeat(43)), '/sign-in?error=ERR_PROVIDER_STATE'],
    ['no state', (sent) => sent.delete('state'), '/sign-in?error=ERR_PROVIDER_STATE'],
    [
      'a refusal',
      (sent) => {
        sent.delete('code')
        sent.set('error', 'access_denied')
      },
      '/sign-in?error=ERR_PROVIDER_DENIED',
    ],
  ]
  for (const [what, respond, to] of responses)
    it(`SGN-04 a response with ${what} starts no session`, async () => {
      place.provider.respond = respond
      const { to: ended, browser } = await place.signIn()
      expect(ended).to.equal(to)
      expect(browser.has('svc_session')).to.equal(false)
    })

  it('SGN-04 a response works once, and only in the browser that asked for it', async () => {
    const { service, leave, browser } = place
    const { publicUrl } = service.core.services
    const victim = browser()
    const back = await leave(victim)
    const thief = plainBrowser(publicUrl)
    expect((await thief.open(back)).location).to.equal(`${publicUrl}/sign-in?error=ERR_PROVIDER_STATE`)
    expect(thief.has('svc_session')).to.equal(false)
    const flow = victim.cookies()
    expect((await victim.open(back)).location).to.equal(`${publicUrl}/account`)
    const replay = browser()
    for (const pair of flow.split('; ')) {
      const [name = '', value = ''] = pair.split('=')
      replay.set(name, value)
    }
    expect((await replay.open(back)).location).to.equal(`${publicUrl}${FAILED}`)
    expect(replay.has('svc_session')).to.equal(false)
  })

  it('SGN-04 a response for one provider is refused at another', async () => {
    const { service, leave, browser, send, provider, record } = place
    const { publicUrl } = service.core.services
    const { issuer, clientId, clientSecret } = provider
    const second: Json = success(
      await send('POST', '/identity-providers', {
        ...{ type: 'oidc', name: 'Second', issuer, clientId, clientSecret },
      }),
      201,
    )
    const from = browser()
    const back = await leave(from)
    const elsewhere = back.replace(record.id, second.id)
    expect((await from.open(elsewhere)).location).to.equal(`${publicUrl}/sign-in?error=ERR_PROVIDER_STATE`)
    success(await send('DELETE', `/identity-providers/${second.id}`), 204)
  })

  it('SGN-04 a provider that rotates its keys goes on, and one that fails starts no session', async () => {
    const { provider, signIn, service, browser } = place
    const { publicUrl } = service.core.services
    expect((await signIn()).to).to.equal('/account')
    await provider.rotate()
    // The keys in memory are younger than their lifetime: the first token with the new key makes the service read them.
    await signIn()
    expect((await signIn()).to).to.equal('/account')
    const from = browser()
    const back = await place.leave(from)
    provider.failing = 500
    expect((await from.open(back)).location).to.equal(`${publicUrl}${FAILED}`)
    provider.failing = null
    expect((await signIn()).to).to.equal('/account')
  })

  it('SGN-04 the log says what is wrong with a provider, and the user does not', async () => {
    const { provider, signIn, service, record } = place
    provider.alter = (claims) => ({ ...claims, aud: 'another client' })
    const { to } = await signIn()
    expect(to).to.equal(FAILED)
    const line = service.log.lines.findLast((each) => each.includes('identity provider failed')) ?? ''
    expect(line).to.include(record.id)
    expect(line).to.match(/aud/)
    expect(line).to.not.include(provider.clientSecret)
  })

  it('SGN-04 userinfo cannot lend its verification to the address of the ID token', async () => {
    const { provider, signIn } = place
    provider.claims = { sub: 'mallory', email: `victim@${DOMAIN}`, email_verified: false }
    provider.userinfo = { email: `mallory@${DOMAIN}`, email_verified: true, department: 'Sales' }
    expect((await signIn()).to).to.equal('/sign-in?error=ERR_EMAIL_NOT_VERIFIED')
    provider.claims = { sub: 'carol' }
    provider.userinfo = { email: `carol@${DOMAIN}`, email_verified: true, name: 'Carol' }
    expect((await signIn()).to, 'an address from userinfo alone').to.equal('/account')
  })

  it('SGN-04 claims cannot smuggle anything into a profile', async () => {
    const { provider, signIn, send } = place
    provider.claims = {
      ...{ sub: 'smuggler', email: `smuggler@${DOMAIN}`, email_verified: true },
      ...{ name: 'Line\r\nbreak', given_name: 'x'.repeat(300), family_name: { roles: ['global_admin'] } },
      roles: ['global_admin'],
      groups: { constructor: 1 },
    }
    expect((await signIn()).to).to.equal('/account')
    const [user]: Json[] = success(await send('GET', `/users?q=smuggler@`))
    expect(user).to.include({ name: 'Line break', givenName: null, familyName: null })
    expect(success(await send('GET', `/users/${user.id}`)).roleKeys).to.deep.equal([])
    provider.claims = { ...provider.claims, sub: 'two', email: `a@b@${DOMAIN}` }
    expect((await signIn()).to).to.equal('/sign-in?error=ERR_EMAIL_NOT_VERIFIED')
  })

  it('SGN-04 a page to continue to is one of this service', async () => {
    const { service, browser, leave } = place
    const { publicUrl } = service.core.services
    const cases: [string, string][] = [
      ['/console/users', '/console/users'],
      ['//evil.example', '/account'],
      ['https://evil.example', '/account'],
      ['/\\evil.example', '/account'],
    ]
    for (const [wanted, to] of cases) {
      const from = browser()
      const back = await leave(from, `?return=${encodeURIComponent(wanted)}`)
      expect((await from.open(back)).location, wanted).to.equal(`${publicUrl}${to}`)
    }
  })

  it('SGN-04 many started sign-ins leave few cookies', async () => {
    const { browser, leave } = place
    const from = browser()
    for (let i = 0; i < 12; i++) await leave(from)
    expect(from.cookies().split('svc_federation_').length - 1).to.be.at.most(5)
  })
})
