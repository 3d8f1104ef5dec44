import { expect } from 'chai'
import { basic, CALLBACK, oidcWorld, pkce } from '../../support/oidc/oidc.ts'
import type { OidcWorld, TestApplication } from '../../support/oidc/oidc.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

/** Responses have many shapes. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

describe('OpenID Connect: settings of an application', () => {
  let service: TestService
  let world: OidcWorld
  let admin: TestPerson
  let person: TestPerson
  let groupId: string
  let made = 0
  before(async () => {
    service = await testService()
    world = oidcWorld(service)
    admin = await service.person({}, ['app_admin'])
    person = await service.person()
    groupId = await world.group()
    await world.join(groupId, person.userId)
  })
  after(() => service.stop())

  const api = async (method: string, path: string, body?: object, status = 200): Promise<Json> => {
    const answer = await service.api(method, path, { as: admin, ...(body === undefined ? {} : { body }) })
    expect(answer.status, JSON.stringify(answer.body)).to.equal(status)
    return answer.body
  }

  /** Registers an application through the API, and returns it as its developer knows it. */
  const registered = async (
    type: 'web' | 'spa' | 'native' | 'service',
    settings: object = {},
  ): Promise<TestApplication> => {
    const name = `Set ${String(++made)}`
    const body = await api(
      'POST',
      '/applications',
      {
        name,
        protocol: 'oidc',
        type,
        groupIds: [groupId],
        ...(type === 'service' ? {} : { redirectUris: [CALLBACK] }),
        ...settings,
      },
      201,
    )
    return {
      applicationId: body.id,
      clientId: body.clientId,
      name,
      secret: body.clientSecret ?? '',
      secretId: '',
      groupId,
    }
  }
  const set = (app: TestApplication, settings: object, status = 200) =>
    api('PATCH', `/applications/${app.applicationId}`, settings, status)
  const offline = 'openid offline_access'
  const tokens = async (app: TestApplication, scope = offline): Promise<Json> => {
    const { status, body } = await world.redeem(app, await world.code(app, person, { scope }))
    expect(status, JSON.stringify(body)).to.equal(200)
    return body
  }
  const client = (app: TestApplication): Record<string, string> =>
    app.secret === '' ? { client_id: app.clientId } : { client_id: app.clientId, client_secret: app.secret }
  const refresh = (app: TestApplication, token: string) =>
    world.token({ grant_type: 'refresh_token', refresh_token: token, ...client(app) })
  const introspect = async (app: TestApplication, token: string): Promise<Json> => {
    const response = await fetch(`${service.publicUrl}/oauth2/introspect`, {
      method: 'POST',
      headers: { Authorization: basic(app.clientId, app.secret) },
      body: new URLSearchParams({ token }),
    })
    return response.json()
  }
  /** Whether a secret is accepted: the error is then the invalid code. */
  const isSecret = async (app: TestApplication, secret: string): Promise<boolean> => {
    const fields = { grant_type: 'authorization_code', code: 'x', redirect_uri: CALLBACK }
    const { status, body } = await world.token(fields, { Authorization: basic(app.clientId, secret) })
    expect([status, body.error]).to.be.deep.oneOf([
      [400, 'invalid_grant'],
      [401, 'invalid_client'],
    ])
    return status === 400
  }

  describe('OIDC-16 lifetimes', () => {
    const lives = async (app: TestApplication) => {
      const { id_token, expires_in, access_token, refresh_token } = await tokens(app)
      const id = world.claimsIn(id_token)
      const [access, kept] = [await introspect(app, access_token), await introspect(app, refresh_token)]
      expect(access.exp - access.iat).to.equal(expires_in)
      return [id.exp - id.iat, expires_in, kept.exp - kept.iat]
    }
    it('are 15 minutes, 15 minutes and 8 hours', async () => {
      expect(await lives(await registered('web'))).to.deep.equal([900, 900, 28_800])
    })
    it('have the configured values, from the first token after the change', async () => {
      const app = await registered('web', {
        idTokenLifetimeSeconds: 60,
        accessTokenLifetimeSeconds: 86_400,
        refreshTokenLifetimeSeconds: 300,
      })
      expect(await lives(app)).to.deep.equal([60, 86_400, 300])
      const shown = await set(app, {
        idTokenLifetimeSeconds: 86_400,
        accessTokenLifetimeSeconds: 60,
        refreshTokenLifetimeSeconds: 31_536_000,
      })
      expect(shown).to.include({ idTokenLifetimeSeconds: 86_400, accessTokenLifetimeSeconds: 60 })
      expect(await lives(app)).to.deep.equal([86_400, 60, 31_536_000])
    })
    it('of a refresh are those at the time of the refresh', async () => {
      const app = await registered('web')
      const { refresh_token } = await tokens(app)
      await set(app, {
        accessTokenLifetimeSeconds: 120,
        idTokenLifetimeSeconds: 180,
        refreshTokenLifetimeSeconds: 600,
      })
      const { body } = await refresh(app, refresh_token)
      expect(body.expires_in).to.equal(120)
      const { exp, iat } = world.claimsIn(body.id_token)
      expect(exp - iat).to.equal(180)
      const kept = await introspect(app, body.refresh_token)
      expect(kept.exp - kept.iat).to.equal(600)
    })
    it('apply to a service’s own token as well', async () => {
      const app = await registered('service', { accessTokenLifetimeSeconds: 75 })
      const { body } = await world.token({ grant_type: 'client_credentials', ...client(app) })
      expect(body.expires_in).to.equal(75)
      const { exp, iat } = world.claimsIn(body.access_token)
      expect(exp - iat).to.equal(75)
    })
    for (const [name, values] of Object.entries({
      idTokenLifetimeSeconds: [59, 86_401, 60.5, '900', null],
      accessTokenLifetimeSeconds: [59, 86_401, -1, true],
      refreshTokenLifetimeSeconds: [299, 31_536_001, 0],
      refreshTokenGraceSeconds: [-1, 61, 0.5],
      refreshTokenRotation: ['false', 0],
      requirePkce: ['false', 0],
    }))
      it(`${name} is rejected out of its range, and does not change`, async () => {
        const app = await registered('web')
        const before = await api('GET', `/applications/${app.applicationId}`)
        for (const value of values) {
          const { error } = await set(app, { [name]: value }, 422)
          expect(error).to.deep.include({ code: 'ERR_INVALID', field: `/${name}` })
        }
        expect(await api('GET', `/applications/${app.applicationId}`)).to.deep.equal(before)
      })
  })

  describe('OIDC-06 rotation and grace', () => {
    it('on: each refresh token works once; off: repeatedly; a PATCH takes effect from the next refresh', async () => {
      const app = await registered('spa')
      const { refresh_token: first } = await tokens(app)
      const { body: second } = await refresh(app, first)
      expect(second.refresh_token).to.not.equal(first)
      await set(app, { refreshTokenRotation: false })
      for (let n = 0; n < 3; n += 1) expect((await refresh(app, second.refresh_token)).status).to.equal(200)
      await set(app, { refreshTokenRotation: true })
      expect((await refresh(app, second.refresh_token)).status).to.equal(200)
      expect((await refresh(app, second.refresh_token)).body.error).to.equal('invalid_grant')
    })
    it('the previous token is accepted again within the grace period, and not after it', async () => {
      const app = await registered('spa', { refreshTokenGraceSeconds: 4 })
      const { refresh_token } = await tokens(app)
      const [one, two] = [await refresh(app, refresh_token), await refresh(app, refresh_token)]
      expect([one.status, two.status]).to.deep.equal([200, 200])
      await until(
        async () => (await refresh(app, refresh_token)).status === 400,
        15_000,
        'the end of the grace',
      )
      expect((await refresh(app, two.body.refresh_token)).body.error).to.equal('invalid_grant')
    })
    it('the grace period can be set and removed with PATCH', async () => {
      const app = await registered('web')
      const { refresh_token } = await tokens(app)
      await set(app, { refreshTokenGraceSeconds: 60 })
      expect((await refresh(app, refresh_token)).status).to.equal(200)
      expect((await refresh(app, refresh_token)).status).to.equal(200)
      await set(app, { refreshTokenGraceSeconds: 0 })
      expect((await refresh(app, refresh_token)).body.error).to.equal('invalid_grant')
    })
  })

  describe('OIDC-03 requirePkce', () => {
    const { challenge } = pkce()
    it('off: a web application may omit PKCE, but not use it partly', async () => {
      const app = await registered('web', { requirePkce: false })
      const { query } = await world.authorize(app, person)
      const { status } = await world.token({
        grant_type: 'authorization_code',
        code: query['code'] ?? '',
        redirect_uri: CALLBACK,
        ...client(app),
      })
      expect(status).to.equal(200)
      expect((await world.authorize(app, person, { code_challenge: challenge })).query['error']).to.equal(
        'invalid_request',
      )
    })
    it('on again: from the next request', async () => {
      const app = await registered('web', { requirePkce: false })
      expect((await world.authorize(app, person)).query['code']).to.be.a('string')
      await set(app, { requirePkce: true })
      expect((await world.authorize(app, person)).query['error']).to.equal('invalid_request')
    })
    it('is always on for single-page and native applications, and for services', async () => {
      for (const type of ['spa', 'native', 'service'] as const) {
        const body = { name: `No PKCE ${type}`, protocol: 'oidc', type, requirePkce: false }
        const uris = type === 'service' ? {} : { redirectUris: [CALLBACK] }
        const { error } = await api('POST', '/applications', { ...body, ...uris }, 422)
        expect(error).to.deep.include({ code: 'ERR_INVALID', field: '/requirePkce' })
        const app = await registered(type)
        expect((await set(app, { requirePkce: false }, 422)).error.field).to.equal('/requirePkce')
        if (type !== 'service')
          expect((await world.authorize(app, person)).query['error']).to.equal('invalid_request')
      }
    })
  })

  describe('OIDC-05 secrets', () => {
    const path = (app: TestApplication) => `/applications/${app.applicationId}`
    it('two work at the same time, and end independently', async () => {
      const app = await registered('web')
      const second = await api('POST', `${path(app)}/secrets`, {}, 201)
      expect(await isSecret(app, app.secret)).to.equal(true)
      expect(await isSecret(app, second.clientSecret)).to.equal(true)
      const { error } = await api('POST', `${path(app)}/secrets`, {}, 409)
      expect(error.code).to.equal('ERR_CONFLICT')
      const [first] = ((await api('GET', `${path(app)}/secrets`)) as { id: string }[]).filter(
        ({ id }) => id !== second.id,
      )
      await api('DELETE', `${path(app)}/secrets/${first?.id ?? ''}`, undefined, 204)
      expect(await isSecret(app, app.secret)).to.equal(false)
      expect(await isSecret(app, second.clientSecret)).to.equal(true)
    })
    it('an expired secret no longer counts towards the limit', async () => {
      const app = await registered('web')
      const expiresAt = new Date(Date.now() + 4000).toISOString()
      const { clientSecret } = await api('POST', `${path(app)}/secrets`, { expiresAt }, 201)
      expect(await isSecret(app, clientSecret)).to.equal(true)
      await until(async () => !(await isSecret(app, clientSecret)), 15_000, 'the end of the secret')
      expect(Date.now()).to.be.at.least(Date.parse(expiresAt))
      expect(await isSecret(app, app.secret)).to.equal(true)
      await api('POST', `${path(app)}/secrets`, {}, 201)
    })
    it('a rotated secret ends immediately without a grace period, otherwise at its end', async () => {
      const app = await registered('service')
      const second = await api('POST', `${path(app)}/secret/rotate`)
      expect(await isServiceSecret(app, app.secret)).to.equal(false)
      expect(await isServiceSecret(app, second.clientSecret)).to.equal(true)
      const third = await api('POST', `${path(app)}/secret/rotate`, { graceSeconds: 4 })
      expect(await isServiceSecret(app, second.clientSecret)).to.equal(true)
      expect(await isServiceSecret(app, third.clientSecret)).to.equal(true)
      await until(
        async () => !(await isServiceSecret(app, second.clientSecret)),
        15_000,
        'the end of the grace',
      )
      expect(await isServiceSecret(app, third.clientSecret)).to.equal(true)
    })
    it('show when they were last used', async () => {
      const app = await registered('service')
      const lastUsed = async (): Promise<string | null> =>
        (await api('GET', `${path(app)}/secrets`))[0].lastUsedAt
      expect(await isServiceSecret(app, 'svs_wrong')).to.equal(false)
      expect(await lastUsed()).to.equal(null)
      expect(await isServiceSecret(app, app.secret)).to.equal(true)
      await until(async () => (await lastUsed()) !== null, 15_000, 'the stored use')
    })
    it('introspection and revocation accept the same secrets', async () => {
      const app = await registered('web')
      const { access_token: token } = await tokens(app)
      const { clientSecret } = await api('POST', `${path(app)}/secret/rotate`)
      for (const endpoint of ['introspect', 'revoke'])
        for (const [secret, status] of [
          [app.secret, 401],
          [clientSecret, 200],
        ] as const) {
          const answer = await fetch(`${service.publicUrl}/oauth2/${endpoint}`, {
            method: 'POST',
            headers: { Authorization: basic(app.clientId, secret) },
            body: new URLSearchParams({ token }),
          })
          expect(answer.status, endpoint).to.equal(status)
        }
    })
    const isServiceSecret = async (app: TestApplication, secret: string): Promise<boolean> => {
      const { status } = await world.token(
        { grant_type: 'client_credentials' },
        { Authorization: basic(app.clientId, secret) },
      )
      expect(status).to.be.oneOf([200, 401])
      return status === 200
    }
  })

  describe('a disabled application', () => {
    it('nothing works, and enabling the application restores no token', async () => {
      const app = await registered('web')
      const before = await tokens(app)
      const code = await world.code(app, person)
      await api('POST', `/applications/${app.applicationId}/disable`, undefined, 204)
      const refused = await world.authorize(app, person, {
        code_challenge: pkce().challenge,
        code_challenge_method: 'S256',
      })
      expect([refused.status, refused.location]).to.deep.equal([400, null])
      expect(refused.text).to.include('ERR_INVALID_CLIENT')
      expect((await world.redeem(app, code)).body.error).to.equal('invalid_client')
      expect((await refresh(app, before.refresh_token)).body.error).to.equal('invalid_client')
      expect((await world.userinfo(before.access_token)).status).to.equal(401)
      expect((await introspect(app, before.access_token)).error).to.equal('invalid_client')
      await api('POST', `/applications/${app.applicationId}/enable`, undefined, 204)
      expect((await refresh(app, before.refresh_token)).body.error).to.equal('invalid_grant')
      expect((await world.redeem(app, code)).body.error).to.equal('invalid_grant')
      expect((await world.userinfo(before.access_token)).status).to.equal(401)
      expect(await introspect(app, before.access_token)).to.deep.equal({ active: false })
      await tokens(app)
    })
    it('invalidates the own tokens of a service, too', async () => {
      const app = await registered('service')
      const asker = { grant_type: 'client_credentials', ...client(app) }
      const { body } = await world.token(asker)
      expect((await introspect(app, body.access_token)).active).to.equal(true)
      await api('POST', `/applications/${app.applicationId}/disable`, undefined, 204)
      expect((await world.token(asker)).body.error).to.equal('invalid_client')
      await api('POST', `/applications/${app.applicationId}/enable`, undefined, 204)
      expect((await introspect(app, body.access_token)).active).to.equal(false)
      expect((await world.token(asker)).status).to.equal(200)
    })
    it('during a sign-in to it, the user gets an error page, and nothing is sent', async () => {
      const app = await registered('web')
      const proof = { code_challenge: pkce().challenge, code_challenge_method: 'S256' }
      const { location } = await world.authorize(app, null, proof)
      await api('POST', `/applications/${app.applicationId}/disable`, undefined, 204)
      const { pathname, search } = new URL(location ?? '')
      expect((await world.browse(pathname + search, null)).status).to.equal(404)
      const resumed = await world.browse(`/oauth2/authorize/resume${search}`, person)
      expect([resumed.status, resumed.location]).to.deep.equal([400, null])
    })
  })

  describe('allowedOrigins', () => {
    const isAllowed = async (origin: string) => {
      const { headers } = await fetch(`${service.publicUrl}/oauth2/token`, {
        method: 'OPTIONS',
        headers: { Origin: origin },
      })
      return headers.get('access-control-allow-origin') === origin
    }
    it('replace the origins of the redirect URIs immediately', async () => {
      const app = await registered('spa', { redirectUris: ['https://one.example.com/cb'] })
      expect(await isAllowed('https://one.example.com')).to.equal(true)
      await set(app, { allowedOrigins: ['https://two.example.com', 'http://localhost:5199'] })
      expect(await isAllowed('https://one.example.com')).to.equal(false)
      expect(await isAllowed('https://two.example.com')).to.equal(true)
      expect(await isAllowed('http://localhost:5199')).to.equal(true)
      await set(app, { allowedOrigins: [] })
      expect(await isAllowed('https://one.example.com')).to.equal(true)
    })
    it('must be origins', async () => {
      const app = await registered('spa')
      for (const bad of [
        'https://a.example.com/',
        'https://a.example.com/x',
        'a.example.com',
        '*',
        'null',
        'http://a.example.com',
        'https://*.example.com',
        'https://A.example.com',
        'https://u@a.example.com',
        'https://a.example.com:443',
      ])
        expect((await set(app, { allowedOrigins: [bad] }, 422)).error.field, bad).to.equal(
          '/allowedOrigins/0',
        )
    })
    it('have no effect for other application types', async () => {
      const app = await registered('web')
      await service.api('PATCH', `/applications/${app.applicationId}`, {
        as: admin,
        body: { allowedOrigins: ['https://three.example.com'] },
      })
      expect(await isAllowed('https://three.example.com')).to.equal(false)
    })
  })
})
