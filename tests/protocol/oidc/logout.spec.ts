import { expect } from 'chai'
import { SignJWT, decodeProtectedHeader, importPKCS8 } from 'jose'
import { SIGNING_KEY_PURPOSE } from '../../../adapters/application/services/configuration.ts'
import { newPage } from '../../support/browser/browser.ts'
import {
  logoutSettings,
  logoutWorld,
  OUT,
  type LogoutWorld,
  type SignedIn,
} from '../../support/oidc/logout.ts'
import { basic, type OidcWorld } from '../../support/oidc/oidc.ts'
import { testService, type TestService } from '../../support/service/service.ts'

describe('OIDC-13 signing out through an application', () => {
  let service: TestService
  let world: OidcWorld
  let logouts: LogoutWorld
  before(async () => {
    service = await testService()
    logouts = logoutWorld(service)
    world = logouts.world
  })
  after(() => service.stop())

  describe('with the ID token of this browser’s session', () => {
    it('ends the session, its tokens and the cookie, and goes back with the state', async () => {
      const at = await logouts.signedIn()
      const answer = await logouts.logout(
        { id_token_hint: at.idToken, post_logout_redirect_uri: OUT, state: 'a&b' },
        at.person,
      )
      expect(answer.status).to.equal(303)
      expect(answer.location).to.equal(`${OUT}?state=a%26b`)
      expect(answer.headers.get('set-cookie')).to.match(/^svc_session=;.*Expires=Thu, 01 Jan 1970/)
      expect(answer.headers.get('cache-control')).to.equal('no-store')
      expect(await logouts.sessionEnd(at.person.sessionId)).to.equal('application_logout')
      await logouts.allIsGone(at)
    })
    it('shows our own page if no address is sent', async () => {
      const at = await logouts.signedIn()
      const answer = await logouts.logout(
        { id_token_hint: at.idToken, client_id: at.app.clientId },
        at.person,
      )
      expect(answer.location).to.equal(`${service.publicUrl}/signed-out`)
      expect((await world.browse('/signed-out', null)).text).to.include('You are signed out')
      await logouts.allIsGone(at)
    })
    it('accepts it as a form, too', async () => {
      const at = await logouts.signedIn()
      const fields = { id_token_hint: at.idToken, post_logout_redirect_uri: OUT }
      expect((await logouts.post('/oauth2/logout', fields, at.person)).location).to.equal(OUT)
      await logouts.allIsGone(at)
    })
    it('accepts it from another site, without a cookie', async () => {
      const at = await logouts.signedIn()
      const fields = { id_token_hint: at.idToken, post_logout_redirect_uri: OUT }
      const answer = await logouts.post('/oauth2/logout', fields, null, { Origin: 'https://app.example.com' })
      expect(answer.location).to.equal(OUT)
      expect(await logouts.sessionEnd(at.person.sessionId)).to.equal('application_logout')
      await logouts.allIsGone(at)
    })
    it('accepts an expired one', async () => {
      const at = await logouts.signedIn()
      const { activeKey } = service.core.services.configuration.now()
      const { sealedPrivateKey = '', id = '' } = activeKey ?? {}
      const pem = service.core.services.vault.open(SIGNING_KEY_PURPOSE, sealedPrivateKey, id).toString()
      const expired = await new SignJWT({ ...world.claimsIn(at.idToken), iat: 1000, exp: 2000 })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: decodeProtectedHeader(at.idToken).kid ?? '' })
        .sign(await importPKCS8(pem, 'RS256'))
      expect((await logouts.logout({ id_token_hint: expired }, at.person)).status).to.equal(303)
      await logouts.allIsGone(at)
    })
    it('revokes tokens that the application got in other sessions, without ending those sessions', async () => {
      const at = await logouts.signedIn()
      const other = await logouts.tokensOf(at.app, await service.signIn(at.person.userId, at.person.email))
      await logouts.logout({ id_token_hint: at.idToken }, at.person)
      await logouts.allIsGone(other)
      expect(await logouts.sessionEnd(other.person.sessionId)).to.equal(null)
      await logouts.allIsWell(await logouts.tokensOf(at.app, other.person))
    })
    it('does not affect other users', async () => {
      const at = await logouts.signedIn()
      const other = await logouts.tokensOf(at.app, await world.member(at.app))
      await logouts.logout({ id_token_hint: at.idToken }, at.person)
      await logouts.allIsWell(other)
    })
    it('a repeat writes nothing and returns the same response', async () => {
      const at = await logouts.signedIn()
      const parameters = { id_token_hint: at.idToken, post_logout_redirect_uri: OUT }
      await logouts.logout(parameters, at.person)
      const head = await logouts.head()
      for (let n = 0; n < 3; n++) expect((await logouts.logout(parameters, null)).location).to.equal(OUT)
      expect(await logouts.head()).to.equal(head)
    })
  })

  describe('with another ID token', () => {
    it('of an older session of the user: ends that session, and goes back', async () => {
      const at = await logouts.signedIn()
      const now = await service.signIn(at.person.userId, at.person.email)
      const answer = await logouts.logout({ id_token_hint: at.idToken, post_logout_redirect_uri: OUT }, now)
      expect(answer.location).to.equal(OUT)
      expect(answer.headers.get('set-cookie')).to.equal(null)
      expect(await logouts.sessionEnd(at.person.sessionId)).to.equal('application_logout')
      expect(await logouts.sessionEnd(now.sessionId)).to.equal(null)
    })
    it('of another user: ends that session, and asks the signed-in user', async () => {
      const at = await logouts.signedIn()
      const other = await logouts.signedIn()
      const parameters = { id_token_hint: at.idToken, post_logout_redirect_uri: OUT }
      const answer = await logouts.logout(parameters, other.person)
      expect(answer.status).to.equal(200)
      expect(answer.text).to.include('Sign out?')
      expect(answer.headers.get('set-cookie')).to.equal(null)
      expect(await logouts.sessionEnd(at.person.sessionId)).to.equal('application_logout')
      await logouts.allIsGone(at)
      await logouts.allIsWell(other)
    })
    const wrong: readonly (readonly [string, (at: SignedIn) => string | Promise<string>])[] = [
      ['a token with another signature', ({ idToken }) => `${idToken.slice(0, -8)}AAAAAAAA`],
      [
        'a token that was changed',
        ({ idToken }) => {
          const [header = '', payload = '', signature = ''] = idToken.split('.')
          const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
          const other = Buffer.from(JSON.stringify({ ...claims, sid: 'ses_other' })).toString('base64url')
          return [header, other, signature].join('.')
        },
      ],
      [
        'an unsigned token',
        ({ idToken }) =>
          `${Buffer.from('{"alg":"none"}').toString('base64url')}.${idToken.split('.')[1] ?? ''}.`,
      ],
      [
        'a token signed with the public key as a secret',
        ({ idToken }) => {
          const { kid = '' } = decodeProtectedHeader(idToken)
          const jwk = service.core.services.configuration.now().activeKey?.publicJwk
          return new SignJWT(world.claimsIn(idToken))
            .setProtectedHeader({ alg: 'HS256', kid })
            .sign(Buffer.from(JSON.stringify(jwk)))
        },
      ],
      ['an opaque access token', ({ accessToken }) => accessToken],
      ['nonsense', () => 'nonsense'],
    ]
    for (const [what, token] of wrong)
      it(`${what}: an error page, and no user is signed out`, async () => {
        const at = await logouts.signedIn()
        const answer = await logouts.logout(
          { id_token_hint: await token(at), post_logout_redirect_uri: OUT },
          at.person,
        )
        expect(answer.status).to.equal(400)
        expect(answer.text).to.include('ERR_INVALID_LOGOUT')
        expect(answer.location).to.equal(null)
        await logouts.allIsWell(at)
      })
    it('of another client than the one in client_id: no user is signed out', async () => {
      const at = await logouts.signedIn()
      const other = await world.application('web', logoutSettings)
      const answer = await logouts.logout({ id_token_hint: at.idToken, client_id: other.clientId }, at.person)
      expect(answer.status).to.equal(400)
      await logouts.allIsWell(at)
    })
    it('of a deleted application: no user is signed out', async () => {
      const at = await logouts.signedIn()
      await world.change({ type: 'delete', applicationId: at.app.applicationId })
      const answer = await logouts.logout({ id_token_hint: at.idToken }, at.person)
      expect(answer.status).to.equal(400)
      expect(answer.text).to.include('ERR_INVALID_CLIENT')
      expect(await logouts.sessionEnd(at.person.sessionId)).to.equal(null)
    })
    it('a JWT access token is not an ID token', async () => {
      const app = await world.application('service', { redirectUris: [] })
      const { body } = await world.token(
        { grant_type: 'client_credentials' },
        { Authorization: basic(app.clientId, app.secret) },
      )
      expect(body.access_token).to.match(/^eyJ/)
      expect((await logouts.logout({ id_token_hint: body.access_token }, null)).status).to.equal(400)
    })
  })

  describe('without an ID token', () => {
    it('asks first, and only the confirmation signs out and revokes the tokens', async () => {
      const at = await logouts.signedIn()
      const confirmation = await logouts.logout(
        { client_id: at.app.clientId, post_logout_redirect_uri: OUT, state: 's' },
        at.person,
      )
      expect(confirmation.status).to.equal(200)
      expect(confirmation.text).to.include('Sign out?').and.to.include(at.app.name)
      await logouts.allIsWell(at)
      const answer = await logouts.post(
        '/oauth2/logout/confirm',
        { question: logouts.questionIn(confirmation.text) },
        at.person,
        {
          'Sec-Fetch-Site': 'same-origin',
        },
      )
      expect(answer.status).to.equal(303)
      expect(answer.location).to.equal(`${OUT}?state=s`)
      expect(answer.headers.get('set-cookie')).to.match(/^svc_session=;/)
      expect(await logouts.sessionEnd(at.person.sessionId)).to.equal('application_logout')
      await logouts.allIsGone(at)
    })
    it('ends only the session if there is no client either', async () => {
      const at = await logouts.signedIn()
      const confirmation = await logouts.logout({}, at.person)
      const answer = await logouts.post(
        '/oauth2/logout/confirm',
        { question: logouts.questionIn(confirmation.text) },
        at.person,
      )
      expect(answer.location).to.equal(`${service.publicUrl}/signed-out`)
      expect(await logouts.sessionEnd(at.person.sessionId)).to.equal('sign_out')
    })
    it('no user signed in: redirects back, or shows our page', async () => {
      const app = await world.application('web', logoutSettings)
      const back = { client_id: app.clientId, post_logout_redirect_uri: OUT }
      expect((await logouts.logout(back, null)).location).to.equal(OUT)
      expect((await logouts.logout({}, null)).location).to.equal(`${service.publicUrl}/signed-out`)
    })
    it('a form from another site continues with a GET of this service, which has the session', async () => {
      const at = await logouts.signedIn()
      const fields = { client_id: at.app.clientId, post_logout_redirect_uri: OUT, state: 'a b' }
      const sent = await logouts.post('/oauth2/logout', fields, null, { Origin: 'https://app.example.com' })
      expect(sent.status).to.equal(303)
      const next = new URL(sent.location ?? '')
      expect(next.origin).to.equal(service.publicUrl)
      expect(Object.fromEntries(next.searchParams)).to.deep.equal(fields)
      const confirmation = await world.browse(`${next.pathname}${next.search}`, at.person)
      expect(confirmation.text).to.include('Sign out?')
    })
    it('works for an application that is disabled', async () => {
      const at = await logouts.signedIn()
      await world.change({ type: 'disable', applicationId: at.app.applicationId })
      expect((await logouts.logout({ id_token_hint: at.idToken }, at.person)).status).to.equal(303)
      expect(await logouts.sessionEnd(at.person.sessionId)).to.equal('application_logout')
    })
  })

  it('discovery contains the endpoint, and RFC 8414 has the same document', async () => {
    const read = async (path: string) => {
      const response = await fetch(`${service.publicUrl}${path}`)
      expect(response.headers.get('access-control-allow-origin')).to.equal('*')
      expect(response.headers.get('content-type')).to.match(/^application\/json/)
      return response.text()
    }
    const document = await read('/.well-known/openid-configuration')
    expect(JSON.parse(document)).to.include({
      end_session_endpoint: `${service.publicUrl}/oauth2/logout`,
    })
    expect(await read('/.well-known/oauth-authorization-server')).to.equal(document)
  })

  it('in a browser: the user declines and stays signed in, then confirms and is signed out', async function () {
    this.timeout(60_000)
    const at = await logouts.signedIn()
    const browser = await newPage()
    try {
      const { page } = browser
      const [name = '', value = ''] = at.person.cookie.split('=')
      await page.context().addCookies([{ name, value, url: service.publicUrl }])
      const ask = `${service.publicUrl}/oauth2/logout?client_id=${at.app.clientId}`
      await page.goto(ask)
      await page.getByRole('link', { name: 'Stay signed in' }).click()
      await page.waitForURL(`${service.publicUrl}/account`)
      await page.goto(ask)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL(`${service.publicUrl}/signed-out`)
      expect(await page.context().cookies()).to.deep.equal([])
      expect(browser.faults).to.deep.equal([])
      await logouts.allIsGone(at)
    } finally {
      await browser.close()
    }
  })
})
