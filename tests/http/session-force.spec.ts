/** The roles of a session, and its validity. */
import { expect } from 'chai'
import { startDevSession } from '../../cli/server/dev-session.ts'
import {
  testPlace,
  testService,
  type TestPerson,
  type TestPlace,
  type TestService,
} from '../support/service/service.ts'

const outcome = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
  [status, body.error?.code ?? null] as const

describe('the roles of a session', function () {
  this.timeout(60_000)
  let service: TestService
  let admin: TestPerson

  before(async () => {
    service = await testService()
    admin = await service.person({}, ['global_admin'])
  })
  after(() => service.stop())

  const setRoles = async (userId: string, roles: readonly string[]) => {
    const { status } = await service.api('PUT', `/users/${userId}/roles`, { as: admin, body: { roles } })
    expect(status).to.equal(200)
  }
  const asks = async (as: TestPerson, path = '/users') => outcome(await service.api('GET', path, { as }))

  it('AUT-05 API-01 apply only in sessions whose user signed in after they were granted', async () => {
    const ada = await service.person()
    const code = await service.signIn(ada.userId, ada.email, { methods: ['authenticator_code'] })
    expect(await asks(ada)).to.deep.equal([403, 'ERR_FORBIDDEN'])
    await setRoles(ada.userId, ['auditor'])
    expect(await asks(ada)).to.deep.equal([401, 'ERR_REAUTH_REQUIRED'])
    expect(await asks(code)).to.deep.equal([403, 'ERR_STRONGER_AUTH_REQUIRED'])
    expect(outcome(await service.api('GET', '/me', { as: ada }))).to.deep.equal([200, null])
    const again = await service.signIn(ada.userId, ada.email)
    expect(await asks(again)).to.deep.equal([200, null])
    // A later role does not remove the session's earlier roles.
    await setRoles(ada.userId, ['auditor', 'user_admin'])
    expect(await asks(again)).to.deep.equal([200, null])
    const named = await service.api('POST', '/groups', { as: again, body: { name: 'Mathematicians' } })
    expect(outcome(named)).to.deep.equal([401, 'ERR_REAUTH_REQUIRED'])
  })

  it('AUT-05 API-01 do not come back with a role that was removed and granted again', async () => {
    const ada = await service.person({}, ['auditor'])
    expect(await asks(ada)).to.deep.equal([200, null])
    await setRoles(ada.userId, [])
    expect(await asks(ada)).to.deep.equal([403, 'ERR_FORBIDDEN'])
    await setRoles(ada.userId, ['auditor'])
    expect(await asks(ada)).to.deep.equal([401, 'ERR_REAUTH_REQUIRED'])
  })

  it('AUT-05 need a passkey or security key by default', async () => {
    const auditor = await service.person({}, ['auditor'])
    const { userId, email } = auditor
    expect((await service.api('GET', '/settings', { as: auditor })).body.requireStrongForAdmins).to.equal(
      true,
    )
    for (const method of [
      'magic_link',
      'authenticator_code',
      'recovery_code',
      'identity_provider',
    ] as const) {
      const weak = await service.signIn(userId, email, { methods: [method] })
      expect(await asks(weak), method).to.deep.equal([403, 'ERR_STRONGER_AUTH_REQUIRED'])
    }
    for (const method of ['passkey', 'security_key'] as const)
      expect(await asks(await service.signIn(userId, email, { methods: [method] })), method).to.deep.equal([
        200,
        null,
      ])
  })
})

describe('a session of svc dev-session', function () {
  this.timeout(60_000)
  let place: TestPlace
  before(async () => {
    place = await testPlace({ dev: true })
  })
  after(() => place.drop())

  it('CLI-01 AUT-05 administers while the service runs for development, and is invalid after that', async () => {
    const development = await testService(place)
    const admin = await development.person({}, ['global_admin'])
    const [, token = ''] = (await startDevSession(development.core.services, admin.email)).split('=')
    const made: TestPerson = { ...admin, cookie: `svc_session=${token}` }
    // Regardless of roles that were granted since, and of the age of the session.
    const later = await development.person()
    const early = `svc_session=${(await startDevSession(development.core.services, later.email)).split('=')[1] ?? ''}`
    await development.api('PUT', `/users/${later.userId}/roles`, { as: made, body: { roles: ['auditor'] } })
    try {
      expect(outcome(await development.api('GET', '/users', { as: made }))).to.deep.equal([200, null])
      expect(
        outcome(await development.api('GET', '/users', { as: { ...later, cookie: early } })),
      ).to.deep.equal([200, null])
    } finally {
      await development.stop()
    }
    const production = await testService({ ...place, config: { ...place.config, dev: false } })
    try {
      expect(outcome(await production.api('GET', '/users', { as: admin }))).to.deep.equal([200, null])
      expect(outcome(await production.api('GET', '/me', { as: made }))).to.deep.equal([
        401,
        'ERR_UNAUTHENTICATED',
      ])
      const page = await fetch(`${production.publicUrl}/account`, {
        headers: { Cookie: made.cookie },
        redirect: 'manual',
      })
      expect([page.status, page.headers.get('location')]).to.deep.equal([303, '/sign-in'])
      const { body } = await production.api('GET', `/sessions?userId=${admin.userId}`, { as: admin })
      expect(
        body.map(({ methods, status }: { methods: string[]; status: string }) => [methods[0], status]),
      ).to.have.deep.members([
        ['development', 'expired'],
        ['passkey', 'active'],
      ])
    } finally {
      await production.stop()
    }
  })
})
