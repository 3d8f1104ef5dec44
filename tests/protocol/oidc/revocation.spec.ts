import { expect } from 'chai'
import { refreshTokens } from '../../../adapters/inbound/oidc/refresh-tokens.ts'
import { isEventType, rowOf } from '../../../domain/catalogue.ts'
import { grantStream } from '../../../domain/grant/decider.ts'
import { outcome, type OidcWorld, type TestApplication } from '../../support/oidc/oidc.ts'
import type { TestPerson } from '../../support/service/service.ts'
import { servicePair, type ServicePair } from '../../support/service/service-pair.ts'

const REFUSED = [400, 'invalid_grant']

describe('OAuth: revocation', () => {
  let pair: ServicePair
  let world: OidcWorld
  let elsewhere: OidcWorld
  let app: TestApplication
  let person: TestPerson
  before(async () => {
    pair = await servicePair()
    ;[world, elsewhere] = pair.worlds
    app = await world.application('web')
    person = await world.member(app)
  })
  after(() => pair.stop())

  const head = () => pair.one.core.eventLog.head()
  const revoked = async (by: TestApplication, token: string): Promise<void> => {
    const { status, body, headers } = await world.revoke(by, token)
    expect([status, body]).to.deep.equal([200, null])
    expect(headers.get('cache-control')).to.equal('no-store')
  }

  it('OIDC-12 of a refresh token revokes its whole family, on every instance, and is recorded', async () => {
    const first = await world.tokens(app, person)
    const second = (await world.refresh(app, first.refresh_token)).body
    const other = await world.tokens(app, person)
    await revoked(app, second.refresh_token)
    for (const at of [elsewhere, world]) {
      for (const { access_token, refresh_token } of [first, second]) {
        expect((await at.userinfo(access_token)).status).to.equal(401)
        for (const token of [access_token, refresh_token])
          expect((await at.introspect(app, token)).body).to.deep.equal({ active: false })
      }
      expect(outcome(await at.refresh(app, second.refresh_token))).to.deep.equal(REFUSED)
      expect((await at.userinfo(other.access_token)).status, 'another grant').to.equal(200)
    }
    const { grantId } = refreshTokens(pair.one.core.services).open(second.refresh_token)!
    const last = (await pair.one.core.eventLog.readStream(grantStream(grantId))).at(-1)
    if (last === undefined || !isEventType(last.type)) throw new Error('nothing recorded')
    const { audit } = rowOf(last.type)
    expect(typeof audit === 'function' ? audit(last.data) : audit).to.equal('token.revoke')
    expect(last.metadata).to.include({ actorId: person.userId, actorType: 'user' })
  })

  it('OIDC-12 of a refresh token that was already used revokes the family too', async () => {
    const first = await world.tokens(app, person)
    const second = (await world.refresh(app, first.refresh_token)).body
    await revoked(app, first.refresh_token)
    expect((await elsewhere.userinfo(second.access_token)).status).to.equal(401)
    expect(outcome(await elsewhere.refresh(app, second.refresh_token))).to.deep.equal(REFUSED)
  })

  it('OIDC-12 of an access token revokes its whole grant', async () => {
    const { access_token, refresh_token } = await world.tokens(app, person)
    await revoked(app, access_token)
    expect((await elsewhere.userinfo(access_token)).status).to.equal(401)
    expect(outcome(await elsewhere.refresh(app, refresh_token))).to.deep.equal(REFUSED)
  })

  for (const type of ['spa', 'native'] as const)
    it(`OIDC-12 ${type} applications send their client id, without a secret`, async () => {
      const open = await world.application(type)
      const { access_token } = await world.tokens(open, await world.member(open))
      await revoked(open, access_token)
      expect((await world.userinfo(access_token)).status).to.equal(401)
    })

  it('OIDC-12 of unknown tokens: 200, and nothing is written', async () => {
    const { code } = await world.code(app, person)
    const { id_token } = await world.tokens(app, person)
    const before = await head()
    for (const token of ['made-up', 'é', 'eyJ.eyJ.x', code, id_token, 'x'.repeat(5000)])
      await revoked(app, token)
    expect(await head()).to.equal(before)
  })

  it('OIDC-12 again: 200, and nothing more is written', async () => {
    const { access_token, refresh_token } = await world.tokens(app, person)
    await revoked(app, refresh_token)
    const before = await head()
    for (const token of [access_token, refresh_token]) await revoked(app, token)
    expect(await head()).to.equal(before)
  })

  it('OIDC-12 of tokens of another client is refused, and changes nothing', async () => {
    const other = await world.application('web')
    const spa = await world.application('spa')
    const { access_token, refresh_token } = await world.tokens(app, person)
    for (const by of [other, spa])
      for (const token of [access_token, refresh_token])
        expect(outcome(await world.revoke(by, token))).to.deep.equal(REFUSED)
    expect((await world.userinfo(access_token)).status).to.equal(200)
    expect((await world.refresh(app, refresh_token)).status).to.equal(200)
  })

  it('OIDC-05 only for authenticated clients', async () => {
    const { access_token: token, refresh_token } = await world.tokens(app, person)
    const refused = [401, 'invalid_client']
    expect(outcome(await world.revoke({ ...app, secret: 'svs_x' }, token))).to.deep.equal(refused)
    expect(outcome(await world.revoke({ ...app, secret: '' }, token))).to.deep.equal(refused)
    expect(outcome(await world.revoke({ ...app, clientId: 'sv_nobody' }, token))).to.deep.equal(refused)
    expect((await world.userinfo(token)).status).to.equal(200)
    const { secret: client_secret } = app
    const posted = await world.asClient({ ...app, secret: '' }, '/oauth2/revoke', {
      token: refresh_token,
      client_secret,
    })
    expect(posted.status).to.equal(200)
    expect((await world.userinfo(token)).status).to.equal(401)
  })

  it('without a token: invalid_request; with any token_type_hint: no difference', async () => {
    expect(outcome(await world.revoke(app, ''))).to.deep.equal([400, 'invalid_request'])
    for (const token_type_hint of ['access_token', 'refresh_token', 'made-up']) {
      const { access_token: token } = await world.tokens(app, person)
      expect((await world.asClient(app, '/oauth2/revoke', { token, token_type_hint })).status).to.equal(200)
      expect((await world.userinfo(token)).status).to.equal(401)
    }
  })

  it('OIDC-12 does not affect unredeemed codes', async () => {
    const waiting = await world.code(app, person)
    await revoked(app, (await world.tokens(app, person)).access_token)
    expect((await world.redeem(app, waiting)).status).to.equal(200)
  })

  it('OIDC-12 twenty concurrent with a refresh: the grant is revoked in the end', async () => {
    const { access_token, refresh_token } = await world.tokens(app, person)
    const [fresh, ...answers] = await Promise.all([
      elsewhere.refresh(app, refresh_token),
      ...Array.from({ length: 20 }, (_, n) =>
        pair.worlds[n % 2]!.revoke(app, [access_token, refresh_token][n % 2]),
      ),
    ])
    for (const { status } of answers) expect(status).to.equal(200)
    const made = fresh.status === 200 ? [fresh.body.access_token] : []
    for (const token of [access_token, ...made])
      for (const at of pair.worlds) expect((await at.userinfo(token)).status).to.equal(401)
  })
})
