/** RFC 8628: sign-ins on devices without a browser, over HTTP. */
import { expect } from 'chai'
import { applicationCommands } from '../../../adapters/application/commands/applications.ts'
import { userCommands } from '../../../adapters/application/commands/users.ts'
import { oidcOnly } from '../../../read-models/queries/configuration.ts'
import { basic, oidcWorld, type OidcWorld } from '../../support/oidc/oidc.ts'
import { deviceWorld, type DeviceWorld } from '../../support/sign-in/device-authorization.ts'
import {
  system,
  testPlace,
  testService,
  type TestPerson,
  type TestService,
} from '../../support/service/service.ts'

describe('OIDC-09 the device grant', () => {
  let service: TestService
  let world: OidcWorld
  let device: DeviceWorld
  let ada: TestPerson

  before(async () => {
    service = await testService()
    world = oidcWorld(service)
    device = deviceWorld(service)
    ada = await service.person({ name: 'Ada Lovelace' }, ['global_admin'])
  })
  after(() => service.stop())

  const eventsBesides = async (): Promise<string> => service.core.eventLog.head()

  describe('the authorization request', () => {
    it('OIDC-09 returns both codes and the address for the user', async () => {
      const { status, headers, body } = await device.begin()
      expect(status).to.equal(200)
      expect(headers.get('cache-control')).to.equal('no-store')
      expect(Object.keys(body).sort()).to.deep.equal([
        'device_code',
        'expires_in',
        'interval',
        'user_code',
        'verification_uri',
        'verification_uri_complete',
      ])
      expect(body.user_code).to.match(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
      expect(body.device_code).to.match(/^[\w-]{43}$/)
      expect(body).to.include({
        verification_uri: `${service.publicUrl}/device`,
        verification_uri_complete: `${service.publicUrl}/device?code=${String(body.user_code)}`,
        expires_in: 600,
        interval: 5,
      })
    })

    it('OIDC-09 is listed in the discovery document', async () => {
      const answer = await fetch(`${service.publicUrl}/.well-known/openid-configuration`)
      expect(await answer.json()).to.include({
        device_authorization_endpoint: `${service.publicUrl}/oauth2/device_authorization`,
      })
    })

    it('OIDC-09 is only for the command-line client', async () => {
      for (const type of ['web', 'spa', 'native'] as const) {
        const app = await world.application(type)
        const { status, body } = await device.begin(
          app.secret === '' ? { client_id: app.clientId } : {},
          app.secret === '' ? {} : { Authorization: basic(app.clientId, app.secret) },
        )
        expect([status, body.error], type).to.deep.equal([400, 'unauthorized_client'])
      }
      const unknown = await device.begin({ client_id: 'sv_nobody' })
      expect([unknown.status, unknown.body.error]).to.deep.equal([401, 'invalid_client'])
      const secret = await device.begin({ client_secret: 'x' })
      expect([secret.status, secret.body.error]).to.deep.equal([401, 'invalid_client'])
    })

    it('OIDC-09 rejects scopes that were not granted, and accepts only a form', async () => {
      const target = await device.begin({ resource: 'https://billing.example.com' })
      expect([target.status, target.body.error]).to.deep.equal([400, 'invalid_target'])
      const json = await fetch(`${service.publicUrl}/oauth2/device_authorization`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"client_id":"svc-cli"}',
      })
      expect(json.status).to.equal(400)
      const twice = await device.begin('client_id=svc-cli&client_id=svc-cli')
      expect(twice.body.error).to.equal('invalid_request')
    })

    it('OIDC-09 records nothing, and stores neither code nor address in readable form', async () => {
      const before = await eventsBesides()
      const { body } = await device.begin()
      await device.poll(body.device_code)
      expect(await eventsBesides()).to.equal(before)
      const { rows } = await service.core.workPool.query<{ all: string }>(
        'select w::text as all from work.device_login w',
      )
      const text = rows.map((row) => row.all).join('\n')
      for (const secret of [body.device_code, body.user_code, String(body.user_code).replace('-', '')])
        expect(text).not.to.contain(secret)
      expect(text).not.to.contain('127.0.0.1')
    })

    it('OIDC-09 limits the pending requests of a network: its oldest is dropped, and no request is rejected', async () => {
      expect((await device.begin()).status).to.equal(200)
      const { rows } = await service.core.workPool.query<{ origin: string }>(
        'select origin from work.device_login order by created_at desc limit 1',
      )
      const { origin = '' } = rows[0] ?? {}
      await service.core.workPool.query(
        `insert into work.device_login select 'fill-' || n, 'fill-' || n, 'fill-' || n, 'app', '', $1,
           now() - interval '1 hour' * n, now() + interval '1 minute', 5 from generate_series(1, 300) n`,
        [origin],
      )
      const { status, body } = await device.begin()
      expect(status).to.equal(200)
      const { rows: left } = await service.core.workPool.query<{ waiting: number }>(
        'select count(*)::int as waiting from work.device_login where origin = $1',
        [origin],
      )
      expect(left[0]?.waiting).to.equal(200)
      expect((await device.poll(body.device_code)).body.error).to.equal('authorization_pending')
      await service.core.workPool.query(`delete from work.device_login where id like 'fill-%'`)
    })
  })

  describe('the grant', () => {
    it('OIDC-09 OIDC-03 waits for the user, then returns tokens', async () => {
      const { body } = await device.begin()
      expect((await device.poll(body.device_code)).body.error).to.equal('authorization_pending')
      await device.approve(body.user_code, ada)
      const tokens = await device.poll(body.device_code)
      expect(tokens.status).to.equal(200)
      expect(tokens.body).to.include({
        token_type: 'Bearer',
        expires_in: 900,
        scope: 'openid profile email groups offline_access',
      })
      expect(tokens.body.refresh_token).to.be.a('string')
      const access = world.claimsIn(tokens.body.access_token)
      expect(access).to.include({ sub: ada.userId, client_id: 'svc-cli', iss: service.publicUrl })
      expect(access.aud).to.deep.equal([service.publicUrl])
      expect(world.claimsIn(tokens.body.id_token)).to.include({
        sub: ada.userId,
        aud: 'svc-cli',
        email: ada.email,
        sid: ada.sessionId,
      })
      const userinfo = await world.userinfo(tokens.body.access_token)
      expect(userinfo.body).to.include({ sub: ada.userId, name: 'Ada Lovelace' })
    })

    it('OIDC-09 a device that polls too soon gets slow_down, permanently', async () => {
      const { body } = await device.begin()
      expect((await device.poll(body.device_code)).body.error).to.equal('authorization_pending')
      expect((await device.poll(body.device_code)).body.error).to.equal('slow_down')
      expect(await device.intervalOf(body.device_code)).to.equal(10)
      await device.pollAgo(body.device_code, 6)
      expect((await device.poll(body.device_code)).body.error).to.equal('slow_down')
      await device.pollAgo(body.device_code, 16)
      expect((await device.poll(body.device_code)).body.error).to.equal('authorization_pending')
      await device.approve(body.user_code, ada)
      expect((await device.poll(body.device_code)).status, 'too soon, but decided').to.equal(200)
    })

    it('OIDC-09 a denied sign-in returns access_denied', async () => {
      const { body } = await device.begin()
      expect((await device.deny(body.user_code, ada)).status).to.equal(204)
      const { status, body: answer } = await device.poll(body.device_code)
      expect([status, answer.error]).to.deep.equal([400, 'access_denied'])
    })

    it('OIDC-09 an expired request returns expired_token, approved or not, and can no longer be approved', async () => {
      const waiting = (await device.begin()).body
      const approved = (await device.begin()).body
      await device.approve(approved.user_code, ada)
      await device.expire()
      for (const { device_code } of [waiting, approved])
        expect((await device.poll(device_code)).body.error).to.equal('expired_token')
      const late = await device.tryApprove(waiting.user_code, ada)
      expect([late.status, late.body.error.code]).to.deep.equal([404, 'ERR_DEVICE_CODE'])
    })

    it('OIDC-09 a code is valid once, also for twenty concurrent requests', async () => {
      const { body } = await device.begin()
      await device.approve(body.user_code, ada)
      const answers = await Promise.all(Array.from({ length: 20 }, () => device.poll(body.device_code)))
      const good = answers.filter(({ status }) => status === 200)
      expect(good.length).to.equal(1)
      for (const { status, body: refused } of answers)
        if (status !== 200) expect([status, refused.error]).to.deep.equal([400, 'invalid_grant'])
      expect((await world.userinfo(good[0]?.body.access_token)).status).to.equal(200)
    })

    it('OIDC-09 an unknown or missing code is rejected', async () => {
      expect((await device.poll('x'.repeat(43))).body.error).to.equal('invalid_grant')
      expect((await device.poll('')).body.error).to.equal('invalid_request')
      const app = await world.application('native')
      const { body } = await device.begin()
      await device.approve(body.user_code, ada)
      expect((await device.poll(body.device_code, app.clientId)).body.error).to.equal('unauthorized_client')
    })

    it('OIDC-09 ASG-03 a user who is suspended after approving gets nothing', async () => {
      const grace = await service.person()
      const { body } = await device.begin()
      await device.approve(body.user_code, grace)
      await userCommands(service.core.services).suspend(grace.userId, undefined, 'system', system)
      expect((await device.poll(body.device_code)).body.error).to.equal('invalid_grant')
    })

    it('OIDC-09 AUD-01 the decision of the user is recorded, with user and origin', async () => {
      const { body } = await device.begin()
      await device.approve(body.user_code, ada)
      const { rows } = await service.core.services.pool.query<Record<string, unknown>>(
        'select outcome, user_id, session_id from device_logins order by decided_at desc limit 1',
      )
      expect(rows[0]).to.deep.equal({
        outcome: 'approved',
        user_id: ada.userId,
        session_id: ada.sessionId,
      })
    })
  })

  describe('the command-line application', () => {
    it('OIDC-09 CLI-02 is open to everyone until a group is assigned, then to its members', async () => {
      const { id } = await device.application(ada)
      const grace = await service.person()
      const groupId = await world.group('Terminal users')
      const applications = applicationCommands(service.core.services)
      await applications.assignGroup(id, groupId, system)
      try {
        const { body } = await device.begin()
        const refused = await device.tryApprove(body.user_code, grace)
        expect([refused.status, refused.body.error.code]).to.deep.equal([403, 'ERR_NOT_ASSIGNED'])
        await world.join(groupId, grace.userId)
        await device.approve(body.user_code, grace)
        expect((await device.poll(body.device_code)).status).to.equal(200)
      } finally {
        await applications.unassignGroup(id, groupId, system)
      }
    })

    it('OIDC-09 is created once, even if many instances start at the same time', async () => {
      const place = await testPlace()
      const others = await Promise.all([testPlace(), testPlace()])
      const instances = await Promise.all(
        [place, ...others].map(({ config: { listen } }) =>
          testService({ ...place, config: { ...place.config, listen } }),
        ),
      )
      try {
        for (const { core } of instances) {
          const { applicationById } = await core.services.configuration.fresh()
          expect([...applicationById.values()].map((each) => oidcOnly(each)?.clientId)).to.deep.equal([
            'svc-cli',
          ])
        }
      } finally {
        for (const instance of instances) await instance.stop()
        for (const each of [place, ...others]) await each.drop()
      }
    })

    it('OIDC-09 cannot be deleted or disabled', async () => {
      const { id, builtIn, type } = await device.application(ada)
      expect([builtIn, type]).to.deep.equal([true, 'cli'])
      for (const [method, path] of [
        ['DELETE', `/applications/${id}`],
        ['POST', `/applications/${id}/disable`],
      ] as const) {
        const { status, body } = await service.api(method, path, { as: ada })
        expect([status, body.error.code], path).to.deep.equal([409, 'ERR_BUILT_IN'])
      }
    })

    it('OIDC-09 has lifetimes and rotation that can be set', async () => {
      const { id } = await device.application(ada)
      const changed = await service.api('PATCH', `/applications/${id}`, {
        as: ada,
        body: { accessTokenLifetimeSeconds: 60, refreshTokenRotation: false },
      })
      expect(changed.status, JSON.stringify(changed.body)).to.equal(200)
      const { body } = await device.signIn(ada)
      expect(body.expires_in).to.equal(60)
      const back = { accessTokenLifetimeSeconds: 900, refreshTokenRotation: true }
      expect((await service.api('PATCH', `/applications/${id}`, { as: ada, body: back })).status).to.equal(
        200,
      )
    })

    it('OIDC-09 OIDC-05 refreshes its tokens as a public client', async () => {
      const { body } = await device.signIn(ada)
      const fields = { grant_type: 'refresh_token', refresh_token: body.refresh_token, client_id: 'svc-cli' }
      const refreshed = await world.token(fields)
      expect(refreshed.status).to.equal(200)
      expect(refreshed.body.refresh_token).not.to.equal(body.refresh_token)
      expect((await world.token(fields)).body.error).to.equal('invalid_grant')
    })
  })
})
