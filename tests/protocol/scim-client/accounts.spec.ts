/** Unusual applications, and the accounts in them. */
import { expect } from 'chai'
import { directory } from '../../support/scim/scim.ts'
import {
  eager,
  provisionedApplication,
  type ProvisionedApplication,
} from '../../support/scim/provisioning.ts'
import { scimApp, type Fault, type ScimApp } from '../../support/scim/scim-app.ts'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

describe('Accounts in applications', function () {
  this.timeout(60_000)
  let service: TestService
  let app: ScimApp
  let application: ProvisionedApplication
  const accountOf = async (userId: string) =>
    (await application.accounts()).find((account) => account.userId === userId)
  const lines = () => app.requests.map(({ line }) => line)

  before(async () => {
    service = await testService(undefined, { provisioning: eager })
  })
  after(() => service.stop())
  beforeEach(async () => {
    app = await scimApp()
    application = await provisionedApplication(service)
  })
  afterEach(async () => {
    await application.own('DELETE')
    await app.stop()
  })

  for (const status of [405, 501])
    it(`SCX-02 deactivates by PUT, keeping values of others, if PATCH returns ${String(status)}`, async () => {
      const ada = await application.member({ name: 'Ada' })
      await application.configure(app)
      await application.synced()
      const { id } = app.named(ada.email)
      app.users.set(id, { ...app.users.get(id), nickName: 'Countess' })
      app.fault = (line) => (line.startsWith('PATCH') ? { status } : null)
      app.requests.length = 0
      await application.leave(ada.userId)
      await application.synced()
      expect(lines()).to.deep.equal([
        `PATCH /Users/${String(id)}`,
        `GET /Users/${String(id)}`,
        `PUT /Users/${String(id)}`,
      ])
      expect(app.users.get(id)).to.include({
        active: false,
        nickName: 'Countess',
        displayName: 'Ada',
        externalId: ada.userId,
      })
      expect(await accountOf(ada.userId)).to.include({ state: 'deactivated', error: null })
    })

  it('SCX-02 does not overwrite an account that could not be read', async () => {
    const [ada, bob] = [await application.member({ name: 'Ada' }), await application.member()]
    await application.configure(app)
    await application.synced()
    const { id } = app.named(ada.email)
    app.users.set(id, { ...app.users.get(id), nickName: 'Countess' })
    const page: Fault = {
      status: 200,
      headers: { 'Content-Type': 'text/html' },
      text: '<html>Sign in</html>',
    }
    app.fault = (line) => (line.startsWith('GET') ? page : line.startsWith('PATCH') ? { status: 501 } : null)
    app.requests.length = 0
    await application.send('PATCH', `/users/${ada.userId}`, { name: 'Ada King' })
    await application.leave(bob.userId)
    await until(async () => (await accountOf(ada.userId)).state === 'error')
    await until(async () => (await accountOf(bob.userId)).state === 'error')
    expect(lines().filter((line) => line.startsWith('PUT'))).to.deep.equal([])
    expect((await accountOf(ada.userId)).error).to.match(/but not a user/)
    app.fault = () => null
    await until(() => app.users.get(id).displayName === 'Ada King')
    expect(app.users.get(id).nickName).to.equal('Countess')
    await until(() => app.named(bob.email).active === false)
  })

  it('SCX-02 finds the account of a renamed user at the next attempt if only the external id conflicts', async () => {
    const other = await testService()
    try {
      const there = await directory(other)
      const target = { baseUrl: `${other.publicUrl}/scim/v2`, token: there.key }
      const ada = await application.member({ email: 'ada@before.example' })
      await application.configure(target)
      await application.synced()
      const { remoteId } = await accountOf(ada.userId)
      await application.own('DELETE')
      await application.send('PATCH', `/users/${ada.userId}`, { email: 'ada@after.example' })
      await application.configure(target)
      await until(async () => (await accountOf(ada.userId)).state === 'linked')
      expect(await accountOf(ada.userId)).to.include({ state: 'linked', remoteId, error: null })
      const { body } = await there.scim('GET', `/Users/${String(remoteId)}`)
      expect(body).to.include({ userName: 'ada@after.example', externalId: ada.userId, active: true })
    } finally {
      await other.stop()
    }
  })

  describe('when a create request got no response', () => {
    /**
     * Creates an account in the application that is unknown here, and changes the user while the application is
     * unavailable.
     */
    const unanswered = async (
      change: (person: TestPerson) => Promise<unknown>,
      lookUps: (filter: string) => Fault | null,
    ) => {
      const person = await application.member()
      let created = false
      app.fault = (line) => {
        if (created) return { status: 503 }
        created = line === 'POST /Users'
        return created ? 'lost' : null
      }
      await application.configure(app)
      await until(() => created)
      await change(person)
      app.fault = (line, _, filter) => (line === 'GET /Users' && filter !== '' ? lookUps(filter) : null)
      return person
    }
    const move = ({ userId, email }: TestPerson) =>
      application.send('PATCH', `/users/${userId}`, { email: `moved-${email}` })
    const leave = ({ userId }: TestPerson) => application.leave(userId)
    const refusedOnce = (status: number) => {
      let left = 1
      return () => (left-- > 0 ? { status } : null)
    }

    for (const status of [400, 404, 501])
      it(`SCX-02 the account is found by its original name, although a lookup returned ${String(status)}`, async () => {
        const ada = await unanswered(move, refusedOnce(status))
        await until(async () => (await accountOf(ada.userId)).state === 'linked')
        await application.synced()
        expect([...app.users.values()].map(({ userName }) => userName)).to.deep.equal([`moved-${ada.email}`])
      })

    for (const status of [400, 404, 501])
      it(`SCX-02 the account of a user who left is deactivated, although a lookup returned ${String(status)}`, async () => {
        const ada = await unanswered(leave, refusedOnce(status))
        await until(() => !app.named(ada.email).active)
        await application.synced()
        expect(await accountOf(ada.userId)).to.include({ state: 'deactivated', error: null })
      })

    it('SCX-02 the account is found, or deactivated, if filtering by external id is not supported', async () => {
      const refusing = (filter: string) => (filter.startsWith('externalId') ? { status: 400 } : null)
      const ada = await unanswered(move, refusing)
      await until(async () => (await accountOf(ada.userId)).state === 'linked')
      const bob = await unanswered(leave, refusing)
      await until(() => !app.named(bob.email).active)
      const eve = await unanswered(async () => undefined, refusing)
      await until(async () => (await accountOf(eve.userId)).state === 'linked')
      expect([...app.users.values()].map(({ userName, active }) => [userName, active])).to.deep.equal([
        [`moved-${ada.email}`, true],
        [bob.email, false],
        [eve.email, true],
      ])
    })
  })

  it('SCX-02 a known account that is reported as gone is searched for before another one is created', async () => {
    const ada = await application.member({ name: 'Ada' })
    await application.configure(app)
    await application.synced()
    const { id } = app.named(ada.email)
    let left = 1
    app.fault = (line) => (line === `GET /Users/${String(id)}` && left-- > 0 ? { status: 404 } : null)
    await application.send('PATCH', `/users/${ada.userId}`, { email: `moved-${ada.email}` })
    await until(() => app.users.get(id).userName === `moved-${ada.email}`)
    await application.synced()
    expect([...app.users.keys()]).to.deep.equal([id])
  })

  it('SCX-02 userNameAttribute externalId: the external id is the user name, and a user without one is reported', async () => {
    const ada = await application.member({ externalId: 'hr-4711' })
    const bob = await application.member()
    await application.configure(app, { userNameAttribute: 'externalId' })
    expect((await application.own('GET')).body.userNameAttribute).to.equal('externalId')
    await application.synced()
    const held = app.named('hr-4711')
    expect(held).to.include({ externalId: ada.userId, active: true })
    expect(held.emails[0].value).to.equal(ada.email)
    expect((await accountOf(bob.userId)).error).to.match(/externalId/)
    expect(app.users.size).to.equal(1)
    await application.send('PATCH', `/users/${ada.userId}`, { externalId: 'hr-4712' })
    await application.send('PATCH', `/users/${bob.userId}`, { externalId: 'hr-1' })
    await application.synced()
    expect(app.users.get(held.id)).to.include({ userName: 'hr-4712', active: true })
    expect(app.named('hr-1')).to.include({ externalId: bob.userId, active: true })
    expect(await accountOf(bob.userId)).to.include({ state: 'linked', error: null })
    await application.configure(app, { userNameAttribute: 'email' })
    await application.synced()
    expect(app.users.get(held.id).userName).to.equal(ada.email)
  })

  it('SCX-02 pushes only the configured attributes, and a PUT keeps the others', async () => {
    const ada = await application.member({ name: 'Ada', title: 'Analyst', department: 'Engines' })
    await application.configure(app, { attributes: { title: false, department: false, name: false } })
    await application.synced()
    const created = app.requests.find(({ line }) => line === 'POST /Users')?.body
    expect(created).to.have.all.keys('schemas', 'externalId', 'userName', 'active', 'emails')
    const { id } = app.named(ada.email)
    app.users.set(id, { ...app.users.get(id), title: 'Set there', displayName: 'Set there' })
    app.requests.length = 0
    await application.send('PATCH', `/users/${ada.userId}`, { name: 'Ada King', title: 'Countess' })
    await application.synced()
    expect(lines()).to.deep.equal([])
    await application.send('PATCH', `/users/${ada.userId}`, { email: 'king@there.example' })
    await application.synced()
    expect(app.users.get(id)).to.include({
      userName: 'king@there.example',
      title: 'Set there',
      displayName: 'Set there',
    })
  })

  const inThreeSeconds = () => new Date(Date.now() + 3000).toUTCString()
  for (const [status, retryAfter, how] of [
    [429, () => '2', '429 with seconds'],
    [429, inThreeSeconds, '429 with a date'],
    [503, () => '2', '503 with seconds'],
    [503, inThreeSeconds, '503 with a date'],
  ] as const)
    it(`SCX-04 sends nothing during a pause that the application requests: ${how}`, async () => {
      await application.configure(app)
      await application.synced()
      let refusedAt = 0
      app.fault = () => {
        refusedAt = performance.now()
        return { status, headers: { 'Retry-After': retryAfter() } }
      }
      app.requests.length = 0
      const ada = await application.member()
      await until(async () => (await application.own('GET')).body.status === 'error')
      app.fault = () => null
      // A new member and an administrator's request do not shorten the pause.
      const bob = await application.member()
      expect((await application.own('POST', '/sync')).status).to.equal(202)
      const refused = app.requests.length
      await until(() => app.requests.length > refused)
      expect(performance.now() - refusedAt).to.be.greaterThan(1500)
      await until(() => app.named(ada.email)?.active === true && app.named(bob.email)?.active === true)
      await until(async () => (await application.own('GET')).body.status === 'ok')
    })

  describe('and a mass deactivation', () => {
    const inactive = () => [...app.users.values()].filter(({ active }) => active !== true).length
    const record = async () => (await application.own('GET')).body
    const isPaused = async () => (await record()).status === 'paused'
    const staff = async (count: number) => {
      const people = []
      for (let i = 0; i < count; i++) people.push(await application.member())
      await application.configure(app)
      expect((await application.synced()).counts.linked).to.equal(count)
      return people
    }
    const enable = (enabled: boolean) => application.own('PUT', '', { baseUrl: app.baseUrl, enabled })

    it('SCX-02 it resumes only when an administrator approves, and deactivates no account once the cause is fixed', async () => {
      await staff(12)
      const group = `/applications/${application.applicationId}/groups/${application.groupId}`
      await application.send('DELETE', group)
      await until(isPaused)
      // Saving the same settings, and disabling and enabling, do not count as approval.
      await application.configure(app)
      await enable(false)
      await enable(true)
      expect(await isPaused()).to.equal(true)
      await application.send('PUT', group)
      expect(await isPaused()).to.equal(true)
      expect((await application.own('POST', '/resume')).status).to.equal(200)
      expect((await application.synced()).counts).to.include({ linked: 12, errors: 0 })
      expect(inactive()).to.equal(0)
      expect(lines().filter((line) => line.startsWith('PATCH'))).to.deep.equal([])
    })

    it('SCX-02 it continues up to the approved number, and pauses again beyond it', async () => {
      const people = await staff(24)
      await enable(false)
      for (const { userId } of people.slice(0, 12)) await application.leave(userId)
      await enable(true)
      await until(isPaused)
      expect((await record()).pausedOver).to.equal(12)
      for (const { userId } of people.slice(12, 24)) await application.leave(userId)
      expect((await application.own('POST', '/resume')).status).to.equal(200)
      await until(isPaused)
      expect((await record()).pausedOver).to.equal(24)
      expect(inactive()).to.equal(0)
      expect((await application.own('POST', '/resume')).status).to.equal(200)
      await until(() => inactive() === 24)
      expect((await application.synced()).counts.linked).to.equal(0)
      expect(inactive()).to.equal(24)
    })
  })
})
