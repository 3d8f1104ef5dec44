/** Terminals that act with the roles of their user: who gets such a token, what it may do, and how it ends. */
import { expect } from 'chai'
import { newId } from '../../../adapters/kernel/ids.ts'
import { userCommands } from '../../../adapters/application/commands/users.ts'
import { apiResourceCommands } from '../../../adapters/application/commands/api-resources.ts'
import { systemClock } from '../../../adapters/kernel/clock.ts'
import { declaredRoutes } from '../../support/api/declared-routes.ts'
import { audited } from '../../support/audit/audit.ts'
import { deviceWorld, type DeviceWorld } from '../../support/sign-in/device-authorization.ts'
import { policyWorld } from '../../support/sign-in/policies.ts'
import { oidcWorld, outcome, pkce, type OidcWorld } from '../../support/oidc/oidc.ts'
import { movableClock } from '../../support/service/movable-clock.ts'
import {
  system,
  testPlace,
  testService,
  type TestPerson,
  type TestPlace,
  type TestService,
} from '../../support/service/service.ts'
import type { Role } from '../../../domain/roles.ts'

const DAY_SECONDS = 86_400
const MAX_SECONDS = 900

describe('OIDC-09 API-09 AUT-05 tokens for administration', function () {
  this.timeout(60_000)
  let place: TestPlace
  let clock: ReturnType<typeof movableClock>
  let service: TestService
  let device: DeviceWorld
  let world: OidcWorld
  let root: TestPerson

  before(async () => {
    place = await testPlace()
    clock = movableClock(systemClock())
    service = await testService(place, { clock })
    device = deviceWorld(service)
    world = oidcWorld(service)
  })
  beforeEach(async () => {
    root = await service.person({ name: 'Root' }, ['global_admin'])
  })
  after(async () => {
    await service.stop()
    await place.drop()
  })

  const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
    [status, body.error?.code ?? null] as const
  const administrator = (...roles: readonly Role[]) => service.person({}, roles)
  const asks = async (headers: Record<string, string>, path = '/users', method = 'GET', body?: object) =>
    codeOf(await service.api(method, path, { headers, ...(body === undefined ? {} : { body }) }))
  const setRoles = async (userId: string, roles: readonly Role[]) => {
    const as = await service.signIn(root.userId, root.email)
    expect((await service.api('PUT', `/users/${userId}/roles`, { as, body: { roles } })).status).to.equal(200)
  }
  const requireStrong = async (requireStrongForAdmins: boolean) => {
    const as = await service.signIn(root.userId, root.email)
    const { status } = await service.api('PATCH', '/settings', { as, body: { requireStrongForAdmins } })
    expect(status).to.equal(200)
  }
  const begun = async (scope = 'openid email admin') => (await device.begin({ scope })).body

  describe('the scope', () => {
    it('OIDC-09 is granted to the command-line client in the device flow, for 15 minutes and without a refresh token', async () => {
      const { body } = await device.signIn(root, 'openid email admin')
      expect(body).to.include({ expires_in: MAX_SECONDS, scope: 'openid email admin' })
      expect(body).not.to.have.property('refresh_token')
      const claims = world.claimsIn(body.access_token)
      expect(claims).to.include({ scope: 'openid email admin', client_id: 'svc-cli', sub: root.userId })
      expect(claims.aud).to.deep.equal([service.publicUrl])
      expect(claims.exp - claims.iat).to.equal(MAX_SECONDS)
    })

    it('OIDC-09 keeps the shorter of its own lifetime and the setting of the application', async () => {
      const { id } = await device.application(root)
      const set = async (accessTokenLifetimeSeconds: number) => {
        const body = { accessTokenLifetimeSeconds }
        const { status } = await service.api('PATCH', `/applications/${String(id)}`, { as: root, body })
        expect(status).to.equal(200)
      }
      try {
        for (const [setting, lifetime] of [
          [3600, MAX_SECONDS],
          [60, 60],
        ] as const) {
          await set(setting)
          const { body } = await device.signIn(root, 'openid admin')
          expect(body.expires_in, String(setting)).to.equal(lifetime)
        }
      } finally {
        await set(900)
      }
    })

    it('OIDC-09 is never combined with offline_access or an API, nor ignored', async () => {
      for (const fields of [
        { scope: 'openid email offline_access admin' },
        { scope: 'admin offline_access' },
        { scope: 'openid admin admin:all' },
      ])
        expect(outcome(await device.begin(fields)), fields.scope).to.deep.equal([400, 'invalid_scope'])
      const target = await device.begin({ scope: 'openid admin', resource: 'https://billing.example.com' })
      expect(outcome(target)).to.deep.equal([400, 'invalid_target'])
    })

    it('OIDC-09 OIDC-02 no other client and no other grant gets it', async () => {
      const web = await world.application('web')
      const person = await world.member(web)
      const programs = await world.application('service', { redirectUris: [] })
      for (const scope of ['openid admin', 'openid offline_access admin']) {
        const { query } = await world.authorize(web, person, {
          scope,
          code_challenge: pkce().challenge,
          code_challenge_method: 'S256',
        })
        expect(query['error'], scope).to.equal('invalid_scope')
      }
      expect(outcome(await world.clientCredentials(programs, { scope: 'admin' }))).to.deep.equal([
        400,
        'invalid_scope',
      ])
      const tokens = await world.tokens(web, person)
      expect(
        outcome(await world.refresh(web, tokens.refresh_token, { scope: 'openid admin' })),
      ).to.deep.equal([400, 'invalid_scope'])
      const exchange = await world.asClient(web, '/oauth2/token', {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: tokens.access_token,
        scope: 'admin',
      })
      expect(outcome(exchange)).to.deep.equal([400, 'unsupported_grant_type'])
      const cli = { clientId: 'svc-cli' } as typeof web
      const authorized = await world.authorize(cli, person, { scope: 'openid admin' })
      expect([authorized.status, authorized.location]).to.deep.equal([400, null])
    })

    it('OIDC-06 an ordinary sign-in of the terminal cannot be raised to it', async () => {
      const { body } = await device.signIn(root)
      const raised = await world.token({
        grant_type: 'refresh_token',
        refresh_token: body.refresh_token,
        client_id: 'svc-cli',
        scope: 'openid admin',
      })
      expect(outcome(raised)).to.deep.equal([400, 'invalid_scope'])
      const { status, body: answer } = await service.api('GET', '/users', {
        headers: { Authorization: `Bearer ${String(body.access_token)}` },
      })
      expect([status, answer.error.code]).to.deep.equal([401, 'ERR_UNAUTHENTICATED'])
      expect(answer.error.message).to.match(/svc login --admin/)
    })

    it('OIDC-09 an API cannot have a permission of this name', async () => {
      const created = await apiResourceCommands(service.core.services)
        .create({ identifier: 'https://a.example.com', name: 'A', scopes: [{ name: 'admin' }] }, system)
        .catch((error: unknown) => String(error))
      expect(created).to.match(/reserved/)
    })

    it('OIDC-11 no other client learns about the token by introspection', async () => {
      const { token } = await device.administer(root)
      const web = await world.application('web')
      expect((await world.introspect(web, token)).body).to.deep.equal({ active: false })
    })
  })

  describe('the approval', () => {
    it('SGN-01 needs a sign-in in the last ten minutes, with the strongest method', async () => {
      const old = await service.signIn(root.userId, root.email, { age: 660 })
      const weak = await service.signIn(root.userId, root.email, { methods: ['magic_link'] })
      const { user_code, device_code } = await begun()
      expect(codeOf(await device.tryApprove(user_code, old))).to.deep.equal([401, 'ERR_REAUTH_REQUIRED'])
      expect(codeOf(await device.tryApprove(user_code, weak))).to.deep.equal([
        403,
        'ERR_STRONGER_AUTH_REQUIRED',
      ])
      expect((await device.poll(device_code)).body.error).to.equal('authorization_pending')
      await device.approve((await device.begin()).body.user_code, old)
      await device.approve(user_code, root)
    })

    it('AUT-05 is refused for a user without a role, and for one whose role is newer than the sign-in', async () => {
      const person = await service.person()
      const { user_code, device_code } = await begun()
      const refused = await device.tryApprove(user_code, person)
      expect(codeOf(refused)).to.deep.equal([403, 'ERR_FORBIDDEN'])
      expect(refused.body.error.message).to.match(/no administrator role/)
      await setRoles(person.userId, ['auditor'])
      expect(codeOf(await device.tryApprove(user_code, person))).to.deep.equal([401, 'ERR_REAUTH_REQUIRED'])
      expect((await device.poll(device_code)).body.error).to.be.oneOf(['authorization_pending', 'slow_down'])
      await device.approve(user_code, await service.signIn(person.userId, person.email))
    })

    it('AUT-05 needs a passkey or security key while administrators need one, and so does each later request', async () => {
      const person = await administrator('auditor')
      const provider = await service.signIn(person.userId, person.email, {
        methods: ['phishing_resistant_identity_provider'],
      })
      const weak = await service.signIn(person.userId, person.email, { methods: ['authenticator_code'] })
      const { user_code } = await begun()
      expect(codeOf(await device.tryApprove(user_code, weak))).to.deep.equal([
        403,
        'ERR_STRONGER_AUTH_REQUIRED',
      ])
      await device.approve(user_code, provider)
    })

    it('AUD-01 is recorded as one for administration', async () => {
      await device.administer(root)
      await audited(service)
      const path = `/audit?action=device_login.approve&actorId=${root.userId}`
      const [entry] = (await service.api('GET', path, { as: root })).body
      expect(entry.summary).to.match(/ to Command line on another device, with their roles$/)
    })

    it('OIDC-09 the page says what the terminal may do, and offers no approval to a user without a role', async () => {
      const { user_code } = await begun()
      const page = async (as: TestPerson, language: string) =>
        (
          await fetch(`${service.publicUrl}/device?code=${String(user_code)}`, {
            headers: { Cookie: as.cookie, 'Accept-Language': language },
          })
        ).text()
      const person = await service.person()
      expect(await page(root, 'en')).to.match(/everything that your administrator roles allow/)
      expect(await page(root, 'de')).to.match(/15 Minuten lang alles tun/)
      expect(await page(root, 'en')).to.contain('data-action="approve"')
      expect(await page(person, 'en')).to.match(/no administrator role/)
      expect(await page(person, 'de')).to.match(/keine Administratorrolle/)
      expect(await page(person, 'en')).not.to.contain('data-action="approve"')
      expect(await page(person, 'en')).to.contain('data-action="deny"')
    })
  })

  describe('requests', () => {
    it('API-09 have the roles of the user, on exactly the routes that accept API keys with a role', async () => {
      const person = await administrator('user_admin')
      const { headers } = await device.administer(person)
      expect(await asks(headers)).to.deep.equal([200, null])
      expect(await asks(headers, '/groups', 'POST', { name: 'Of a terminal' })).to.deep.equal([201, null])
      expect(await asks(headers, '/applications', 'POST', {})).to.deep.equal([403, 'ERR_FORBIDDEN'])
      for (const { method, path, access } of declaredRoutes(service.core.services))
        expect(access.credentials.includes('admin_token'), `${method} ${path}`).to.equal(
          access.credentials.includes('api_key') && access.roles !== undefined,
        )
    })

    it('API-09 cannot approve another sign-in, nor change the sign-in methods of the user', async () => {
      const { headers } = await device.administer(root)
      const { user_code } = (await device.begin()).body
      for (const [method, path, code] of [
        ['GET', '/me', 'ERR_UNAUTHENTICATED'],
        ['POST', `/device/${String(user_code)}/approve`, 'ERR_UNAUTHENTICATED'],
        ['POST', '/me/methods/recovery-codes', 'ERR_REAUTH_REQUIRED'],
        ['POST', '/me/methods/passkey/options', 'ERR_REAUTH_REQUIRED'],
      ] as const)
        expect(await asks(headers, path, method), path).to.deep.equal([401, code])
      expect(await asks(headers, '/me/sessions')).to.deep.equal([200, null])
    })

    it('AUD-01 act as the user, by the token', async () => {
      const { headers, token } = await device.administer(root)
      const { body: group } = await service.api('POST', '/groups', { headers, body: { name: 'Recorded' } })
      const [event] = await service.core.eventLog.readStream(`group-${String(group.id)}`)
      expect(event?.metadata).to.deep.include({ actorId: root.userId, actorType: 'cli' })
      expect((event?.metadata as { credential: object }).credential).to.deep.equal({
        type: 'cli_token',
        id: world.claimsIn(token).jti,
      })
    })

    it('API-09 are repeated by idempotency key, and need no same origin, as with other bearer tokens', async () => {
      const { headers } = await device.administer(root)
      const send = () =>
        service.api('POST', '/groups', {
          headers: { ...headers, 'Idempotency-Key': 'once' },
          body: { name: 'Once' },
        })
      const [first, second] = [await send(), await send()]
      expect([first.status, second.body.id]).to.deep.equal([201, first.body.id])
      expect(second.headers.get('idempotency-replayed')).to.equal('true')
    })
  })

  describe('the end', () => {
    const ends: Readonly<Record<string, (person: TestPerson, token: string) => Promise<unknown>>> = {
      'the user signs out in the browser': (as) => service.api('POST', '/auth/sign-out', { as }),
      'the user is suspended': ({ userId }) =>
        service.api('POST', `/users/${userId}/suspend`, { as: root, body: {} }),
      'an administrator ends the sessions of the user': ({ userId }) =>
        service.api('POST', `/users/${userId}/sessions/revoke`, { as: root }),
      'the terminal revokes it': (_, token) => world.post('/oauth2/revoke', { token, client_id: 'svc-cli' }),
      '15 minutes have passed': async () => {
        clock.forward((MAX_SECONDS + 1) / DAY_SECONDS)
      },
    }
    for (const [name, end] of Object.entries(ends))
      it(`API-09 ASG-03 a token is invalid as soon as ${name}`, async () => {
        const person = await administrator('global_admin')
        const { headers, token } = await device.administer(person)
        expect(await asks(headers)).to.deep.equal([200, null])
        await end(person, token)
        expect(await asks(headers)).to.deep.equal([401, 'ERR_UNAUTHENTICATED'])
      })

    it('AUT-05 a role that is removed is gone at once, and one that is granted later never comes', async () => {
      const person = await administrator('user_admin')
      const { headers } = await device.administer(person)
      await setRoles(person.userId, ['user_admin', 'app_admin'])
      expect(await asks(headers, '/applications', 'POST', {})).to.deep.equal([403, 'ERR_FORBIDDEN'])
      await setRoles(person.userId, ['app_admin'])
      expect(await asks(headers)).to.deep.equal([403, 'ERR_FORBIDDEN'])
      await setRoles(person.userId, ['user_admin'])
      expect(await asks(headers), 'removed and granted again').to.deep.equal([403, 'ERR_FORBIDDEN'])
      // A later sign-in in the browser gives the roles to the session, not to the token.
      await service.signIn(person.userId, person.email)
      expect(await asks(headers)).to.deep.equal([403, 'ERR_FORBIDDEN'])
    })

    it('AUT-05 a weak session has no roles once administrators need a passkey', async () => {
      await requireStrong(false)
      try {
        const { userId, email } = await administrator('auditor')
        const [passkey] = (await service.api('GET', `/users/${userId}/methods`, { as: root })).body
        const users = userCommands(service.core.services)
        const app = { methodId: newId('method'), methodType: 'authenticator_code', name: 'App' } as const
        await users.addMethod(userId, { ...app, sealedSecret: 'sealed' }, system)
        await users.removeMethod(userId, passkey.id, 'system', system)
        const weak = await service.signIn(userId, email, { methods: ['authenticator_code'] })
        const { headers } = await device.administer(weak)
        expect(await asks(headers)).to.deep.equal([200, null])
        await requireStrong(true)
        expect(await asks(headers)).to.deep.equal([403, 'ERR_STRONGER_AUTH_REQUIRED'])
      } finally {
        await requireStrong(true)
      }
    })

    it('API-09 access policies decide about each request', async () => {
      const { headers } = await device.administer(await administrator('helpdesk_admin'))
      const users = { include: 'all', exclude: [], roles: ['helpdesk_admin'] } as const
      await policyWorld(service).under({ conditions: { users } }, async () => {
        expect(await asks(headers)).to.deep.equal([403, 'ERR_BLOCKED_BY_POLICY'])
      })
      expect(await asks(headers)).to.deep.equal([200, null])
    })
  })
})
