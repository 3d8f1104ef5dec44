import { expect } from 'chai'
import {
  basic,
  CALLBACK,
  oidcWorld,
  pkce,
  type OidcWorld,
  type TestApplication,
} from '../../support/oidc/oidc.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'

describe('OpenID Connect: the token and userinfo endpoints', () => {
  let service: TestService
  let world: OidcWorld
  let app: TestApplication
  let person: TestPerson
  before(async () => {
    service = await testService()
    world = oidcWorld(service)
    app = await world.application('web')
    person = await world.member(app)
  })
  after(() => service.stop())

  const fields = ({ code, verifier }: { code: string; verifier: string }) => ({
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    code_verifier: verifier,
  })
  const auth = (by: TestApplication) => ({ Authorization: basic(by.clientId, by.secret) })

  describe('OIDC-07 a code', () => {
    it('redeemed twenty times concurrently succeeds once, and the tokens issued from it are revoked', async () => {
      const code = await world.code(app, person)
      const answers = await Promise.all(Array.from({ length: 20 }, () => world.redeem(app, code)))
      const good = answers.filter(({ status }) => status === 200)
      expect(good).to.have.length(1)
      for (const { status, body } of answers.filter((answer) => !good.includes(answer)))
        expect([status, body.error]).to.deep.equal([400, 'invalid_grant'])
      expect((await world.userinfo(good[0]?.body.access_token)).status).to.equal(401)
    })

    it('redeemed again revokes its token before the response', async () => {
      const code = await world.code(app, person)
      const { body } = await world.redeem(app, code)
      expect((await world.userinfo(body.access_token)).status).to.equal(200)
      expect((await world.redeem(app, code)).body.error).to.equal('invalid_grant')
      expect((await world.userinfo(body.access_token)).status).to.equal(401)
    })

    it('is neither used up nor has its token revoked by a client that it was not issued to', async () => {
      const other = await world.application('web')
      const code = await world.code(app, person)
      const wrong = async (form: Record<string, string>, by: TestApplication) => {
        const { status, body } = await world.token(form, auth(by))
        expect([status, body.error]).to.deep.equal([400, 'invalid_grant'])
      }
      const attempts = async () => {
        await wrong(fields(code), other)
        await wrong({ ...fields(code), code_verifier: pkce().verifier }, app)
        await wrong({ ...fields(code), redirect_uri: `${CALLBACK}/` }, app)
        const { code_verifier: _, ...without } = fields(code)
        await wrong(without, app)
      }
      await attempts()
      const { status, body } = await world.redeem(app, code)
      expect(status).to.equal(200)
      await attempts()
      expect((await world.userinfo(body.access_token)).status).to.equal(200)
    })

    it('sent to one registered address is not redeemed with another', async () => {
      const other = `${CALLBACK}/other`
      const two = await world.application('web', { redirectUris: [CALLBACK, other] })
      const code = await world.code(two, await world.member(two))
      const { status, body } = await world.token({ ...fields(code), redirect_uri: other }, auth(two))
      expect([status, body.error]).to.deep.equal([400, 'invalid_grant'])
      expect((await world.redeem(two, code)).status).to.equal(200)
    })

    it('that is altered, invented or an access token is rejected', async () => {
      const { code, verifier } = await world.code(app, person)
      const { body } = await world.redeem(app, { code, verifier })
      const last = code.endsWith('A') ? 'B' : 'A'
      for (const bad of [`${code.slice(0, -1)}${last}`, 'made-up', body.access_token, 'é', 'x'.repeat(5000)])
        expect((await world.redeem(app, { code: bad, verifier })).body.error).to.equal('invalid_grant')
      expect((await world.userinfo(code)).status).to.equal(401)
    })

    it('OIDC-03 created without a challenge is rejected with a verifier, so that PKCE cannot be removed', async () => {
      const old = await world.application('web', { requirePkce: false })
      const someone = await world.member(old)
      const answer = await world.authorize(old, someone)
      const { code_verifier, ...form } = fields({
        code: answer.query['code'] ?? '',
        verifier: pkce().verifier,
      })
      expect((await world.token({ ...form, code_verifier }, auth(old))).body.error).to.equal('invalid_grant')
      expect((await world.token(form, auth(old))).status).to.equal(200)
    })
  })

  describe('OIDC-05 client authentication', () => {
    it('refuses a wrong secret with 401 and a challenge, whichever way it was sent', async () => {
      const code = await world.code(app, person)
      const byBasic = await world.token(fields(code), { Authorization: basic(app.clientId, 'svs_wrong') })
      expect([byBasic.status, byBasic.body.error]).to.deep.equal([401, 'invalid_client'])
      expect(byBasic.headers.get('www-authenticate')).to.match(/^Basic /)
      const byPost = await world.token({
        ...fields(code),
        client_id: app.clientId,
        client_secret: 'svs_wrong',
      })
      expect([byPost.status, byPost.body.error]).to.deep.equal([401, 'invalid_client'])
      expect(byPost.headers.get('www-authenticate')).to.match(/^Basic /)
      expect(byPost.headers.get('cache-control')).to.equal('no-store')
    })

    it('rejects two methods together', async () => {
      const code = await world.code(app, person)
      const { status, body } = await world.token(
        { ...fields(code), client_id: app.clientId, client_secret: app.secret },
        auth(app),
      )
      expect([status, body.error]).to.deep.equal([400, 'invalid_request'])
    })

    it('refuses a confidential client without its secret, and a public one with any', async () => {
      const code = await world.code(app, person)
      const bare = await world.token({ ...fields(code), client_id: app.clientId })
      expect(bare.body.error).to.equal('invalid_client')
      const spa = await world.application('spa')
      const spaCode = await world.code(spa, await world.member(spa))
      const armed = await world.token({ ...fields(spaCode), client_id: spa.clientId, client_secret: 'x' })
      expect(armed.body.error).to.equal('invalid_client')
    })

    it('refuses an expired secret, and one that was just revoked', async () => {
      const { clock } = service.core.services
      const short = await world.application('web', {}, { secretExpiresAt: clock.in(-1) })
      const code = await world.code(short, await world.member(short))
      expect((await world.redeem(short, code)).body.error).to.equal('invalid_client')
      const revoked = await world.application('web')
      const revokedCode = await world.code(revoked, await world.member(revoked))
      await world.change({
        type: 'revoke_secret',
        applicationId: revoked.applicationId,
        secretId: revoked.secretId,
      })
      expect((await world.redeem(revoked, revokedCode)).body.error).to.equal('invalid_client')
    })

    it('refuses unknown clients and broken headers', async () => {
      const code = await world.code(app, person)
      for (const header of ['Basic !!!', 'Basic Og==', 'Bearer x', basic('sv_nobody', 'x')]) {
        const { status, body } = await world.token(fields(code), { Authorization: header })
        expect([header, status, body.error]).to.deep.equal([header, 401, 'invalid_client'])
      }
    })
  })

  describe('requests', () => {
    const cases: [string, (form: Record<string, string>) => Record<string, string> | string, string][] = [
      ['no grant_type', ({ grant_type: _, ...form }) => form, 'invalid_request'],
      ['another grant', (form) => ({ ...form, grant_type: 'password' }), 'unsupported_grant_type'],
      ['no code', ({ code: _, ...form }) => form, 'invalid_request'],
      ['no redirect_uri', ({ redirect_uri: _, ...form }) => form, 'invalid_request'],
      [
        'a parameter sent twice',
        (form) => `${new URLSearchParams(form).toString()}&code=x`,
        'invalid_request',
      ],
      ['an oversized body', (form) => ({ ...form, filler: 'x'.repeat(70_000) }), 'invalid_request'],
    ]
    for (const [what, change, error] of cases)
      it(`with ${what}: ${error}`, async () => {
        const form = change(fields(await world.code(app, person)))
        const { status, body } = await world.token(form, auth(app))
        expect([status, body.error]).to.deep.equal([400, error])
      })
    it('that are JSON: invalid_request', async () => {
      const { body } = await world.token('{}', { ...auth(app), 'Content-Type': 'application/json' })
      expect(body.error).to.equal('invalid_request')
    })
    it('from a service application for a code: unauthorized_client', async () => {
      const machine = await world.application('service', { redirectUris: [] })
      const { body } = await world.token(fields({ code: 'x', verifier: 'y' }), auth(machine))
      expect(body.error).to.equal('unauthorized_client')
    })
  })

  describe('OIDC-10 userinfo', () => {
    const tokenOf = async (scope = 'openid email') =>
      (await world.redeem(app, await world.code(app, person, { scope }))).body.access_token as string
    const form = (body: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(body) })

    it('accepts the token by GET and POST, in the header or in the form', async () => {
      const token = await tokenOf()
      const inHeader = await world.userinfo(token)
      expect(inHeader.body).to.include({ sub: person.userId, email: person.email })
      expect((await world.userinfo(token, { method: 'POST' })).body).to.deep.equal(inHeader.body)
      expect((await world.userinfo(null, form({ access_token: token }))).body).to.deep.equal(inHeader.body)
      expect(inHeader.headers.get('cache-control')).to.equal('no-store')
    })

    it('without a token: 401 and a bare challenge', async () => {
      const { status, headers } = await world.userinfo(null)
      expect([status, headers.get('www-authenticate')]).to.deep.equal([401, 'Bearer realm="userinfo"'])
    })

    it('with an invalid token, or one in the address: 401', async () => {
      const { status, headers } = await world.userinfo('made-up')
      expect(status).to.equal(401)
      expect(headers.get('www-authenticate')).to.include('error="invalid_token"')
      const inAddress = await fetch(`${service.publicUrl}/oauth2/userinfo?access_token=${await tokenOf()}`)
      expect(inAddress.status).to.equal(401)
    })

    it('with two tokens: 400', async () => {
      const token = await tokenOf()
      const { status, headers } = await world.userinfo(token, form({ access_token: token }))
      expect(status).to.equal(400)
      expect(headers.get('www-authenticate')).to.include('error="invalid_request"')
    })

    it('with a token without openid: 403', async () => {
      const { body } = await world.redeem(app, await world.code(app, person, { scope: 'email' }))
      expect(body.id_token).to.equal(undefined)
      const { status, headers } = await world.userinfo(body.access_token)
      expect(status).to.equal(403)
      expect(headers.get('www-authenticate')).to.include('error="insufficient_scope"')
    })

    it('writes nothing', async () => {
      const token = await tokenOf()
      const before = await service.core.eventLog.head()
      for (let i = 0; i < 5; i++) await world.userinfo(token)
      expect(await service.core.eventLog.head()).to.equal(before)
    })
  })

  it('single-page applications can call it from their own origins, others cannot', async () => {
    await world.application('spa', { redirectUris: ['https://spa.example.com/cb'] })
    for (const path of ['/oauth2/token', '/oauth2/userinfo']) {
      const preflight = async (origin: string) =>
        (
          await fetch(service.publicUrl + path, {
            method: 'OPTIONS',
            headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
          })
        ).headers.get('access-control-allow-origin')
      expect(await preflight('https://spa.example.com')).to.equal('https://spa.example.com')
      expect(await preflight('https://app.example.com')).to.equal(null)
      expect(await preflight('https://evil.example')).to.equal(null)
    }
  })
})
