import { expect } from 'chai'
import { maintenanceDuties } from '../../../adapters/application/reactions/maintenance.ts'
import { rebuildReadModels } from '../../../cli/server/rebuild.ts'
import { serviceAccountDecider, serviceAccountStream } from '../../../domain/service-account/decider.ts'
import { apiKey } from '../../support/api/api-keys.ts'
import { recordingLog, system, testPlace, testService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'
import { startAccountsPlace, type AccountsPlace } from './accounts-place.ts'
import { refusal, success, type Json } from './support.ts'
import { READ_MODELS, UNVERSIONED } from '../../../read-models/schema.ts'

describe('API keys of a service account that is given roles', function () {
  this.timeout(90_000)
  let place: AccountsPlace
  before(async () => {
    place = await startAccountsPlace()
  })
  after(() => place.service.stop())

  const setRoles = (id: string, roles: readonly string[]) =>
    place.send('PUT', `/service-accounts/${id}/roles`, { roles })
  const scim = async (key: string): Promise<number> =>
    (
      await fetch(`${place.service.publicUrl}/scim/v2/Users?count=1`, {
        headers: { Authorization: `Bearer ${key}` },
      })
    ).status

  it('AUT-02 AUT-05 are invalid before the response is sent, for the API and for SCIM, and new ones are not', async () => {
    const { id } = await place.account({ name: 'Directory' })
    const [early, directory] = [await place.keyFor(id), await place.keyFor(id, { scopes: ['scim'] })]
    refusal(await place.withKey(early.key), 403, 'ERR_FORBIDDEN')
    success(await setRoles(id, ['user_admin']))
    refusal(await place.withKey(early.key), 401, 'ERR_UNAUTHENTICATED')
    expect(await scim(directory.key)).to.equal(401)

    const fresh = await place.keyFor(id, { scopes: ['api', 'scim'] })
    success(await place.withKey(fresh.key, 'GET', '/users'))
    expect(await scim(fresh.key)).to.equal(200)
    expect(success(await place.send('GET', `/service-accounts/${id}`)).keyCount).to.equal(1)
    success(await setRoles(id, ['user_admin', 'auditor']))
    refusal(await place.withKey(fresh.key), 401, 'ERR_UNAUTHENTICATED')
  })

  it('AUD-01 are shown as revoked, and the audit trail names the cause', async () => {
    const { id } = await place.account({ name: 'Told' })
    const key = await place.keyFor(id, { name: 'nightly' })
    success(await setRoles(id, ['auditor']))
    const row = success(await place.send('GET', `/api-keys/${String(key.id)}`))
    expect(row.status).to.equal('revoked')
    expect(row.revokedAt).to.be.a('string')
    const entries = async () =>
      success(await place.send('GET', `/audit?action=api_key.revoke&targetId=${String(key.id)}`)) as Json[]
    await until(async () => (await entries()).length > 0)
    const [entry] = await entries()
    expect(entry).to.include({ actorId: place.admin.userId, targetType: 'api_key' })
    expect(entry.summary).to.equal(
      'Revoked the API key nightly of the service account Told because the account was given roles',
    )
    // One change is enough.
    success(await setRoles(id, ['auditor']))
    success(await setRoles(id, ['auditor', 'app_admin']))
    expect(await entries()).to.have.length(1)
  })

  it('AUT-05 stay valid when roles are removed, and when nothing changes', async () => {
    const { key, serviceAccountId: id } = await apiKey(place.service, { roles: ['auditor', 'user_admin'] })
    success(await setRoles(id, ['user_admin', 'auditor']))
    success(await setRoles(id, ['auditor']))
    success(await place.withKey(key))
    success(await setRoles(id, []))
    refusal(await place.withKey(key), 403, 'ERR_FORBIDDEN')
    // A role granted again does not reactivate an earlier key.
    success(await setRoles(id, ['auditor']))
    refusal(await place.withKey(key), 401, 'ERR_UNAUTHENTICATED')
  })

  it('AUT-05 that a user without the roles creates at the same time are invalid', async () => {
    const userAdmin = await place.service.person({}, ['user_admin'])
    for (let round = 0; round < 5; round++) {
      const { id } = await place.account({ name: `Raced ${String(round)}` })
      const made = Array.from({ length: 4 }, (_, n) =>
        place.service.api('POST', `/service-accounts/${String(id)}/keys`, {
          as: userAdmin,
          body: { name: `k${String(n)}`, scopes: ['api'] },
        }),
      )
      const [raised, ...answers] = await Promise.all([setRoles(id, ['global_admin']), ...made])
      success(raised)
      for (const { status, body } of answers) {
        expect(status).to.be.oneOf([201, 403])
        if (status === 201) refusal(await place.withKey(body.key), 401, 'ERR_UNAUTHENTICATED')
      }
    }
  })

  it('AUT-05 are already invalid if the change was interrupted, and revoked later', async () => {
    const left = await apiKey(place.service, { roles: ['auditor'] })
    const { services } = place.service.core
    const { serviceAccountId } = left
    await services.handle(
      serviceAccountDecider,
      serviceAccountStream(serviceAccountId),
      { type: 'set_roles', serviceAccountId, roles: ['auditor', 'user_admin'] },
      system,
    )
    refusal(await place.withKey(left.key), 401, 'ERR_UNAUTHENTICATED')
    const before = success(await place.send('GET', `/api-keys/${left.keyId}`))
    expect([before.status, before.version]).to.deep.equal(['revoked', 1])
    for (const { name, run } of maintenanceDuties(services, place.service.core))
      if (name === 'revoked API keys') await run()
    const after = success(await place.send('GET', `/api-keys/${left.keyId}`))
    expect([after.status, after.version, after.revokedAt]).to.deep.equal(['revoked', 2, before.revokedAt])
  })
})

describe('Read models of a version that kept links and keys after a role was granted', function () {
  this.timeout(120_000)

  it('EVT-03 are replaced by a replay of the log', async () => {
    const place = await testPlace()
    const service = await testService(place)
    const { services } = service.core
    const { key, serviceAccountId, keyId } = await apiKey(service, { roles: ['auditor'] })
    await services.handle(
      serviceAccountDecider,
      serviceAccountStream(serviceAccountId),
      { type: 'set_roles', serviceAccountId, roles: ['auditor', 'user_admin'] },
      system,
    )
    const admin = await service.person({}, ['global_admin'])
    const invited = await service.api('POST', '/users', {
      as: admin,
      body: { email: 'held@example.com', name: 'Held' },
    })
    const { id, enrollUrl } = invited.body
    await service.api('PUT', `/users/${String(id)}/roles`, { as: admin, body: { roles: ['auditor'] } })
    // Creates the tables of that version.
    const { workPool } = service.core
    await workPool.query(
      `insert into ${READ_MODELS}.enrollment_links (user_id, token_hash, mailed_token_hash, kind, expires_at, created_at)
       select $1, 'held', null, 'invite', now() + interval '1 day', min(from_at) - interval '1 second'
       from ${READ_MODELS}.role_intervals where user_id = $1`,
      [id],
    )
    await workPool.query(`alter table ${READ_MODELS}.api_keys drop column outdated_at`)
    await workPool.query(`alter schema ${READ_MODELS} rename to ${UNVERSIONED}`)
    await service.stop()

    const again = await testService(place)
    try {
      expect(
        (await again.api('GET', '/overview', { headers: { Authorization: `Bearer ${key}` } })).status,
      ).to.equal(401)
      const row = await again.api('GET', `/api-keys/${keyId}`, {
        as: await again.signIn(admin.userId, admin.email),
      })
      expect(row.body.status).to.equal('revoked')
      const token = String(enrollUrl).split('/').at(-1) ?? ''
      expect((await again.api('GET', `/auth/enroll/${token}`)).status).to.equal(404)
      const { rows } = await again.core.services.pool.query('select from enrollment_links')
      expect(rows).to.have.length(0)
    } finally {
      await again.stop()
    }
    const report = await rebuildReadModels(place.config, recordingLog(), true)
    expect(report.differences).to.deep.equal([])
    await place.drop()
  })
})
