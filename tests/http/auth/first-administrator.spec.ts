import { expect } from 'chai'
import { userCommands } from '../../../adapters/application/commands/users.ts'
import { bootstrapLink, setupLink, setupNotice } from '../../../cli/server/setup-link.ts'
import { codeAt, calmStep } from '../../support/sign-in/authenticator.ts'
import { firstAdministrator as ada } from '../../support/sign-in/first-administrator.ts'
import { mailPeer, mailPlace, outcomes, type MailPeer } from '../../support/mail/mail.ts'
import { system, testService, type TestPlace, type TestService } from '../../support/service/service.ts'
import { softPasskey } from '../../support/sign-in/soft-passkey.ts'
import { until } from '../../support/until.ts'

describe('CLI-01 the first administrator', function () {
  this.timeout(60_000)
  let peer: MailPeer
  let place: TestPlace
  let service: TestService
  beforeEach(async () => {
    peer = await mailPeer()
    place = await mailPlace(peer)
    service = await testService(place)
  })
  afterEach(async () => {
    await service.stop()
    await place.drop()
    await peer.stop()
  })

  const pathOf = (link: string | null): string => `/auth/enroll/${(link ?? '').split('/').at(-1) ?? ''}`
  const post = async (path: string, body: object = {}) => {
    const { status, body: answer } = await service.api('POST', path, { body })
    return {
      status,
      body: answer,
      code: answer?.error?.code as string | undefined,
      field: answer?.error?.field,
    }
  }
  const byPasskey = async (path: string, more: object, label: object = {}) => {
    const begun = (await post(`${path}/passkey/options`, label)).body
    const credential = softPasskey(service.publicUrl).create(begun.publicKey)
    return {
      begun,
      ...(await post(`${path}/passkey`, { ceremonyId: begun.ceremonyId, credential, ...more })),
    }
  }
  const people = async () =>
    (
      await service.core.services.pool.query<Record<string, unknown>>(
        `select name, email, email_verified, status from users where status <> 'deleted' order by created_at`,
      )
    ).rows
  const setupRequest = () =>
    until(
      async () =>
        (await service.core.workPool.query('select from work.magic_link where user_id is null')).rowCount ===
        0,
      10_000,
      'processed requests',
    )

  it('enters name and address with the passkey, which does not verify the address', async () => {
    const path = pathOf(await setupLink(service.core))
    const link = await service.api('GET', path)
    expect(link.body).to.include({ kind: 'invite', asksProfile: true })

    const none = await byPasskey(path, {})
    expect([none.status, none.code, none.field]).to.deep.equal([422, 'ERR_INVALID', '/profile'])
    for (const [profile, field] of [
      [{ name: 'Ada' }, '/profile/email'],
      [{ name: ' ', email: ada.email }, '/profile/name'],
      [{ name: 'Ada', email: 'ada@' }, '/profile/email'],
      [{ name: 'Ada', email: 'me@SETUP.invalid' }, '/profile/email'],
    ] as const) {
      const wrong = await byPasskey(path, { profile })
      expect([wrong.status, wrong.field], JSON.stringify(profile)).to.deep.equal([422, field])
    }
    expect(await people()).to.have.length(1)

    const done = await byPasskey(path, { profile: ada }, { profile: ada })
    expect(done.begun.publicKey.user).to.include({ name: ada.email, displayName: ada.name })
    expect(done.status, JSON.stringify(done.body)).to.equal(200)
    expect(done.body.user).to.include(ada)
    expect(await people()).to.deep.equal([{ ...ada, email_verified: false, status: 'active' }])
    expect(await setupLink(service.core)).to.equal(null)
  })

  it('sends them with the authenticator app as well', async () => {
    await calmStep()
    const path = pathOf(await setupLink(service.core))
    const { body } = await post(`${path}/authenticator`, { profile: ada })
    expect(decodeURIComponent(body.otpauthUri)).to.contain(ada.email)
    const { ceremonyId } = body
    const silent = await post(`${path}/authenticator/verify`, { ceremonyId, code: codeAt(body.secret, -1) })
    expect([silent.status, silent.field]).to.deep.equal([422, '/profile'])
    const done = await post(`${path}/authenticator/verify`, {
      ceremonyId,
      code: codeAt(body.secret, -1),
      profile: ada,
    })
    expect(done.status, JSON.stringify(done.body)).to.equal(200)
    expect(done.body.user).to.include(ada)
    expect(await people()).to.deep.equal([{ ...ada, email_verified: false, status: 'active' }])
  })

  it('cannot use the address of another user; a user who was invited with an address enters none', async () => {
    const other = await service.person({ email: ada.email })
    const path = pathOf(await setupLink(service.core))
    const taken = await byPasskey(path, { profile: { name: 'Eve', email: ada.email.toUpperCase() } })
    expect([taken.status, taken.code]).to.deep.equal([409, 'ERR_CONFLICT'])
    const done = await byPasskey(path, { profile: { name: 'Eve', email: 'eve@example.com' } })
    expect(done.status).to.equal(200)

    const users = userCommands(service.core.services)
    const { enrollUrl } = await users.invite(
      { profile: { email: 'bob@example.com', name: 'Bob' }, source: 'local' },
      system,
    )
    expect((await service.api('GET', pathOf(enrollUrl))).body).to.include({ asksProfile: false })
    const unasked = await byPasskey(pathOf(enrollUrl), { profile: ada })
    expect([unasked.status, unasked.field]).to.deep.equal([422, '/profile'])
    expect((await byPasskey(pathOf(enrollUrl), {})).status).to.equal(200)
    expect(other.email).to.equal(ada.email)
  })

  it('gets no email at a generated address, so nobody can sign in with such a mailbox', async () => {
    const path = pathOf(await setupLink(service.core))
    const [{ email: placeholder } = {}] = await people()
    expect(placeholder).to.match(/@setup\.invalid$/)
    expect((await byPasskey(path, { profile: ada })).status).to.equal(200)
    for (const email of ['admin@localhost', String(placeholder), ada.email]) {
      const { status } = await service.api('POST', '/auth/magic-link', { body: { email } })
      expect(status).to.equal(204)
    }
    await setupRequest()
    await peer.emailAbout(ada.email, 'Confirm your email address')
    await until(async () => !('waiting' in (await outcomes(service))), 10_000, 'an empty queue')
    expect(peer.received.filter(({ to }) => !to.includes(ada.email))).to.deep.equal([])
    expect(peer.received.map(({ mail }) => mail.subject)).not.to.include('Sign in to Identity service')
  })

  it('gets no emailed link when an administrator invites them again', async () => {
    await setupLink(service.core)
    const admin = await service.person({}, ['global_admin'])
    const { rows } = await service.core.services.pool.query<{ id: string }>(
      `select id from users where email like '%@setup.invalid'`,
    )
    const again = await service.api('POST', `/users/${rows[0]?.id ?? ''}/invite`, { as: admin })
    expect([again.status, again.body.emailed]).to.deep.equal([200, false])
    const planted = await service.api('POST', '/users', {
      as: admin,
      body: { name: 'Eve', email: 'eve@setup.invalid' },
    })
    expect([planted.status, planted.body.error.field]).to.deep.equal([422, '/email'])
  })

  it('enters name and address after the next start if an earlier version invited a guessed address', async () => {
    const users = userCommands(service.core.services)
    const { enrollUrl } = await users.invite(
      {
        profile: { email: 'admin@localhost', name: 'Administrator' },
        source: 'local',
        roles: ['global_admin'],
      },
      system,
      false,
    )
    const notice = (await setupNotice(service.core)) ?? ''
    const path = pathOf(/http:\S+/.exec(notice)?.[0] ?? '')
    expect((await service.api('GET', pathOf(enrollUrl))).status).to.equal(404)
    expect((await service.api('GET', path)).body).to.include({ asksProfile: true })
    expect((await byPasskey(path, { profile: ada })).status).to.equal(200)
    expect(await people()).to.deep.equal([{ ...ada, email_verified: false, status: 'active' }])
  })

  it('can be set by bootstrap, which invalidates the printed link', async () => {
    const printed = await setupLink(service.core)
    const link = await bootstrapLink(service.core, { ...ada, force: false })
    expect((await service.api('GET', pathOf(printed))).status).to.equal(404)
    expect((await service.api('GET', pathOf(link))).body).to.include({ asksProfile: false, email: ada.email })
    expect(await people()).to.deep.equal([{ ...ada, email_verified: false, status: 'invited' }])
    expect(await setupLink(service.core)).to.equal(null)
    expect((await byPasskey(pathOf(link), {})).status).to.equal(200)
  })

  it('leaves no other account pending when bootstrap names a user who is already invited', async () => {
    const printed = await setupLink(service.core)
    await userCommands(service.core.services).invite(
      { profile: ada, source: 'local', roles: ['global_admin'] },
      system,
    )
    const link = await bootstrapLink(service.core, { ...ada, force: true })
    expect((await service.api('GET', pathOf(printed))).status).to.equal(404)
    expect((await service.api('GET', pathOf(link))).status).to.equal(200)
    expect(await people()).to.have.length(1)
  })
})
