import { expect } from 'chai'
import { audited } from '../../support/audit/audit.ts'
import { directory, ENTERPRISE, type Directory } from '../../support/scim/scim.ts'
import { testService, type TestService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'
import {
  eager,
  provisionedApplication,
  type ProvisionedApplication,
} from '../../support/scim/provisioning.ts'

describe('Provisioning into a SCIM server: our own', function () {
  this.timeout(60_000)
  let service: TestService
  let other: TestService
  let there: Directory
  let application: ProvisionedApplication
  const target = () => ({ baseUrl: `${other.publicUrl}/scim/v2`, token: there.key })
  const userNamed = async (userName: string) => {
    const filter = encodeURIComponent(`userName eq "${userName}"`)
    const { body } = await there.scim('GET', `/Users?filter=${filter}`)
    return body.Resources[0]
  }
  const accountOf = async (userId: string) =>
    (await application.accounts()).find((account) => account.userId === userId)

  before(async () => {
    service = await testService(undefined, { provisioning: eager })
    other = await testService()
    there = await directory(other)
  })
  after(async () => {
    await service.stop()
    await other.stop()
  })
  beforeEach(async () => {
    application = await provisionedApplication(service)
  })

  it('SCX-01 SCX-02 creates users who are assigned and active, updates what changes, deactivates and reactivates', async () => {
    const ada = await application.member({
      name: 'Ada Lovelace',
      email: 'ada@there.example',
      title: 'Analyst',
      department: 'Engines',
    })
    const { groupId } = application
    const invited = await application.send('POST', '/users', { email: 'new@there.example', name: 'New' })
    await application.join(invited.body.id)
    await service.person({ email: 'outsider@there.example' })
    await application.configure(target())
    const record = await application.synced()
    expect(record).to.include({ status: 'ok', lastError: null, enabled: true, hasToken: true })
    expect(record.counts).to.deep.equal({ linked: 1, pendingCreate: 0, errors: 0 })
    const created = await userNamed('ada@there.example')
    expect(created).to.deep.include({ externalId: ada.userId, active: true, title: 'Analyst' })
    expect(created.name).to.include({ givenName: 'Ada', familyName: 'Lovelace' })
    expect(created[ENTERPRISE].department).to.equal('Engines')
    expect(await userNamed('new@there.example')).to.equal(undefined)
    expect(await userNamed('outsider@there.example')).to.equal(undefined)
    expect(await accountOf(ada.userId)).to.include({ remoteId: created.id, state: 'linked', error: null })

    await application.send('PATCH', `/users/${ada.userId}`, {
      name: 'Ada King',
      title: null,
      department: 'Mills',
      email: 'king@there.example',
    })
    await application.synced()
    const updated = await userNamed('king@there.example')
    expect(updated).to.include({ id: created.id, displayName: 'Ada King' })
    expect(updated.title).to.equal(undefined)
    expect(updated[ENTERPRISE].department).to.equal('Mills')

    await application.leave(ada.userId)
    await application.synced()
    expect((await userNamed('king@there.example')).active).to.equal(false)
    expect(await accountOf(ada.userId)).to.include({ state: 'deactivated' })
    await application.join(ada.userId)
    await application.synced()
    expect((await userNamed('king@there.example')).active).to.equal(true)
    await application.send('POST', `/users/${ada.userId}/suspend`, {})
    await application.synced()
    expect((await userNamed('king@there.example')).active).to.equal(false)
    await audited(service)
    const { body: trail } = await application.send(
      'GET',
      `/audit?targetId=${application.applicationId}&limit=50`,
    )
    const actions = trail.map(({ action }: { action: string }) => action)
    expect(actions).to.include.members([
      'provisioning.configure',
      'provisioning.enable',
      'provisioning.sync',
      'provisioning.user.create',
      'provisioning.user.update',
      'provisioning.user.deactivate',
    ])
    expect(groupId).to.match(/^grp_/)
  })

  it('SCX-02 adopts an account that already exists', async () => {
    const before = await there.user({ userName: 'grace@there.example', nickName: 'Amazing', active: true })
    const grace = await application.member({ name: 'Grace Hopper', email: 'grace@there.example' })
    await application.configure(target())
    await application.synced()
    const account = await userNamed('grace@there.example')
    expect(account).to.include({ id: before.id, externalId: grace.userId, displayName: 'Grace Hopper' })
    expect(await accountOf(grace.userId)).to.include({ remoteId: before.id, state: 'linked' })
  })

  it('SCX-04 reports missing provisioning, and tests the connection', async () => {
    const missing = await application.own('GET')
    expect([missing.status, missing.body.error.code]).to.deep.equal([404, 'ERR_NOT_CONFIGURED'])
    for (const path of ['/test', '/sync', '/resume'])
      expect((await application.own('POST', path)).body.error.code).to.equal('ERR_NOT_CONFIGURED')
    await application.configure(target(), { enabled: false })
    expect((await application.own('POST', '/test')).status).to.equal(204)
    const refused = await application.own('POST', '/sync')
    expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'ERR_CONFLICT'])
    await application.configure({ ...target(), token: 'wrong' }, { enabled: false })
    const failed = await application.own('POST', '/test')
    expect([failed.status, failed.body.error.code]).to.deep.equal([502, 'ERR_SCIM_CONNECTION'])
    expect((await application.own('DELETE')).status).to.equal(204)
    expect((await application.own('GET')).body.error.code).to.equal('ERR_NOT_CONFIGURED')
  })

  it('SCX-04 reports when the saved token can no longer be decrypted, and accepts it again', async () => {
    await application.member()
    await application.configure(target())
    await application.synced()
    const { pool } = service.core.services
    await pool.query(`update provisioning set sealed_token = 'v1.AAAAAAAA.AAAA' where application_id = $1`, [
      application.applicationId,
    ])
    for (const path of ['/test', '/sync']) {
      const { status, body } = await application.own('POST', path)
      expect([status, body.error.code]).to.deep.equal([422, 'ERR_TOKEN_UNREADABLE'])
    }
    await until(
      async () => (await application.own('GET')).body.lastError?.startsWith('token_unreadable') === true,
    )
    expect((await application.own('GET')).body.tokenReadable).to.equal(false)
    await application.configure(target())
    expect(await application.synced()).to.include({ status: 'ok', tokenReadable: true })
  })
})
