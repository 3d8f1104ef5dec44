import { expect } from 'chai'
import { authenticateClient } from '../../../adapters/inbound/oidc/client-authentication.ts'
import { newSecret } from '../../../adapters/engines/vault/hash.ts'
import { basic, oidcWorld, type OidcWorld, type TestApplication } from '../../support/oidc/oidc.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import { READ_MODELS } from '../../../read-models/schema.ts'

describe('Attacks: client secrets', () => {
  let service: TestService
  let world: OidcWorld
  let app: TestApplication
  let spa: TestApplication
  before(async () => {
    service = await testService()
    world = oidcWorld(service)
    app = await world.application('web')
    spa = await world.application('spa')
  })
  after(() => service.stop())

  const attempt = async (clientId: string, secret: string) => {
    const answer = await world.token(
      { grant_type: 'authorization_code', code: 'x', redirect_uri: 'x' },
      {
        Authorization: basic(clientId, secret),
      },
    )
    return { status: answer.status, body: answer.body, challenge: answer.headers.get('www-authenticate') }
  }

  it('RFC 9700 §2.5 every wrong client gets the same error: unknown, public, disabled, wrong in one character', async () => {
    const off = await world.application('web')
    await world.change({ type: 'disable', applicationId: off.applicationId })
    const wrongs = [
      await attempt('sv_nobody', app.secret),
      await attempt(spa.clientId, 'svs_x'),
      await attempt(off.clientId, off.secret),
      await attempt(app.clientId, `${app.secret.slice(0, -1)}_`),
      await attempt(app.clientId, app.secret.toUpperCase()),
      await attempt(app.clientId, `${app.secret} `),
      await attempt(app.clientId, ''),
      await attempt(app.clientId, off.secret),
    ]
    for (const wrong of wrongs) expect(wrong).to.deep.equal(wrongs[0])
    expect(wrongs[0]).to.deep.include({ status: 401, challenge: 'Basic realm="oauth2"' })
    expect((await attempt(app.clientId, app.secret)).body.error).to.equal('invalid_grant')
  })

  it('the hash of a secret, which a copy of the database contains, is not accepted as the secret', async () => {
    const { rows } = await service.core.workPool.query<{ hash: string }>(
      `select hash from ${READ_MODELS}.client_secrets where id = $1`,
      [app.secretId],
    )
    expect(rows[0]?.hash).to.match(/^[\w-]{43}$/)
    expect((await attempt(app.clientId, rows[0]?.hash ?? '')).status).to.equal(401)
  })

  /** Compares medians of alternating rounds, so that other load on the machine affects all of them. */
  it('takes as long for an unknown client as for a wrong secret, independent of where the secret differs', async () => {
    const { services } = service.core
    const configuration = await services.configuration.fresh()
    const now = services.clock.now()
    const wrong = {
      'an unknown client': { clientId: `sv_${'0'.repeat(26)}`, secret: newSecret('svs_', services.random) },
      'the first character': { clientId: app.clientId, secret: `x${app.secret.slice(1)}` },
      'the last character': { clientId: app.clientId, secret: `${app.secret.slice(0, -1)}.` },
      'every character': { clientId: app.clientId, secret: newSecret('svs_', services.random) },
    }
    const times = new Map(Object.keys(wrong).map((what) => [what, [] as number[]]))
    for (let round = 0; round < 60; round += 1)
      for (const [what, { clientId, secret }] of Object.entries(wrong)) {
        const started = process.hrtime.bigint()
        for (let n = 0; n < 50; n += 1)
          expectNobody(
            authenticateClient({ method: 'client_secret_post', clientId, secret }, configuration, now),
          )
        times.get(what)?.push(Number(process.hrtime.bigint() - started))
      }
    const medians = [...times.values()].map((all) => all.slice(20).sort((a, b) => a - b)[20] ?? 0)
    expect(Math.max(...medians) / Math.min(...medians)).to.be.lessThan(2)
  })

  const expectNobody = (client: object | null): void => {
    if (client !== null) throw new Error('a wrong secret was accepted')
  }
})
