import { expect } from 'chai'
import {
  provisionedApplication,
  eager,
  type ProvisionedApplication,
} from '../../support/scim/provisioning.ts'
import { scimApp, type ScimApp } from '../../support/scim/scim-app.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

describe('Provisioning into an application built on scimmy-routers', function () {
  this.timeout(60_000)
  let service: TestService
  let app: ScimApp
  let application: ProvisionedApplication
  const accountOf = async (userId: string) =>
    (await application.accounts()).find((account) => account.userId === userId)
  const lines = () => app.requests.map(({ line }) => line)
  const actions = async () => {
    const { body } = await application.send('GET', `/audit?targetId=${application.applicationId}&limit=200`)
    return (body as { action: string }[]).map(({ action }) => action)
  }

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
    expect(lines().filter((line) => line.startsWith('DELETE') || line.includes('/Groups'))).to.deep.equal([])
  })

  it('SCX-02 creates with SCIM media types, renames by a PUT that keeps values of others, deactivates by PATCH', async () => {
    const ada = await application.member({ name: 'Ada Lovelace', department: 'Engines' })
    await application.configure(app)
    await application.synced()
    const created = app.requests.find(({ line }) => line === 'POST /Users')
    expect(created?.headers).to.include({
      'content-type': 'application/scim+json',
      accept: 'application/scim+json',
      authorization: `Bearer ${app.token}`,
    })
    const user = app.named(ada.email)
    expect(user).to.include({ externalId: ada.userId, active: true })
    app.users.set(user.id, {
      ...user,
      nickName: 'Countess',
      phoneNumbers: [{ value: '+44 1', type: 'work' }],
    })
    await application.send('PATCH', `/users/${ada.userId}`, { name: 'Ada King', title: 'Countess' })
    await application.synced()
    expect(app.users.get(user.id)).to.deep.include({
      displayName: 'Ada King',
      title: 'Countess',
      nickName: 'Countess',
    })
    expect(app.users.get(user.id).phoneNumbers).to.have.length(1)
    app.requests.length = 0
    await application.leave(ada.userId)
    await application.synced()
    expect(lines()).to.deep.equal([`PATCH /Users/${String(user.id)}`])
    expect(app.requests[0]?.body.Operations).to.deep.equal([{ op: 'replace', path: 'active', value: false }])
    expect(app.users.get(user.id).active).to.equal(false)
    app.requests.length = 0
    await application.synced()
    expect(lines()).to.deep.equal([])
    await application.join(ada.userId)
    await application.synced()
    expect(app.users.get(user.id).active).to.equal(true)
  })

  it('SCX-01 runs by itself when a user joins, changes, or is suspended or deleted', async () => {
    await application.configure(app)
    const ada = await application.member({ name: 'Ada' })
    await until(() => app.named(ada.email) !== undefined)
    await application.send('PATCH', `/users/${ada.userId}`, { name: 'Ada King' })
    await until(() => app.named(ada.email).displayName === 'Ada King')
    await application.send('POST', `/users/${ada.userId}/suspend`, {})
    await until(() => app.named(ada.email).active === false)
    await application.send('POST', `/users/${ada.userId}/reactivate`, {})
    await until(() => app.named(ada.email).active === true)
    await application.send('DELETE', `/users/${ada.userId}`)
    await until(() => app.named(ada.email).active === false)
  })

  it('SCX-02 adopts an account with the same user name, but not that of another user', async () => {
    app.users.set('r-1', { id: 'r-1', userName: 'Grace@There.example', nickName: 'Amazing', active: false })
    const grace = await application.member({ email: 'grace@there.example' })
    const ada = await application.member({ email: 'ada@there.example' })
    app.users.set('r-2', { id: 'r-2', userName: 'ada@there.example', externalId: grace.userId, active: true })
    await application.configure(app)
    await application.synced()
    expect(app.users.get('r-1')).to.include({ externalId: grace.userId, active: true, nickName: 'Amazing' })
    await until(async () => (await accountOf(grace.userId))?.state === 'linked')
    await application.synced()
    expect(await accountOf(ada.userId)).to.include({ state: 'error', remoteId: null })
    expect((await accountOf(ada.userId)).error).to.match(/another user/)
    expect((await application.own('GET')).body.counts).to.include({ linked: 1, pendingCreate: 1, errors: 1 })
  })

  it('SCX-02 creates a deleted account again, and accepts that an account to deactivate is deleted', async () => {
    const ada = await application.member({ name: 'Ada' })
    await application.configure(app)
    await application.synced()
    app.users.clear()
    await application.send('PATCH', `/users/${ada.userId}`, { name: 'Ada King' })
    await application.synced()
    expect(app.named(ada.email)).to.include({ displayName: 'Ada King', active: true })
    app.users.clear()
    await application.leave(ada.userId)
    await application.synced()
    expect(await accountOf(ada.userId)).to.include({ state: 'deactivated', error: null })
  })

  it('SCX-04 attempts that end in an error, a hang or a lost response are retried, and reported once', async () => {
    await application.configure(app)
    await application.synced()
    const faults = [{ status: 500 }, 'hang', 'lost'] as const
    for (const fault of faults) {
      let times = 2
      app.fault = (line) => (line === 'POST /Users' && times-- > 0 ? fault : null)
      const person = await application.member()
      await until(async () => (await accountOf(person.userId))?.state === 'linked', 15_000)
      expect(app.named(person.email).active).to.equal(true)
      expect([...app.users.values()].filter(({ userName }) => userName === person.email)).to.have.length(1)
    }
    await until(async () => (await application.own('GET')).body.status === 'ok')
    const count = async (action: string) => (await actions()).filter((one) => one === action).length
    expect(await count('provisioning.fail')).to.be.greaterThan(0)
    // The audit trail follows the change.
    await until(async () => (await count('provisioning.fail')) === (await count('provisioning.recover')))
  })

  it('SCX-04 sends nothing during a pause that the application requests', async () => {
    await application.configure(app)
    await application.synced()
    let refusedAt = 0
    let refusals = 0
    app.fault = () => {
      refusedAt = performance.now()
      refusals += 1
      return { status: 429, headers: { 'Retry-After': '2' } }
    }
    const before = app.requests.length
    const ada = await application.member()
    await until(async () => (await application.own('GET')).body.status === 'error')
    app.fault = () => null
    expect((await application.own('GET')).body.lastError).to.match(/^rate_limited: returned 429/)
    await until(() => app.named(ada.email) !== undefined)
    expect(performance.now() - refusedAt).to.be.greaterThan(1500)
    const created = app.requests.slice(before).filter(({ line }) => line === 'POST /Users')
    expect(created).to.have.length(refusals + 1)
  })

  it('SCX-04 reports why no user can be pushed, and follows no redirect', async () => {
    const ada = await application.member()
    app.fault = () => ({ status: 307, headers: { Location: 'http://localhost:9/scim' } })
    await application.configure(app)
    await until(async () => (await application.own('GET')).body.lastError?.startsWith('redirect') === true)
    app.fault = () => ({ status: 401 })
    await until(
      async () => (await application.own('GET')).body.lastError?.startsWith('unauthorized') === true,
    )
    expect(await accountOf(ada.userId)).to.include({ state: 'pending' })
    app.fault = () => null
    await until(async () => (await application.own('GET')).body.status === 'ok')
    expect(await accountOf(ada.userId)).to.include({ state: 'linked' })
    await until(async () => (await actions()).includes('provisioning.recover'))
    const recorded = await actions()
    expect(recorded.filter((action) => action === 'provisioning.fail')).to.have.length(1)
    expect(recorded.filter((action) => action === 'provisioning.recover')).to.have.length(1)
  })

  it('SCX-02 stops before a mass deactivation, until an administrator approves', async () => {
    const people = []
    for (let i = 0; i < 12; i++) people.push(await application.member())
    await application.configure(app)
    const { counts } = await application.synced()
    expect(counts.linked).to.equal(12)
    await application.send(
      'DELETE',
      `/applications/${application.applicationId}/groups/${application.groupId}`,
    )
    await until(async () => (await application.own('GET')).body.status === 'paused')
    expect([...app.users.values()].every(({ active }) => active === true)).to.equal(true)
    const { body } = await application.own('GET')
    expect(body.pausedOver).to.equal(12)
    expect((await application.own('POST', '/sync')).status).to.equal(409)
    expect((await application.own('POST', '/resume')).body.status).to.not.equal('paused')
    await until(() => [...app.users.values()].every(({ active }) => active === false))
    await until(async () => (await actions()).includes('provisioning.recover'))
    expect(await actions()).to.include('provisioning.fail')
  })

  it('SCX-03 deletes its links, not the accounts, when it is removed or moved to another server', async () => {
    const ada = await application.member()
    await application.configure(app)
    await application.synced()
    const elsewhere = await scimApp()
    await application.configure(elsewhere)
    await application.synced()
    expect(elsewhere.named(ada.email).active).to.equal(true)
    expect(app.named(ada.email).active).to.equal(true)
    await application.own('DELETE')
    await application.leave(ada.userId)
    expect(elsewhere.named(ada.email).active).to.equal(true)
    await elsewhere.stop()
  })
})
