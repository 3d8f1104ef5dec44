import { expect } from 'chai'
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { SignJWT, type JWK } from 'jose'
import { signJwt } from '../../../adapters/inbound/oidc/signed-jwt.ts'
import type { SigningKey } from '../../../adapters/application/services/configuration.ts'
import { basic, oidcWorld, pkce, type OidcWorld, type TestApplication } from '../../support/oidc/oidc.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'

const IDENTIFIER = 'https://billing.example.com'

describe('Attacks: tokens', () => {
  let service: TestService
  let world: OidcWorld
  let app: TestApplication
  let caller: TestApplication
  let other: TestApplication
  let worker: TestApplication
  let person: TestPerson
  let key: SigningKey
  before(async () => {
    service = await testService()
    world = oidcWorld(service)
    ;[app, caller, other] = [
      await world.application('web'),
      await world.application('web'),
      await world.application('web'),
    ]
    worker = await world.application('service', { redirectUris: [] })
    person = await world.member(app)
    await world.join(caller.groupId, person.userId)
    await world.join(other.groupId, person.userId)
    const admin = await service.person({}, ['global_admin'])
    const api = await service.api('POST', '/api-resources', {
      as: admin,
      body: { identifier: IDENTIFIER, name: 'Billing', scopes: [{ name: 'billing:read' }] },
    })
    expect(api.status, JSON.stringify(api.body)).to.equal(201)
    const granted = await service.api(
      'PUT',
      `/api-resources/${String(api.body.id)}/grants/${caller.applicationId}`,
      {
        as: admin,
        body: { scopes: ['billing:read'] },
      },
    )
    expect(granted.status, JSON.stringify(granted.body)).to.be.within(200, 204)
    const { activeKey } = await service.core.services.configuration.fresh()
    if (activeKey === null) throw new Error('no signing key')
    key = activeKey
  })
  after(() => service.stop())

  const send = async (path: string, by: TestApplication, fields: Record<string, string>) => {
    const response = await fetch(`${service.publicUrl}/oauth2/${path}`, {
      method: 'POST',
      headers: { Authorization: basic(by.clientId, by.secret) },
      body: new URLSearchParams(fields),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }
  const tokensOf = async (by: TestApplication, scope = 'openid email offline_access', more = {}) => {
    const { status, body } = await world.redeem(by, await world.code(by, person, { scope, ...more }))
    expect(status).to.equal(200)
    return body as { access_token: string; refresh_token: string; id_token: string }
  }
  const isGood = async (token: string) => (await world.userinfo(token)).status === 200

  describe('RFC 9700 §4.6 §4.14 tokens of one client, used by another', () => {
    it('a refresh token is rejected, and stays valid for its own client', async () => {
      const { refresh_token } = await tokensOf(app)
      const stolen = { grant_type: 'refresh_token', refresh_token }
      expect((await send('token', other, stolen)).body.error).to.equal('invalid_grant')
      const spa = await world.application('spa')
      expect((await world.token({ ...stolen, client_id: spa.clientId })).body.error).to.equal('invalid_grant')
      expect((await send('token', worker, stolen)).body.error).to.equal('unauthorized_client')
      expect((await send('token', app, stolen)).status).to.equal(200)
    })
    it('introspection reveals nothing about access and refresh tokens', async () => {
      const { access_token, refresh_token } = await tokensOf(app)
      for (const token of [access_token, refresh_token])
        for (const by of [other, worker])
          expect((await send('introspect', by, { token })).body).to.deep.equal({ active: false })
      expect((await send('introspect', app, { token: access_token })).body.active).to.equal(true)
    })
    it('revocation does not affect them', async () => {
      const { access_token, refresh_token } = await tokensOf(app)
      for (const token of [access_token, refresh_token]) {
        const { status, body } = await send('revoke', other, { token })
        expect([status, body?.error]).to.deep.equal([400, 'invalid_grant'])
      }
      expect(await isGood(access_token)).to.equal(true)
      expect((await send('token', app, { grant_type: 'refresh_token', refresh_token })).status).to.equal(200)
    })
    it('a token is not another kind of token', async () => {
      const { access_token, refresh_token, id_token } = await tokensOf(app)
      const { code, verifier } = await world.code(app, person)
      for (const token of [
        refresh_token,
        id_token,
        code,
        verifier,
        `${access_token}x`,
        access_token.slice(1),
      ])
        expect((await world.userinfo(token)).status).to.equal(401)
      for (const token of [access_token, id_token, code])
        expect(
          (await send('token', app, { grant_type: 'refresh_token', refresh_token: token })).body.error,
        ).to.equal('invalid_grant')
      for (const token of [access_token, refresh_token, id_token])
        expect((await world.redeem(app, { code: token, verifier })).body.error).to.equal('invalid_grant')
      for (const token of [id_token, code])
        expect((await send('introspect', app, { token })).body).to.deep.equal({ active: false })
    })
    it('RFC 9700 §4.15 a service is not a user: its token contains no user, and its id is not a user id', async () => {
      const { body } = await send('token', worker, { grant_type: 'client_credentials' })
      expect(world.claimsIn(body.access_token).sub).to.equal(worker.clientId).and.match(/^sv_/)
      const { status, headers } = await world.userinfo(body.access_token)
      expect(status).to.equal(403)
      expect(headers.get('www-authenticate')).to.include('insufficient_scope')
    })
  })

  describe('RFC 8725 JWT confusion', () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const partsOf = (token: string) => {
      const [header = '', payload = '', signature = ''] = token.split('.')
      const read = (text: string) =>
        JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>
      return { header: read(header), claims: read(payload), signature, raw: { header, payload } }
    }
    const good = async (): Promise<string> => {
      const { access_token } = await tokensOf(caller, 'openid billing:read')
      expect(access_token).to.match(/^eyJ/)
      return access_token
    }
    const worthless = async (token: string) => {
      const info = await world.userinfo(token)
      expect(info.status, 'userinfo').to.equal(401)
      expect(info.headers.get('www-authenticate')).to.include('error="invalid_token"')
      expect((await send('introspect', caller, { token })).body, 'introspection').to.deep.equal({
        active: false,
      })
    }
    /** Signed with our own key: only its contents are wrong. */
    const ours = (token: string, header: Record<string, string>, claims: object) => {
      const { alg: _, kid: __, ...rest } = partsOf(token).header as Record<string, string>
      return signJwt({ typ: '', ...rest, ...header }, { ...partsOf(token).claims, ...claims }, key)
    }
    const now = () => Math.floor(Date.now() / 1000)

    it('the token that all of these are derived from is valid', async () => {
      const token = await good()
      expect(await isGood(token)).to.equal(true)
      expect((await send('introspect', caller, { token })).body.active).to.equal(true)
      expect(await isGood(await ours(token, {}, {}))).to.equal(true)
    })
    for (const alg of ['none', 'None', 'NONE', ''])
      it(`alg "${alg}", unsigned or with the signature still attached`, async () => {
        const { header, raw, signature } = partsOf(await good())
        for (const tail of ['', signature, 'x'])
          await worthless(`${part({ ...header, alg })}.${raw.payload}.${tail}`)
      })
    it('HS256 with the public key as the secret, in every published or likely form', async () => {
      const { header, claims } = partsOf(await good())
      const { keys } = (await (await fetch(`${service.publicUrl}/oauth2/keys`)).json()) as { keys: JWK[] }
      const [jwk = { kty: 'RSA' }] = keys
      const pem = createPublicKey({ key: jwk, format: 'jwk' })
        .export({ type: 'spki', format: 'pem' })
        .toString()
      for (const secret of [pem, pem.trim(), JSON.stringify(jwk), jwk.n ?? '', header['kid'] as string])
        for (const alg of ['HS256', 'HS512'])
          await worthless(
            await new SignJWT(claims)
              .setProtectedHeader({ ...header, alg })
              .sign(new TextEncoder().encode(secret.padEnd(64))),
          )
      for (const secret of [pem, pem.trim(), JSON.stringify(jwk)])
        await worthless(
          await new SignJWT(claims)
            .setProtectedHeader({ ...header, alg: 'HS256' })
            .sign(new TextEncoder().encode(secret)),
        )
    })
    describe('RS256 with the attacker’s own key', () => {
      let mine: { publicKey: KeyObject; privateKey: KeyObject }
      before(() => {
        mine = generateKeyPairSync('rsa', { modulusLength: 2048 })
      })
      const forged = (token: string, header: Record<string, unknown>) =>
        new SignJWT(partsOf(token).claims)
          .setProtectedHeader({ ...partsOf(token).header, alg: 'RS256', ...header })
          .sign(mine.privateKey)
      it('under our key id', async () => worthless(await forged(await good(), {})))
      it('with the key in the header as jwk', async () => {
        const jwk = mine.publicKey.export({ format: 'jwk' }) as JWK
        await worthless(await forged(await good(), { jwk }))
        await worthless(await forged(await good(), { jwk: { ...jwk, kid: 'mine' }, kid: 'mine' }))
      })
      it('with the key at jku or x5u, which is never fetched', async () => {
        const jwks = 'http://127.0.0.1:21699/keys'
        await worthless(await forged(await good(), { jku: jwks, kid: 'mine' }))
        await worthless(await forged(await good(), { x5u: jwks, x5c: ['MIIB'], kid: undefined }))
      })
      for (const kid of [
        '../../etc/passwd',
        '/dev/null',
        "' or 1=1 --",
        '__proto__',
        'constructor',
        '',
        'a\0b',
        'x'.repeat(5000),
      ])
        it(`under the key id ${JSON.stringify(kid.slice(0, 20))}`, async () =>
          worthless(await forged(await good(), { kid })))
      it('without a key id', async () => worthless(await forged(await good(), { kid: undefined })))
      it('with another algorithm of the key', async () => {
        for (const alg of ['RS512', 'PS256']) await worthless(await forged(await good(), { alg }))
      })
      it('with critical extensions', async () => {
        const { header, claims } = partsOf(await good())
        const crit = await new SignJWT(claims)
          .setProtectedHeader({ ...header, alg: 'RS256', crit: ['x'], x: 1 })
          .sign(mine.privateKey, { crit: { x: false } })
        await worthless(crit)
      })
    })
    it('another payload or header with the same signature', async () => {
      const token = await good()
      const { header, claims, raw, signature } = partsOf(token)
      for (const changed of [
        { sub: 'usr_x' },
        { scope: 'openid email' },
        { exp: now() + 86_400 },
        { aud: ['x'] },
      ])
        await worthless(`${raw.header}.${part({ ...claims, ...changed })}.${signature}`)
      await worthless(`${part({ ...header, typ: 'JWT' })}.${raw.payload}.${signature}`)
      await worthless(`${raw.header}.${raw.payload}.${signature.slice(0, -4)}AAAA`)
    })
    it('the reference to one grant in the token of another', async () => {
      const [first, second] = [await good(), await good()]
      const { header } = partsOf(second)
      const { raw, signature } = partsOf(first)
      await worthless(`${part(header)}.${raw.payload}.${signature}`)
    })
    it('expired, from another issuer, of another type, or without a reference, although correctly signed', async () => {
      const token = await good()
      await worthless(await ours(token, {}, { exp: now() - 1 }))
      await worthless(await ours(token, {}, { nbf: now() + 600 }))
      await worthless(await ours(token, {}, { iss: 'https://evil.example' }))
      await worthless(await ours(token, {}, { iss: `${service.publicUrl}/` }))
      for (const typ of ['JWT', 'jwt', 'logout+jwt', 'dpop+jwt'])
        await worthless(await ours(token, { typ }, {}))
      await worthless(await ours(token, { ref: '' }, {}))
      await worthless(await ours(token, { ref: 'AAAA' }, {}))
    })
    it('an ID token as an access token, and renamed to one', async () => {
      const { id_token } = await tokensOf(caller, 'openid email')
      await worthless(id_token)
      await worthless(await ours(id_token, { typ: 'at+jwt' }, {}))
    })
    it('an access token as id_token_hint, and an ID token of another client, of another issuer, or unsigned', async () => {
      const { access_token, id_token } = await tokensOf(caller, 'openid billing:read')
      const theirs = await tokensOf(other, 'openid')
      const { header, raw } = partsOf(id_token)
      const hints = [
        access_token,
        theirs.id_token,
        await ours(id_token, { typ: 'JWT' }, { iss: 'https://evil.example' }),
        await ours(id_token, { typ: 'at+jwt' }, {}),
        await ours(access_token, { typ: 'JWT' }, { aud: caller.clientId }),
        `${part({ ...header, alg: 'none' })}.${raw.payload}.`,
      ]
      const { challenge } = pkce()
      const parameters = { prompt: 'none', code_challenge: challenge, code_challenge_method: 'S256' }
      for (const id_token_hint of hints) {
        const { query } = await world.authorize(caller, person, { ...parameters, id_token_hint })
        expect(query['error']).to.equal('invalid_request')
      }
      const expired = await ours(id_token, { typ: 'JWT' }, { exp: now() - 86_400 })
      for (const id_token_hint of [id_token, expired])
        expect(
          (await world.authorize(caller, person, { ...parameters, id_token_hint })).query['code'],
        ).to.be.a('string')
    })
    it('malformed compact forms', async () => {
      const token = await good()
      const { raw, signature } = partsOf(token)
      for (const odd of [
        `${token}.`,
        `.${token}`,
        `${raw.header}.${raw.payload}`,
        `${raw.header}..${signature}`,
        `${raw.header}.${raw.payload}.${signature}=`,
        `${token}.${signature}.x`,
        'eyJ.eyJ.eyJ',
        'e30.e30.e30',
      ])
        expect((await world.userinfo(odd)).status, odd.slice(-10)).to.be.oneOf([400, 401])
    })
  })
})
