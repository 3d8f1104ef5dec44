import { expect } from 'chai'
import { refreshTokens } from '../../../adapters/inbound/oidc/refresh-tokens.ts'
import { isEventType, rowOf } from '../../../domain/catalogue.ts'
import { grantStream } from '../../../domain/grant/decider.ts'
import { oidcOnly } from '../../../read-models/queries/configuration.ts'
import { outcome, type ClientAnswer, type OidcWorld, type TestApplication } from '../../support/oidc/oidc.ts'
import { system, type TestPerson } from '../../support/service/service.ts'
import { servicePair, type ServicePair } from '../../support/service/service-pair.ts'
import { until } from '../../support/until.ts'

const REFUSED = [400, 'invalid_grant']

describe('OpenID Connect: refresh tokens', () => {
  let pair: ServicePair
  let world: OidcWorld
  let app: TestApplication
  let person: TestPerson
  before(async () => {
    pair = await servicePair()
    world = pair.worlds[0]
    app = await world.application('web')
    person = await world.member(app)
  })
  after(() => pair.stop())

  const services = () => pair.one.core.services
  const opened = (token: string) => {
    const reference = refreshTokens(services()).open(token)
    if (reference === null) throw new Error('not a refresh token')
    return reference
  }
  /** Returns the same token as if issued earlier. */
  const aged = (token: string, seconds: number, lifetimeSeconds: number): string => {
    const { clock } = services()
    const then = { ...clock, now: () => clock.in(-seconds) }
    const reference = opened(token)
    return refreshTokens({ ...services(), clock: then }).issue(
      reference,
      reference.generation,
      lifetimeSeconds,
    )
  }
  const auditOf = async (token: string) => {
    const events = await pair.one.core.eventLog.readStream(grantStream(opened(token).grantId))
    return events.map(({ type, data }) => {
      if (!isEventType(type)) throw new Error(type)
      const { audit } = rowOf(type)
      return typeof audit === 'function' ? audit(data) : audit
    })
  }
  const good = (answers: readonly ClientAnswer[]) => answers.filter(({ status }) => status === 200)
  const allOf = async (of: TestApplication, token: string, at: readonly OidcWorld[] = [world]) =>
    Promise.all(Array.from({ length: 20 }, (_, n) => at[n % at.length]!.refresh(of, token)))
  const infoStatus = async (token: string) => (await world.userinfo(token)).status
  const enrolled = async (...settings: Parameters<OidcWorld['application']>) => {
    const of = await world.application(...settings)
    const someone = await world.member(of)
    return { of, someone, first: await world.tokens(of, someone) }
  }

  it('OIDC-06 are issued only with offline_access', async () => {
    const without = await world.tokens(app, person, 'openid email')
    expect(without).to.not.have.property('refresh_token')
    const having = await world.tokens(app, person)
    expect(having.refresh_token).to.be.a('string')
    expect(having.scope).to.equal('openid offline_access')
  })

  it('OIDC-06 are not for services', async () => {
    const machine = await world.application('service', { redirectUris: [] })
    expect(outcome(await world.clientCredentials(machine, { scope: 'offline_access' }))).to.deep.equal([
      400,
      'invalid_scope',
    ])
    const { refresh_token } = await world.tokens(app, person)
    expect(outcome(await world.refresh(machine, refresh_token))).to.deep.equal([400, 'unauthorized_client'])
  })

  for (const type of ['web', 'spa', 'native'] as const)
    it(`OIDC-06 each use by a ${type} application returns a new one, which works`, async () => {
      const { of, first } = await enrolled(type)
      const seen = new Set([first.refresh_token])
      for (let n = 0, current = first.refresh_token; n < 4; n++) {
        const { status, body, headers } = await world.refresh(of, current)
        expect(status).to.equal(200)
        expect(headers.get('cache-control')).to.equal('no-store')
        expect(body).to.include({ token_type: 'Bearer', expires_in: 900, scope: 'openid offline_access' })
        expect(await infoStatus(body.access_token)).to.equal(200)
        current = body.refresh_token
        seen.add(current)
      }
      expect(seen.size).to.equal(5)
      expect(await infoStatus(first.access_token), 'the earlier access token').to.equal(200)
    })

  it('OIDC-07 a used one is invalid; using it again revokes everything issued from it, and is recorded', async () => {
    const first = await world.tokens(app, person)
    const second = (await world.refresh(app, first.refresh_token)).body
    const third = (await world.refresh(app, second.refresh_token)).body
    const other = await world.tokens(app, person)
    expect(outcome(await world.refresh(app, first.refresh_token))).to.deep.equal(REFUSED)
    for (const { access_token } of [first, second, third])
      expect(await infoStatus(access_token)).to.equal(401)
    expect(outcome(await world.refresh(app, third.refresh_token)), 'the newest').to.deep.equal(REFUSED)
    expect(outcome(await world.refresh(app, first.refresh_token)), 'again').to.deep.equal(REFUSED)
    const audit = await auditOf(first.refresh_token)
    expect(audit).to.deep.equal([null, null, null, 'token.reuse_detected'])
    expect(await infoStatus(other.access_token), 'another grant of the same user').to.equal(200)
    expect((await world.refresh(app, other.refresh_token)).status).to.equal(200)
  })

  it('OIDC-07 used twenty times concurrently return tokens once, which are then revoked', async () => {
    for (const at of [[world], pair.worlds]) {
      const { refresh_token } = await world.tokens(app, person)
      const answers = await allOf(app, refresh_token, at)
      const won = good(answers)
      expect(won).to.have.length(1)
      for (const answer of answers) if (answer.status !== 200) expect(outcome(answer)).to.deep.equal(REFUSED)
      expect(await infoStatus(won[0]?.body.access_token)).to.equal(401)
      expect(outcome(await world.refresh(app, won[0]?.body.refresh_token))).to.deep.equal(REFUSED)
      expect(await auditOf(refresh_token)).to.deep.equal([null, null, 'token.reuse_detected'])
    }
  })

  it('OIDC-07 are invalid after use even at an instance whose clock is behind', async () => {
    const first = await world.tokens(app, person)
    const second = (await world.refresh(app, first.refresh_token)).body
    const { clock, configuration } = services()
    const behind = { now: () => clock.in(-60), in: (seconds: number) => clock.in(seconds - 60) }
    const { settings } = oidcOnly(configuration.now().applicationById.get(app.applicationId))!
    const used = refreshTokens({ ...services(), clock: behind }).use(
      opened(first.refresh_token),
      settings,
      system,
    )
    expect(await used).to.have.property('refusal')
    expect(await infoStatus(second.access_token)).to.equal(401)
  })

  it('OIDC-06 OIDC-16 stay valid if rotation is off, also for twenty concurrent requests', async () => {
    const { of, first } = await enrolled('web', { refreshTokenRotation: false })
    const answers = await allOf(of, first.refresh_token, pair.worlds)
    expect(good(answers)).to.have.length(20)
    const [last] = answers
    expect((await world.refresh(of, last?.body.refresh_token)).status).to.equal(200)
    expect((await world.refresh(of, first.refresh_token)).status).to.equal(200)
    expect(await infoStatus(first.access_token)).to.equal(200)
    expect(await auditOf(first.refresh_token)).to.deep.equal([null])
  })

  it("OIDC-16 follow the application's current rotation setting", async () => {
    const { of, first } = await enrolled('spa')
    const rotation = (refreshTokenRotation: boolean) =>
      world.change({ type: 'update', applicationId: of.applicationId, settings: { refreshTokenRotation } })
    const elsewhere = pair.worlds[1]
    const second = (await elsewhere.refresh(of, first.refresh_token)).body
    await rotation(false)
    for (let n = 0; n < 2; n++)
      expect((await elsewhere.refresh(of, second.refresh_token)).status).to.equal(200)
    await rotation(true)
    expect((await elsewhere.refresh(of, second.refresh_token)).status).to.equal(200)
    expect(outcome(await elsewhere.refresh(of, second.refresh_token))).to.deep.equal(REFUSED)
  })

  it('OIDC-06 are accepted again within the grace period of the application, the previous one only', async () => {
    const { of, first } = await enrolled('web', { refreshTokenGraceSeconds: 60 })
    expect(good(await allOf(of, first.refresh_token, pair.worlds))).to.have.length(20)
    const again = (await world.refresh(of, first.refresh_token)).body
    expect(await infoStatus(again.access_token)).to.equal(200)
    const third = await world.refresh(of, again.refresh_token)
    expect(third.status).to.equal(200)
    expect(outcome(await world.refresh(of, first.refresh_token))).to.deep.equal(REFUSED)
    expect(outcome(await world.refresh(of, third.body.refresh_token))).to.deep.equal(REFUSED)
  })

  it('OIDC-07 are invalid once the grace period has ended', async () => {
    const { of, first } = await enrolled('web', { refreshTokenGraceSeconds: 1 })
    const second = await world.refresh(of, first.refresh_token)
    const end = services().clock.in(1)
    await until(() => services().clock.now() > end)
    expect(outcome(await world.refresh(of, first.refresh_token))).to.deep.equal(REFUSED)
    expect(await infoStatus(second.body.access_token)).to.equal(401)
  })

  it('RFC 6749 §6 return fewer scopes on request, for that response only', async () => {
    const first = await world.tokens(app, person, 'openid email profile offline_access')
    const narrow = (await world.refresh(app, first.refresh_token, { scope: 'email openid' })).body
    expect(narrow.scope).to.equal('openid email')
    expect((await world.userinfo(narrow.access_token)).body).to.not.have.property('name')
    expect(world.claimsIn(narrow.id_token)).to.include({ email: person.email }).and.not.have.property('name')
    const whole = (await world.refresh(app, narrow.refresh_token)).body
    expect(whole.scope).to.equal('openid profile email offline_access')
    const bare = (await world.refresh(app, whole.refresh_token, { scope: 'email' })).body
    expect(bare).to.not.have.property('id_token')
    expect(await infoStatus(bare.access_token)).to.equal(403)
  })

  it('RFC 6749 §6 are not redeemed by a request for more than was granted', async () => {
    const { refresh_token } = await world.tokens(app, person, 'openid offline_access')
    for (const scope of ['openid email', 'groups', 'made-up', 'openid offline_access openid:x'])
      expect(outcome(await world.refresh(app, refresh_token, { scope }))).to.deep.equal([
        400,
        'invalid_scope',
      ])
    expect((await world.refresh(app, refresh_token)).status).to.equal(200)
  })

  it('OIDC-07 of another client are rejected, and nothing is revoked', async () => {
    const other = await world.application('web')
    const spa = await world.application('spa')
    const first = await world.tokens(app, person)
    const used = first.refresh_token
    const second = (await world.refresh(app, used)).body
    for (const stranger of [other, spa])
      for (const token of [used, second.refresh_token])
        expect(outcome(await world.refresh(stranger, token))).to.deep.equal(REFUSED)
    const wrong = { ...app, secret: 'svs_wrong' }
    expect(outcome(await world.refresh(wrong, used))).to.deep.equal([401, 'invalid_client'])
    expect((await world.refresh(app, second.refresh_token)).status).to.equal(200)
  })

  it('that are altered, invented or of another kind are rejected', async () => {
    const { refresh_token: token, access_token, id_token } = await world.tokens(app, person)
    const { code } = await world.code(app, person)
    const altered = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`
    for (const bad of [altered, 'made-up', access_token, id_token, code, 'é', `${token} `, token.slice(1)])
      expect(outcome(await world.refresh(app, bad))).to.deep.equal(REFUSED)
    expect(outcome(await world.refresh(app, ''))).to.deep.equal([400, 'invalid_request'])
    expect((await world.refresh(app, token)).status).to.equal(200)
  })

  it('OIDC-16 have the lifetime of the application: 8 hours by default, at least 5 minutes', async () => {
    const usual = opened((await world.tokens(app, person)).refresh_token)
    expect(usual.exp - usual.iat).to.equal(28_800)
    const { of, first } = await enrolled('web', { refreshTokenLifetimeSeconds: 300 })
    const short = opened(first.refresh_token)
    expect(short.exp - short.iat).to.equal(300)
    const still = await world.refresh(of, aged(first.refresh_token, 295, 300))
    expect(still.status).to.equal(200)
    const next = opened(still.body.refresh_token)
    expect(next.exp - next.iat, 'counted from the refresh').to.equal(300)
    expect(next.exp).to.be.at.least(short.exp)
    expect(outcome(await world.refresh(of, aged(still.body.refresh_token, 301, 300)))).to.deep.equal(REFUSED)
    expect(await infoStatus(still.body.access_token), 'nothing is revoked by it').to.equal(200)
    expect((await world.refresh(of, still.body.refresh_token)).status).to.equal(200)
  })

  it('OpenID Connect Core §12.2 the ID token describes the same sign-in, and contains no nonce', async () => {
    const answer = await world.redeem(
      app,
      await world.code(app, person, { scope: 'openid offline_access', nonce: 'n-1' }),
    )
    const before = world.claimsIn(answer.body.id_token)
    expect(before.nonce).to.equal('n-1')
    const later = await world.refresh(app, answer.body.refresh_token)
    const claims = world.claimsIn(later.body.id_token)
    const same = ['iss', 'sub', 'aud', 'azp', 'auth_time', 'sid', 'acr', 'amr']
    for (const name of same) expect(claims[name], name).to.deep.equal(before[name])
    expect(claims).to.not.have.property('nonce')
    expect(claims.iat).to.be.at.least(before.iat)
    expect(claims.exp - claims.iat).to.equal(900)
    expect(claims.at_hash).to.not.equal(before.at_hash)
  })

  it('OIDC-18 describe the current user data', async () => {
    const { of, someone } = await enrolled('web')
    const first = await world.tokens(of, someone, 'openid profile groups offline_access')
    const admin = await pair.one.person({}, ['global_admin'])
    await pair.one.api('PATCH', `/users/${someone.userId}`, { body: { name: 'Renamed' }, as: admin })
    await world.join(await world.group('Newly joined'), someone.userId)
    const { body } = await pair.worlds[1].refresh(of, first.refresh_token)
    const claims = world.claimsIn(body.id_token)
    expect(claims.name).to.equal('Renamed')
    expect(claims.groups).to.include('Newly joined')
  })

  it('APR-01 return less once an API grant is revoked, and no API token without a grant', async () => {
    const [one, two] = [await world.api(), await world.api(['run'])]
    const of = await world.application('web')
    const someone = await world.member(of)
    await world.grantApis(of, one, two)
    const raw = [one, two].map(({ identifier }) => `&resource=${encodeURIComponent(identifier)}`).join('')
    const first = await world.tokens(of, someone, 'openid offline_access', raw)
    expect(world.claimsIn(first.access_token).aud).to.have.members([one.identifier, two.identifier])
    await world.grantApis(of, { ...one, scopes: one.scopes.slice(0, 1) })
    const second = (await pair.worlds[1].refresh(of, first.refresh_token)).body
    expect(second.scope).to.equal(`openid offline_access ${one.scopes[0]!}`)
    expect(world.claimsIn(second.access_token).aud).to.deep.equal([one.identifier])
    const gone = await world.refresh(of, second.refresh_token, { scope: two.scopes[0]! })
    expect(outcome(gone)).to.deep.equal([400, 'invalid_scope'])
    await world.grantApis(of)
    const third = (await pair.worlds[1].refresh(of, second.refresh_token)).body
    expect(third.scope).to.equal('openid offline_access')
    expect(third.access_token).to.not.match(/^eyJ/)
    expect(await infoStatus(third.access_token)).to.equal(200)
  })

  it('OIDC-06 survive an expired session, and so do their access tokens, whatever their scopes', async () => {
    const { of, someone, first } = await enrolled('web')
    const bound = await world.tokens(of, someone, 'openid')
    await services().pool.query(
      `update sessions set expires_at = now() - interval '1 second' where id = $1`,
      [someone.sessionId],
    )
    expect(await infoStatus(bound.access_token), 'without offline_access').to.equal(401)
    expect(await infoStatus(first.access_token)).to.equal(200)
    const second = await world.refresh(of, first.refresh_token, { scope: 'openid' })
    expect(second.status).to.equal(200)
    expect(await infoStatus(second.body.access_token), 'with fewer scopes').to.equal(200)
  })
})
