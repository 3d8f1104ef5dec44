import { expect } from 'chai'
import { apiKey } from '../../support/api/api-keys.ts'
import { startAccountsPlace, type AccountsPlace } from './accounts-place.ts'
import { refusal, success, walk } from './support.ts'

describe('service accounts', function () {
  this.timeout(90_000)
  let place: AccountsPlace
  let userAdmin: ReturnType<AccountsPlace['as']>
  before(async () => {
    place = await startAccountsPlace()
    userAdmin = place.as(await place.service.person({}, ['user_admin']))
  })
  after(() => place.service.stop())

  it('ID-02 a service account can be created, changed and deleted', async () => {
    const owner = await place.service.person({ name: 'Olive Owner' })
    const made = await place.send('POST', '/service-accounts', {
      name: 'Directory sync',
      description: 'Keeps people in step',
      ownerId: owner.userId,
    })
    const row = success(made, 201)
    expect(made.headers.get('location')).to.match(new RegExp(`/api/v1/service-accounts/${String(row.id)}$`))
    expect(row).to.deep.include({
      kind: 'service_account',
      name: 'Directory sync',
      description: 'Keeps people in step',
      ownerId: owner.userId,
      roles: [],
      status: 'active',
      keyCount: 0,
      lastUsedAt: null,
      createdBy: place.admin.userId,
      version: 1,
    })
    expect(row.id).to.match(/^usr_/)
    const path = `/service-accounts/${String(row.id)}`
    refusal(
      await place.send('POST', '/service-accounts', { name: 'DIRECTORY sync' }),
      409,
      'ERR_CONFLICT',
      '/name',
    )
    refusal(
      await place.send('POST', '/service-accounts', {
        name: 'Other',
        ownerId: 'usr_01ARZ3NDEKTSV4RRFFQ69G5FAV',
      }),
      422,
      'ERR_INVALID',
      '/ownerId',
    )
    const changed = success(
      await userAdmin('PATCH', path, { name: 'Sync', description: null, ownerId: null }),
    )
    expect(changed).to.deep.include({ name: 'Sync', description: null, ownerId: null, version: 2 })
    refusal(await place.send('PATCH', path, { name: 'x' }, { 'If-Match': '"1"' }), 412, 'ERR_STALE')
    expect(success(await place.send('PUT', `${path}/roles`, { roles: ['auditor'] })).roles).to.deep.equal([
      'auditor',
    ])
    expect(success(await place.send('POST', `${path}/disable`)).status).to.equal('disabled')
    refusal(await place.send('POST', `${path}/disable`), 409, 'ERR_CONFLICT')
    expect(success(await place.send('GET', '/service-accounts?status=disabled'))).to.have.length(1)
    expect(success(await place.send('POST', `${path}/enable`)).status).to.equal('active')
    refusal(await place.send('POST', `${path}/enable`), 409, 'ERR_CONFLICT')
    expect((await place.send('DELETE', path)).status).to.equal(204)
    expect(success(await place.send('GET', path)).status).to.equal('deleted')
    expect(success(await place.send('GET', '/service-accounts?q=sync'))).to.deep.equal([])
    refusal(await place.send('PATCH', path, { name: 'Back' }), 404, 'ERR_NOT_FOUND')
    await place.account({ name: 'sync' })
  })

  it('a service account is not a user', async () => {
    const { id } = await place.account({ name: 'Not a person' })
    refusal(await place.send('GET', `/users/${String(id)}`), 404, 'ERR_NOT_FOUND')
    expect((await walk(place.send, '/users?limit=200')).rows.map((row) => row.id)).not.to.include(id)
    const { id: groupId } = success(await place.send('POST', '/groups', { name: 'Of people' }), 201)
    refusal(
      await place.send('PUT', `/groups/${String(groupId)}/members/${String(id)}`, {}),
      404,
      'ERR_NOT_FOUND',
    )
    refusal(await place.send('GET', `/service-accounts/${place.admin.userId}`), 404, 'ERR_NOT_FOUND')
    refusal(await place.send('POST', `/users/${String(id)}/suspend`, {}), 404, 'ERR_NOT_FOUND')
  })

  it('AUT-05 no administrator grants or removes a role above their own', async () => {
    const { id } = await place.account({ name: 'Privileged' })
    const path = `/service-accounts/${String(id)}`
    const good = { name: 'k', scopes: ['api'] }
    success(await userAdmin('POST', `${path}/keys`, good), 201)
    refusal(await userAdmin('PUT', `${path}/roles`, { roles: ['user_admin'] }), 403, 'ERR_FORBIDDEN')
    success(await place.send('PUT', `${path}/roles`, { roles: ['user_admin'] }))
    const own = success(await userAdmin('POST', `${path}/keys`, good), 201)
    success(await place.send('PUT', `${path}/roles`, { roles: ['user_admin', 'auditor'] }))
    const requests: [string, string, object?][] = [
      ['POST', `${path}/keys`, good],
      ['POST', '/api-keys', { ...good, serviceAccountId: id }],
      ['DELETE', `/api-keys/${String(own.id)}`],
      ['PATCH', path, { name: 'Mine' }],
      ['POST', `${path}/disable`],
      ['DELETE', path],
    ]
    for (const [method, to, body] of requests)
      refusal(await userAdmin(method, to, body), 403, 'ERR_FORBIDDEN')
    const byKey = await apiKey(place.service, { roles: ['user_admin'] })
    refusal(await byKey.send('POST', `${path}/keys`, good), 403, 'ERR_FORBIDDEN')
    success(await byKey.send('POST', `/service-accounts/${byKey.serviceAccountId}/keys`, good), 201)
    const two = place.as(await place.service.person({}, ['user_admin', 'auditor']))
    success(await two('POST', `${path}/keys`, good), 201)
    const rootKey = await apiKey(place.service, { roles: ['global_admin'] })
    success(await rootKey.send('POST', `${path}/keys`, good), 201)
  })

  it('suspending or deleting the owner does not change the account', async () => {
    const owner = await place.service.person({ name: 'Leaving Owner' })
    const { id } = await place.account({ name: 'Orphan', ownerId: owner.userId })
    success(await place.send('PUT', `/service-accounts/${String(id)}/roles`, { roles: ['auditor'] }))
    const { key } = await place.keyFor(id)
    expect((await place.send('POST', `/users/${owner.userId}/suspend`, {})).status).to.equal(204)
    success(await place.withKey(key))
    expect((await place.send('DELETE', `/users/${owner.userId}`)).status).to.equal(204)
    success(await place.withKey(key))
    expect(success(await place.send('GET', `/service-accounts?ownerId=${owner.userId}`))).to.have.length(1)
  })
})
