import { expect } from 'chai'
import { CALLBACK, oidcWorld, pkce, type OidcWorld, type TestApplication } from '../../support/oidc/oidc.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'
import { READ_MODELS } from '../../../read-models/schema.ts'

const IDENTIFIER = 'https://ledger.example.com'

describe('OpenID Connect: what an authorization request may contain', () => {
  let service: TestService
  let world: OidcWorld
  let app: TestApplication
  let person: TestPerson
  const { challenge, verifier } = pkce()
  const proof = { code_challenge: challenge, code_challenge_method: 'S256' }
  before(async () => {
    service = await testService()
    world = oidcWorld(service)
    app = await world.application('web')
    person = await world.member(app)
  })
  after(() => service.stop())

  const ask = (who: Pick<TestPerson, 'cookie'> | null, more: Record<string, string> = {}, tail = '') =>
    world.authorize(app, who, { ...proof, ...more }, tail)
  const show = (location: string | null, who: Pick<TestPerson, 'cookie'> | null) => {
    const { pathname, search } = new URL(location ?? '')
    return world.browse(pathname + search, who)
  }
  const resume = (location: string | null, who: Pick<TestPerson, 'cookie'> | null) =>
    world.browse(`/oauth2/authorize/resume${new URL(location ?? '').search}`, who)
  const idTokenOf = async (code: string | undefined) => {
    const { body } = await world.redeem(app, { code: code ?? '', verifier })
    return world.claimsIn(body.id_token)
  }
  const withCode = () => service.signIn(person.userId, person.email, { methods: ['authenticator_code'] })

  describe('acr_values', () => {
    for (const acrValues of [
      'phr',
      'phrh',
      'phr phrh',
      'urn:svc:acr:otp',
      'urn:unknown',
      'urn:unknown phr',
      '1 2',
    ])
      it(`"${acrValues}" is satisfied by a passkey, and the ID token contains the method`, async () => {
        const { query } = await ask(person, { acr_values: acrValues })
        expect(await idTokenOf(query['code'])).to.deep.include({ acr: 'phr', amr: ['hwk', 'user'] })
      })
    it('is satisfied by a weaker session if that is requested, or if no known value is', async () => {
      const weak = await withCode()
      for (const acrValues of ['urn:svc:acr:otp', 'phr urn:svc:acr:otp', 'urn:unknown', ''])
        expect(await idTokenOf((await ask(weak, { acr_values: acrValues })).query['code'])).to.include({
          acr: 'urn:svc:acr:otp',
        })
    })
    it('OIDC-20 the sign-in page receives the strength of proof that is required', async () => {
      const cases = [
        ['', 'none'],
        ['urn:unknown', 'none'],
        ['urn:svc:acr:otp', 'otp'],
        ['phr urn:svc:acr:otp', 'otp'],
        ['phr', 'phishing_resistant'],
        ['phrh phr', 'phishing_resistant'],
      ] as const
      for (const [acrValues, requiredStrength] of cases) {
        const { location } = await ask(null, { acr_values: acrValues, prompt: 'login', login_hint: 'ada' })
        const id = new URL(location ?? '').searchParams.get('authRequest') ?? ''
        const { body } = await service.api('GET', `/auth/requests/${id}`)
        expect(body, acrValues).to.deep.equal({
          applicationName: app.name,
          prompt: ['login'],
          loginHint: 'ada',
          requiredStrength,
          expiresAt: body.expiresAt,
        })
      }
    })
    it('if not satisfied, requires a sign-in with the reason on its page, then returns the reached strength', async () => {
      for (const acrValues of ['phr', 'phrh', 'phrh phr']) {
        const asking = await ask(await withCode(), { acr_values: acrValues })
        const page = await show(asking.location, await withCode())
        expect(page.text).to.include('data-code="ERR_STRONGER_AUTH_REQUIRED"')
        expect(page.text).to.include(`${app.name} requires a passkey or security key`)
        const stillWeak = await resume(asking.location, await withCode())
        expect(await idTokenOf(stillWeak.query['code'])).to.include({ acr: 'urn:svc:acr:otp' })
        const strong = await resume(
          (await ask(await withCode(), { acr_values: acrValues })).location,
          await service.signIn(person.userId, person.email),
        )
        expect(await idTokenOf(strong.query['code'])).to.include({ acr: 'phr' })
      }
    })
    it('if not satisfied and silent, never causes an error', async () => {
      const { query } = await ask(await withCode(), { acr_values: 'phrh', prompt: 'none' })
      expect(await idTokenOf(query['code'])).to.include({ acr: 'urn:svc:acr:otp' })
    })
    it('OIDC-01 discovery lists every acr that is issued', async () => {
      const response = await fetch(`${service.publicUrl}/.well-known/openid-configuration`)
      const { acr_values_supported: listed } = (await response.json()) as { acr_values_supported: string[] }
      expect(listed).to.deep.equal(['urn:svc:acr:otp', 'phr'])
    })
  })

  describe('OIDC-20 the sign-in page', () => {
    const asks: Record<string, () => Promise<Record<string, string>>> = {
      'prompt=login': () => Promise.resolve({ prompt: 'login' }),
      'prompt=select_account': () => Promise.resolve({ prompt: 'select_account' }),
      'prompt=login consent': () => Promise.resolve({ prompt: 'login consent' }),
      'max_age=0': () => Promise.resolve({ max_age: '0' }),
      'a hint for another user': async () => {
        const { body } = await world.redeem(app, await world.code(app, await world.member(app)))
        return { id_token_hint: String(body.id_token) }
      },
    }
    for (const [what, more] of Object.entries(asks))
      it(`returns ERR_REAUTH_REQUIRED to a signed-in user: ${what}`, async () => {
        const { location } = await ask(person, await more())
        const page = await show(location, person)
        expect(page.status).to.equal(200)
        expect(page.text).to.include('data-code="ERR_REAUTH_REQUIRED"')
        expect(page.text).to.include(`${app.name} requires you to sign in again.`)
        expect(page.text).to.include(person.email.split('@')[0])
      })
    it('does not return it to a user who is not signed in', async () => {
      for (const more of [{}, { prompt: 'login' }, { max_age: '0' }]) {
        const { location } = await ask(null, more)
        expect((await show(location, null)).text).not.to.include('data-code=')
      }
      const { location } = await ask(person, { prompt: 'login' })
      expect((await show(location, null)).text).not.to.include('data-code=')
    })
    it('draws the sign-in page in the first language of ui_locales that it has', async () => {
      for (const [wanted, language] of [
        ['fr de-AT en', 'de'],
        ['en de', 'en'],
        ['fr', 'en'],
      ] as const) {
        const { location } = await ask(null, { ui_locales: wanted })
        expect((await show(location, null)).text, wanted).to.include(`<html lang="${language}">`)
      }
    })
    it('shows the user in login_hint; a signed-in user continues anyway', async () => {
      const { location } = await ask(null, { login_hint: 'ada@example.com' })
      expect((await show(location, null)).text).to.include('ada<wbr />@example.com')
      const { query } = await ask(person, { login_hint: 'ada@example.com' })
      expect(query['code']).to.be.a('string')
    })
  })

  describe('max_age and auth_time', () => {
    it('auth_time is the time of the sign-in, also after a refresh', async () => {
      const { query } = await ask(person, { max_age: '3600', scope: 'openid offline_access' })
      const { body } = await world.redeem(app, { code: query['code'] ?? '', verifier })
      const { rows } = await service.core.workPool.query<{ at: string }>(
        `select floor(extract(epoch from auth_time::timestamptz)) as at from ${READ_MODELS}.sessions where id = $1`,
        [person.sessionId],
      )
      const authTime = Number(rows[0]?.at)
      expect(world.claimsIn(body.id_token).auth_time).to.equal(authTime)
      const refreshed = await world.token({
        grant_type: 'refresh_token',
        refresh_token: body.refresh_token,
        client_id: app.clientId,
        client_secret: app.secret,
      })
      expect(world.claimsIn(refreshed.body.id_token).auth_time).to.equal(authTime)
    })
    it('max_age=0 requires a new sign-in, and auth_time is then later', async () => {
      const before = await idTokenOf((await ask(person)).query['code'])
      const answer = await ask(person, { max_age: '0' })
      expect((await resume(answer.location, person)).query['code']).to.equal(undefined)
      const again = await ask(person, { max_age: '0' })
      const anew = await service.signIn(person.userId, person.email)
      const after = await idTokenOf((await resume(again.location, anew)).query['code'])
      expect(after.auth_time).to.be.at.least(before.auth_time)
      expect(after.sid).to.equal(anew.sessionId)
    })
    for (const bad of ['-1', '1.5', '1e3', ' 1', 'x', '9999999999'])
      it(`max_age=${bad}: invalid_request`, async () => {
        expect((await ask(person, { max_age: bad })).query['error']).to.equal('invalid_request')
      })
  })

  it('ignores unknown parameters', async () => {
    const { query } = await ask(person, {
      ui_locales: 'de fr-CA',
      claims_locales: 'de',
      claims: '{"userinfo":{"email":{"essential":true}}}',
      display: 'popup',
      unknown: 'x',
      audience: 'https://api.example.com',
      access_type: 'offline',
      prompt: '',
    })
    expect(query['code']).to.be.a('string')
  })

  for (const [name, value, error] of [
    ['request', 'x'.repeat(5000), 'request_not_supported'],
    ['request_uri', 'https://app.example.com/request.jwt', 'request_uri_not_supported'],
    ['registration', '{"client_name":"x"}', 'registration_not_supported'],
  ] as const)
    it(`${name}: ${error}, by GET and POST`, async () => {
      expect((await ask(person, { [name]: value })).query).to.include({ error, state: 'the state' })
      const body = new URLSearchParams({
        client_id: app.clientId,
        redirect_uri: CALLBACK,
        response_type: 'code',
        scope: 'openid',
        ...proof,
        [name]: value,
      })
      const posted = await world.browse('/oauth2/authorize', person, { method: 'POST', body })
      expect(posted.query['error']).to.equal(error)
    })

  it('nonce is returned unchanged in the ID token', async () => {
    for (const nonce of ['n', '0', 'ü "\\ \u{1F600}', 'x'.repeat(512)])
      expect((await idTokenOf((await ask(person, { nonce })).query['code'])).nonce).to.equal(nonce)
    expect(await idTokenOf((await ask(person)).query['code'])).not.to.have.property('nonce')
  })

  describe('APR-02 resource', () => {
    let caller: TestApplication
    before(async () => {
      const admin = await service.person({}, ['global_admin'])
      caller = await world.application('web')
      await world.join(caller.groupId, person.userId)
      for (const [identifier, scope] of [
        [IDENTIFIER, 'ledger:read'],
        [`${IDENTIFIER}/2`, 'ledger2:read'],
        [`${IDENTIFIER}/3`, 'ledger3:read'],
      ] as const) {
        const { body, status } = await service.api('POST', '/api-resources', {
          as: admin,
          body: { identifier, name: scope, scopes: [{ name: scope }, { name: `${scope}.all` }] },
        })
        expect(status).to.equal(201)
        if (scope === 'ledger3:read') continue
        await service.api('PUT', `/api-resources/${String(body.id)}/grants/${caller.applicationId}`, {
          as: admin,
          body: { scopes: [scope] },
        })
      }
    })
    const get = async (scope: string, tail: string) => {
      const { query } = await world.authorize(caller, person, { ...proof, scope }, tail)
      if (query['error'] !== undefined) return { error: query['error'] }
      const { body } = await world.redeem(caller, { code: query['code'] ?? '', verifier })
      const { aud } = world.claimsIn(body.access_token)
      return { aud, scope: body.scope }
    }
    it('adds its granted scopes, sent once or several times', async () => {
      expect(await get('openid', `&resource=${IDENTIFIER}`)).to.deep.equal({
        aud: [IDENTIFIER],
        scope: 'openid ledger:read',
      })
      expect(await get('openid', `&resource=${IDENTIFIER}&resource=${IDENTIFIER}/2`)).to.deep.equal({
        aud: [IDENTIFIER, `${IDENTIFIER}/2`],
        scope: 'openid ledger:read ledger2:read',
      })
    })
    it('a scope adds its API', async () => {
      expect(await get('openid ledger:read', '')).to.deep.equal({
        aud: [IDENTIFIER],
        scope: 'openid ledger:read',
      })
    })
    it('APR-03 without a grant, or without an exact match: invalid_target, whatever else is requested', async () => {
      for (const tail of [
        `${IDENTIFIER}/3`,
        `${IDENTIFIER}/`,
        `${IDENTIFIER}#x`,
        'x',
        IDENTIFIER.toUpperCase(),
      ])
        expect(
          await get('openid', `&resource=${IDENTIFIER}&resource=${encodeURIComponent(tail)}`),
        ).to.deep.equal({
          error: 'invalid_target',
        })
    })
    it('a scope that was not granted fails the whole request', async () => {
      for (const scope of [
        'openid ledger:read.all',
        'openid ledger3:read',
        'openid ledger:read ledger2:read.all',
      ])
        expect(await get(scope, '')).to.deep.equal({ error: 'invalid_scope' })
    })
  })

  describe('when the service itself fails, the application is notified', () => {
    const sql = (text: string) => service.core.workPool.query(text)
    const failing = async (code: string, work: () => Promise<void>) => {
      await sql(`create function work.fail() returns trigger language plpgsql as
        $$ begin raise exception 'no' using errcode = '${code}'; end $$`)
      await sql('create trigger fail before insert on work.auth_request execute function work.fail()')
      try {
        await work()
      } finally {
        await sql('drop function work.fail() cascade')
      }
    }
    for (const [code, error] of [
      ['57P03', 'temporarily_unavailable'],
      ['22012', 'server_error'],
    ] as const)
      it(`${error}, after its address was accepted`, () =>
        failing(code, async () => {
          expect((await ask(null)).query).to.include({ error, state: 'the state', iss: service.publicUrl })
          const form = await ask(null, { response_mode: 'form_post' })
          expect(form.text).to.include(`name="error" value="${error}"`)
        }))

    it('temporarily_unavailable also if its address is known only from memory; others get nothing', async () => {
      await sql(`create function ${READ_MODELS}.away() returns boolean language plpgsql as
        $$ begin raise exception 'away' using errcode = '57P03'; end $$`)
      await sql(`alter table ${READ_MODELS}.configuration_change rename to configuration_change_kept`)
      await sql(
        `create view ${READ_MODELS}.configuration_change as select * from ${READ_MODELS}.configuration_change_kept where ${READ_MODELS}.away()`,
      )
      try {
        for (const more of [{}, { prompt: 'none' }])
          expect((await ask(person, more)).query).to.include({
            error: 'temporarily_unavailable',
            state: 'the state',
          })
        for (const wrong of [{ client_id: 'sv_new' }, { redirect_uri: 'https://new.example/' }]) {
          const { status, location, text } = await ask(person, wrong)
          expect([status, location]).to.deep.equal([503, null])
          expect(text).to.include('ERR_UNAVAILABLE')
        }
      } finally {
        await sql(`drop view ${READ_MODELS}.configuration_change`)
        await sql(`alter table ${READ_MODELS}.configuration_change_kept rename to configuration_change`)
        await sql(`drop function ${READ_MODELS}.away()`)
      }
      expect((await ask(person)).query['code']).to.be.a('string')
    })
  })
})
