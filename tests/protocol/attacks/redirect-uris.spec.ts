import { expect } from 'chai'
import { CALLBACK, oidcWorld, pkce, type OidcWorld, type TestApplication } from '../../support/oidc/oidc.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'

describe('Attacks: redirect URIs', () => {
  let service: TestService
  let world: OidcWorld
  let web: TestApplication
  let native: TestApplication
  let person: TestPerson
  const proof = { code_challenge: pkce().challenge, code_challenge_method: 'S256' }
  before(async () => {
    service = await testService()
    world = oidcWorld(service)
    web = await world.application('web')
    native = await world.application('native', {
      redirectUris: [
        'http://127.0.0.1/cb',
        'http://[::1]:8000/cb',
        'http://localhost:7000/cb',
        'com.example.app:/cb',
      ],
    })
    person = await world.member(web)
    await world.join(native.groupId, person.userId)
  })
  after(() => service.stop())

  const at = (app: TestApplication, redirect_uri: string, more: Record<string, string> = {}) =>
    world.authorize(app, person, { ...proof, ...more, redirect_uri })

  const stays = async (app: TestApplication, redirectUri: string) => {
    for (const more of [{}, { prompt: 'none', response_mode: 'form_post', response_type: 'token' }]) {
      const answer = await at(app, redirectUri, more)
      expect([answer.status, answer.location]).to.deep.equal([400, null])
      expect(answer.text).to.include('ERR_INVALID_REDIRECT_URI')
      expect(answer.text).not.to.include('<form method="post" action="http')
    }
  }

  const tricks: Record<string, string> = {
    'the host in another case': 'https://APP.example.com/callback',
    'the scheme in another case': 'HTTPS://app.example.com/callback',
    'the path in another case': 'https://app.example.com/Callback',
    'the default port': 'https://app.example.com:443/callback',
    'another port': 'https://app.example.com:8443/callback',
    'plain http': 'http://app.example.com/callback',
    'no scheme': '//app.example.com/callback',
    'one slash': 'https:/app.example.com/callback',
    'a trailing slash': `${CALLBACK}/`,
    'a trailing dot in the host': 'https://app.example.com./callback',
    'a trailing dot in the path': `${CALLBACK}.`,
    'a path with ..': 'https://app.example.com/callback/../evil',
    'a path with .. and back': 'https://app.example.com/x/../callback',
    'an encoded ..': 'https://app.example.com/callback/%2e%2e/evil',
    'a doubly encoded ..': 'https://app.example.com/callback/%252e%252e/evil',
    'a doubled slash': 'https://app.example.com//callback',
    'an encoded letter': 'https://app.example.com/%63allback',
    'an encoded slash': 'https://app.example.com%2fcallback',
    'user information': 'https://user@app.example.com/callback',
    'the host as user information': 'https://app.example.com@evil.example/callback',
    'the host as user and password': 'https://app.example.com:443@evil.example/callback',
    'a backslash before the at sign': 'https://evil.example\\@app.example.com/callback',
    'backslashes for slashes': 'https:\\\\app.example.com\\callback',
    'a fragment': `${CALLBACK}#x`,
    'an empty fragment': `${CALLBACK}#`,
    'an encoded fragment': `${CALLBACK}%23x`,
    'a query': `${CALLBACK}?x=1`,
    'an empty query': `${CALLBACK}?`,
    'a path parameter': `${CALLBACK};x=1`,
    'a longer host': 'https://app.example.com.evil.example/callback',
    'a host with the same suffix': 'https://evilapp.example.com/callback',
    'a subdomain': 'https://evil.app.example.com/callback',
    'the parent domain': 'https://example.com/callback',
    'a look-alike letter': 'https://\u0430pp.example.com/callback',
    'a look-alike letter in punycode': 'https://xn--pp-7ka.example.com/callback',
    'full-width letters': 'https://\uff41pp.example.com/callback',
    'an ideographic full stop': 'https://app\u3002example\u3002com/callback',
    'a zero-width joiner': 'https://app\u200d.example.com/callback',
    'a soft hyphen': 'https://a\u00adpp.example.com/callback',
    'a leading space': ` ${CALLBACK}`,
    'a trailing space': `${CALLBACK} `,
    'a tab in the scheme': 'ht\ttps://app.example.com/callback',
    'a line break in the host': 'https://app.exa\nmple.com/callback',
    'a header after a line break': `${CALLBACK}\r\nSet-Cookie: a=b`,
    'a NUL at the end': `${CALLBACK}\0`,
    'a NUL and a tail': `${CALLBACK}\0.evil.example`,
    'a wildcard': 'https://*.example.com/callback',
    'a list': `${CALLBACK},https://evil.example/`,
    'two addresses': `${CALLBACK} https://evil.example/`,
    'javascript:': 'javascript:alert(1)//app.example.com/callback',
    'data:': 'data:text/html,<script>alert(1)</script>',
    'file:': 'file:///callback',
    'about:blank': 'about:blank',
    'a path alone': '/callback',
    'a name of the prototype': '__proto__',
  }
  for (const [what, uri] of Object.entries(tricks))
    it(`RFC 9700 §4.1 OIDC-04 ${what}: an error page, and nothing is sent`, () => stays(web, uri))

  const nativeTricks: Record<string, string> = {
    'another port of localhost, which is a name': 'http://localhost:7001/cb',
    'another loopback address': 'http://127.0.0.2:7001/cb',
    'a short form of the address': 'http://127.1/cb',
    'the address as a number': 'http://2130706433/cb',
    'the address in octal': 'http://0177.0.0.1/cb',
    'every address': 'http://0.0.0.0:7001/cb',
    'a mapped address': 'http://[::ffff:127.0.0.1]:7001/cb',
    'the long form of the address': 'http://[0:0:0:0:0:0:0:1]:8000/cb',
    'a port beyond the last': 'http://127.0.0.1:65536/cb',
    'a port with leading zeros': 'http://127.0.0.1:007001/cb',
    'an empty port': 'http://127.0.0.1:/cb',
    'an invalid port': 'http://127.0.0.1:80a/cb',
    'a port and a host': 'http://127.0.0.1:80@evil.example/cb',
    'https instead of http': 'https://127.0.0.1:7001/cb',
    'another path': 'http://127.0.0.1:7001/cb/',
    'a query': 'http://127.0.0.1:7001/cb?x=1',
    'a fragment': 'http://127.0.0.1:7001/cb#x',
    'its own scheme with a host': 'com.example.app://cb',
    'its own scheme in another case': 'COM.example.app:/cb',
    'a longer scheme': 'com.example.app.evil:/cb',
  }
  for (const [what, uri] of Object.entries(nativeTricks))
    it(`RFC 9700 §4.1 OIDC-04 RFC 8252 §7.3 a native application with ${what}: a page`, () =>
      stays(native, uri))

  for (const uri of [
    'http://127.0.0.1/cb',
    'http://127.0.0.1:49152/cb',
    'http://[::1]/cb',
    'http://[::1]:49152/cb',
  ])
    it(`RFC 8252 §7.3 a native application gets its code at ${uri}`, async () => {
      const { location } = await at(native, uri)
      expect(location?.startsWith(`${uri}?code=`)).to.equal(true)
    })

  it('RFC 8252 §7.3 the port is free for native applications only', async () => {
    for (const type of ['web', 'spa'] as const) {
      const app = await world.application(type, { redirectUris: ['http://127.0.0.1:7000/cb'] })
      await stays(app, 'http://127.0.0.1:7001/cb')
    }
  })

  it('RFC 9700 §4.1.3 a code cannot be redeemed with another address than the one it was sent to', async () => {
    const { code, verifier } = await world.code(native, person, { redirect_uri: 'http://127.0.0.1:49152/cb' })
    const redeem = (redirect_uri: string) =>
      world.token({
        grant_type: 'authorization_code',
        client_id: native.clientId,
        code,
        code_verifier: verifier,
        redirect_uri,
      })
    for (const other of ['http://127.0.0.1:49153/cb', 'http://127.0.0.1/cb', 'com.example.app:/cb'])
      expect((await redeem(other)).body.error).to.equal('invalid_grant')
    expect((await redeem('http://127.0.0.1:49152/cb')).status).to.equal(200)
  })

  it('RFC 9700 §4.11.2 a removed address gets neither code nor error, not even for a pending request', async () => {
    const app = await world.application('web', { redirectUris: [CALLBACK, 'https://old.example.com/cb'] })
    await world.join(app.groupId, person.userId)
    const waiting = await world.authorize(app, null, { ...proof, redirect_uri: 'https://old.example.com/cb' })
    const code = await world.code(app, person, { redirect_uri: 'https://old.example.com/cb' })
    await world.change({
      type: 'update',
      applicationId: app.applicationId,
      settings: { redirectUris: [CALLBACK] },
    })
    const { search } = new URL(waiting.location ?? '')
    const resumed = await world.browse(`/oauth2/authorize/resume${search}`, person)
    expect([resumed.status, resumed.location]).to.deep.equal([400, null])
    const redeemed = await world.token({
      grant_type: 'authorization_code',
      client_id: app.clientId,
      client_secret: app.secret,
      code: code.code,
      code_verifier: code.verifier,
      redirect_uri: 'https://old.example.com/cb',
    })
    expect(redeemed.body.error).to.equal('invalid_grant')
  })

  it('RFC 9700 §4.1 addresses that a browser would interpret differently cannot be registered', async () => {
    const admin = await service.person({}, ['app_admin'])
    const others = new Set([
      ...['the path in another case', 'another port', 'the default port', 'a trailing slash'],
      ...['a trailing dot in the path', 'a doubly encoded ..', 'a doubled slash', 'an encoded letter'],
      ...['an encoded fragment', 'a query', 'an empty query', 'a path parameter', 'a list'],
      ...['a longer host', 'a host with the same suffix', 'a subdomain', 'the parent domain'],
      'a look-alike letter in punycode',
    ])
    const bad = Object.entries(tricks).filter(([what]) => !others.has(what))
    expect(bad.length).to.be.greaterThan(35)
    for (const [what, uri] of bad) {
      const { status } = await service.api('POST', '/applications', {
        as: admin,
        body: { name: what, protocol: 'oidc', type: 'web', redirectUris: [uri] },
      })
      expect(status, what).to.equal(422)
    }
  })
})
