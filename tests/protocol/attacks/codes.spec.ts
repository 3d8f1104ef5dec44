import { expect } from 'chai'
import * as client from 'openid-client'
import {
  basic,
  CALLBACK,
  oidcWorld,
  pkce,
  type OidcWorld,
  type TestApplication,
} from '../../support/oidc/oidc.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'

describe('Attacks: authorization codes', () => {
  let service: TestService
  let world: OidcWorld
  let app: TestApplication
  let victim: TestPerson
  let attacker: TestPerson
  before(async () => {
    service = await testService()
    world = oidcWorld(service)
    app = await world.application('web')
    victim = await world.member(app)
    attacker = await world.member(app)
  })
  after(() => service.stop())

  const redeem = (code: string, more: Record<string, string>, by = app) =>
    world.token(
      { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...more },
      by.secret === '' ? {} : { Authorization: basic(by.clientId, by.secret) },
    )
  const refused = async (answer: Promise<{ status: number; body: { error?: string } }>) => {
    const { status, body } = await answer
    expect([status, body.error]).to.deep.equal([400, 'invalid_grant'])
  }

  describe('RFC 9700 §4.5 code injection', () => {
    it('a stolen code is useless with another verifier', async () => {
      const stolen = await world.code(app, victim)
      const own = pkce()
      await refused(redeem(stolen.code, { code_verifier: own.verifier }))
      expect((await redeem(stolen.code, { code_verifier: stolen.verifier })).status).to.equal(200)
    })
    it('a code made with the challenge of another user’s session is useless in the attacker’s own session', async () => {
      const mine = pkce()
      const theirs = pkce()
      const { code } = await world.code(app, attacker, { code_challenge: theirs.challenge })
      await refused(redeem(code, { code_verifier: mine.verifier }))
    })
    it('a code has the nonce of its own request, so that a client library rejects it', async () => {
      const { code, verifier } = await world.code(app, attacker, { nonce: 'of the attacker' })
      const config = await client.discovery(
        new URL(service.publicUrl),
        app.clientId,
        app.secret,
        client.ClientSecretBasic(app.secret),
        // oxlint-disable-next-line typescript/no-deprecated -- the service under test is on plain http
        { execute: [client.allowInsecureRequests] },
      )
      const injected = new URL(
        `${CALLBACK}?code=${code}&state=s&iss=${encodeURIComponent(service.publicUrl)}`,
      )
      const outcome = await client
        .authorizationCodeGrant(config, injected, {
          pkceCodeVerifier: verifier,
          expectedState: 's',
          expectedNonce: 'of the victim',
        })
        .catch((error: unknown) => error)
      expect(outcome).to.be.instanceOf(Error)
      expect((outcome as { code?: string }).code).to.equal('OAUTH_JWT_CLAIM_COMPARISON_FAILED')
    })
    it('two requests of one user produce codes that reject each other’s verifiers', async () => {
      const first = await world.code(app, victim)
      const second = await world.code(app, victim)
      await refused(redeem(first.code, { code_verifier: second.verifier }))
      await refused(redeem(second.code, { code_verifier: first.verifier }))
    })
    it('two codes cannot be combined into a third', async () => {
      const [one, two] = [await world.code(app, victim), await world.code(app, attacker)]
      const half = Math.floor(one.code.length / 2)
      await refused(redeem(one.code.slice(0, half) + two.code.slice(half), { code_verifier: two.verifier }))
    })
  })

  describe('RFC 9700 §4.8 PKCE downgrade', () => {
    const authorize = (more: Record<string, string | null>, by = app) => world.authorize(by, victim, more)
    it('a challenge removed from the request: invalid_request', async () => {
      expect((await authorize({})).query['error']).to.equal('invalid_request')
      for (const type of ['spa', 'native'] as const) {
        const publicApp = await world.application(type)
        await world.join(publicApp.groupId, victim.userId)
        expect((await authorize({}, publicApp)).query['error']).to.equal('invalid_request')
      }
    })
    for (const method of ['plain', 'none', 's256', 'S512', 'S256 plain', null])
      it(`the method ${String(method)}: invalid_request`, async () => {
        const { challenge } = pkce()
        const answer = await authorize({ code_challenge: challenge, code_challenge_method: method })
        expect(answer.query['error']).to.equal('invalid_request')
      })
    it('an empty challenge counts as none', async () => {
      const answer = await authorize({ code_challenge: '', code_challenge_method: 'S256' })
      expect(answer.query['error']).to.equal('invalid_request')
    })
    it('a verifier removed from the token request, or the challenge sent as verifier', async () => {
      const { code, verifier } = await world.code(app, victim)
      await refused(redeem(code, {}))
      await refused(redeem(code, { code_verifier: '' }))
      const { challenge } = pkce()
      await refused(redeem(code, { code_verifier: challenge }))
      expect((await redeem(code, { code_verifier: verifier })).status).to.equal(200)
    })
    it('where PKCE is optional, a code without a challenge accepts no verifier, and one with a challenge requires it', async () => {
      const lax = await world.application('web', { requirePkce: false })
      await world.join(lax.groupId, victim.userId)
      const bare = (await world.authorize(lax, victim)).query['code'] ?? ''
      await refused(redeem(bare, { code_verifier: pkce().verifier }, lax))
      expect((await redeem(bare, {}, lax)).status).to.equal(200)
      const proven = await world.code(lax, victim)
      await refused(redeem(proven.code, {}, lax))
    })
  })

  describe('RFC 9700 §4.4 mix-up', () => {
    const proof = () => ({ code_challenge: pkce().challenge, code_challenge_method: 'S256' })
    it('RFC 9207 every response contains its issuer: codes, errors, silent rejections, cancellations', async () => {
      const { publicUrl: iss } = service
      const requests: Record<string, string>[] = [
        {},
        { prompt: 'none', max_age: '0' },
        { scope: 'unknown' },
        { response_type: 'token' },
        { request: 'x' },
        { registration: '{}' },
        { resource: 'https://none.example.com' },
      ]
      for (const more of requests) {
        const { query } = await world.authorize(app, victim, { ...proof(), ...more })
        expect(query['iss'], JSON.stringify(more)).to.equal(iss)
        expect(query['state']).to.equal('the state')
      }
      const waiting = await world.authorize(app, null, proof())
      const cancelled = await world.browse('/sign-in/cancel', null, {
        method: 'POST',
        body: new URL(waiting.location ?? '').searchParams,
      })
      expect(cancelled.query).to.include({ error: 'access_denied', iss })
    })
    it('form_post contains it too, for codes and for errors', async () => {
      for (const more of [{}, { scope: 'unknown' }]) {
        const { text } = await world.authorize(app, victim, {
          ...proof(),
          response_mode: 'form_post',
          ...more,
        })
        expect(text).to.include(`name="iss" value="${service.publicUrl}"`)
      }
    })
    it('a code of one client is invalid for another, with any redirect URI', async () => {
      const other = await world.application('web')
      const { code, verifier } = await world.code(app, victim)
      await refused(redeem(code, { code_verifier: verifier }, other))
      const spa = await world.application('spa')
      await refused(redeem(code, { code_verifier: verifier, client_id: spa.clientId }, spa))
      expect((await redeem(code, { code_verifier: verifier })).status).to.equal(200)
    })
  })

  it('RFC 9700 §4.7 CSRF: state is returned unchanged, and never invented', async () => {
    const proof = { code_challenge: pkce().challenge, code_challenge_method: 'S256' }
    for (const state of [
      'x',
      '0',
      ' ',
      '+',
      '%2B',
      '%',
      '&code=evil',
      '#',
      'a=b&iss=https://evil.example',
      '\u{1F9E8}"\'<',
    ])
      expect((await world.authorize(app, victim, { ...proof, state })).query['state']).to.equal(state)
    const without = await world.authorize(app, victim, { ...proof, state: null })
    expect(without.location).not.to.include('state')
    const bad = await world.authorize(app, victim, { state: '&code=evil' })
    expect(bad.query).to.include({ error: 'invalid_request', state: '&code=evil' })
    expect(bad.query['code']).to.equal(undefined)
  })
})
