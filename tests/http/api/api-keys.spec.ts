import { expect } from 'chai'
import { crc32 } from 'node:zlib'
import { apiKeyCommands } from '../../../adapters/application/commands/api-keys.ts'
import { maintenanceDuties } from '../../../adapters/application/reactions/maintenance.ts'
import { apiKeyDecider, apiKeyStream } from '../../../domain/api-key/decider.ts'
import { DomainError } from '../../../domain/errors.ts'
import { serviceAccountDecider, serviceAccountStream } from '../../../domain/service-account/decider.ts'
import { usableKeys } from '../../../read-models/queries/api-keys.ts'
import { hashSecret } from '../../../adapters/engines/vault/hash.ts'
import { apiKey } from '../../support/api/api-keys.ts'
import { system } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'
import { startAccountsPlace, type AccountsPlace } from './accounts-place.ts'
import { refusal, success, walk, type Json } from './support.ts'

const DAY_MS = 86_400_000

/** Repeats a lookup until it returns a result. */
const eventually = async (look: () => Promise<Json>): Promise<Json> => {
  let current: Json
  await until(async () => {
    current = await look()
    return current !== undefined
  })
  return current
}

describe('API keys', function () {
  this.timeout(90_000)
  let place: AccountsPlace
  before(async () => {
    place = await startAccountsPlace()
  })
  after(() => place.service.stop())

  it('ID-02 AUT-02 a key is shown once, has a checksum, and only its hash is stored', async () => {
    const { id } = await place.account({ name: 'Once' })
    const made = await place.send('POST', '/api-keys', {
      serviceAccountId: id,
      name: 'first',
      scopes: ['scim', 'api'],
      allowedCidrs: ['10.1.2.3/8', '2001:DB8:1::5/32', '203.0.113.7', '203.0.113.7/32'],
    })
    const { key, ...row } = success(made, 201)
    expect(key).to.match(/^svk_[0-9A-Za-z]{49}$/)
    let [sum, digits] = [crc32(key.slice(4, 47)), '']
    const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    for (let i = 0; i < 6; i++, sum = Math.floor(sum / 62)) digits = (alphabet[sum % 62] ?? '') + digits
    expect(key.slice(47)).to.equal(digits)
    expect(row).to.deep.include({
      name: 'first',
      serviceAccountId: id,
      scopes: ['scim', 'api'],
      prefix: key.slice(0, 12),
      status: 'active',
      allowedCidrs: ['10.0.0.0/8', '2001:db8::/32', '203.0.113.7/32'],
      lastUsedAt: null,
      lastUsedIp: null,
      createdBy: place.admin.userId,
      revokedAt: null,
    })
    const days = (Date.parse(row.expiresAt) - Date.now()) / DAY_MS
    expect(days).to.be.within(364.9, 365)
    expect(made.headers.get('location')).to.match(new RegExp(`/api/v1/api-keys/${String(row.id)}$`))
    expect(success(await place.send('GET', `/api-keys/${String(row.id)}`))).to.deep.equal(row)
    expect(success(await place.send('GET', `/service-accounts/${String(id)}/keys`))).to.deep.equal([row])
    expect(
      success(await place.send('GET', `/api-keys?serviceAccountId=${String(id)}&scope=scim`)),
    ).to.deep.equal([row])
    expect(success(await place.send('GET', `/service-accounts/${String(id)}`)).keyCount).to.equal(1)
  })

  it('invalid keys are rejected with the name of the field', async () => {
    const { id } = await place.account({ name: 'Refusing' })
    const path = `/service-accounts/${String(id)}/keys`
    const good = { name: 'k', scopes: ['api'] }
    const bad: [object, string][] = [
      [{ ...good, scopes: [] }, '/scopes'],
      [{ ...good, scopes: ['admin'] }, '/scopes/0'],
      [{ ...good, scopes: ['api', 'api'] }, '/scopes'],
      [{ ...good, expiresAt: '2020-01-01T00:00:00Z' }, '/expiresAt'],
      [{ ...good, expiresAt: 'tomorrow' }, '/expiresAt'],
      [{ ...good, allowedCidrs: ['10.0.0.0/8', '10.0.0.0/33'] }, '/allowedCidrs/1'],
      [{ ...good, allowedCidrs: ['example.com'] }, '/allowedCidrs/0'],
      [{ ...good, allowedCidrs: ['2001:db8::/129'] }, '/allowedCidrs/0'],
      [
        { ...good, allowedCidrs: Array.from({ length: 51 }, (_, i) => `10.0.0.${String(i)}`) },
        '/allowedCidrs',
      ],
    ]
    for (const [body, field] of bad) refusal(await place.send('POST', path, body), 422, 'ERR_INVALID', field)
    refusal(
      await place.send('POST', '/api-keys', { ...good, serviceAccountId: place.admin.userId }),
      422,
      'ERR_INVALID',
      '/serviceAccountId',
    )
    refusal(
      await place.send('POST', `/service-accounts/${place.admin.userId}/keys`, good),
      404,
      'ERR_NOT_FOUND',
    )
    success(await place.send('POST', `/service-accounts/${String(id)}/disable`))
    refusal(await place.send('POST', path, good), 409, 'ERR_CONFLICT')
  })

  it('AUT-02 AUT-05 a request has exactly the roles of the account, and the audit trail names it', async () => {
    const auditor = await apiKey(place.service, { name: 'Reader', roles: ['auditor'] })
    success(await auditor.send('GET', '/users'))
    refusal(await auditor.send('POST', '/groups', { name: 'By key' }), 403, 'ERR_FORBIDDEN')
    const none = await apiKey(place.service, { name: 'Roleless' })
    refusal(await none.send('GET', '/users'), 403, 'ERR_FORBIDDEN')
    const writer = await apiKey(place.service, { name: 'Writer', roles: ['user_admin'] })
    const group = success(await writer.send('POST', '/groups', { name: 'By key' }), 201)
    const entry = await eventually(async () => {
      const rows: Json[] = success(await place.send('GET', `/audit?targetId=${String(group.id)}`))
      return rows[0]
    })
    expect(entry).to.deep.include({
      action: 'group.create',
      actorType: 'service_account',
      actorId: writer.serviceAccountId,
      actorName: 'Writer',
      credential: { type: 'api_key', id: writer.keyId },
    })
    success(await place.send('PUT', `/service-accounts/${writer.serviceAccountId}/roles`, { roles: [] }))
    refusal(await writer.send('GET', '/users'), 403, 'ERR_FORBIDDEN')
    const admin = await apiKey(place.service, { name: 'All', roles: ['global_admin'] })
    success(await admin.send('PATCH', '/settings', { organizationName: 'By key' }))
  })

  it('AUT-02 rejects keys without the scope api, and values that are not keys', async () => {
    const scim = await apiKey(place.service, { roles: ['global_admin'], scopes: ['scim'] })
    expect(refusal(await scim.send('GET', '/users'), 403, 'ERR_FORBIDDEN')).to.match(/scope api/)
    const { key } = await apiKey(place.service, { roles: ['auditor'] })
    success(await place.withKey(key))
    const flipped = key.slice(0, -7) + (key.at(-7) === 'A' ? 'B' : 'A') + key.slice(-6)
    for (const wrong of [
      flipped,
      key.slice(0, -1),
      `${key}x`,
      'svk_',
      key.toLowerCase(),
      key.replace('svk_', 'SVK_'),
    ])
      refusal(await place.withKey(wrong), 401, 'ERR_UNAUTHENTICATED')
    const answer = await place.service.api('GET', '/overview', { headers: { Authorization: `Basic ${key}` } })
    refusal(answer, 401, 'ERR_UNAUTHENTICATED')
  })

  it('API-09 keys are ignored on /me and /auth', async () => {
    const { key } = await apiKey(place.service, { roles: ['global_admin'] })
    for (const path of ['/me', '/me/sessions', '/me/methods'])
      refusal(await place.withKey(key, 'GET', path), 401, 'ERR_UNAUTHENTICATED')
    const both = await place.withKey(key, 'GET', '/me', { Cookie: place.admin.cookie })
    expect(success(both).id).to.equal(place.admin.userId)
    success(await place.withKey(key, 'GET', '/auth/methods'))
    success(await place.withKey('svk_nonsense', 'GET', '/auth/methods'))
  })

  it('AUT-02 a key is invalid once it is revoked or its account disabled', async () => {
    const one = await apiKey(place.service, { roles: ['auditor'] })
    const path = `/service-accounts/${one.serviceAccountId}`
    const two = await place.keyFor(one.serviceAccountId)
    success(await place.withKey(two.key))
    expect((await place.send('DELETE', `/api-keys/${one.keyId}`)).status).to.equal(204)
    refusal(await place.withKey(one.key), 401, 'ERR_UNAUTHENTICATED')
    expect(success(await place.send('GET', `/api-keys/${one.keyId}`)).status).to.equal('revoked')
    expect((await place.send('DELETE', `/api-keys/${one.keyId}`)).status).to.equal(204)
    success(await place.withKey(two.key))
    success(await place.send('POST', `${path}/disable`))
    refusal(await place.withKey(two.key), 401, 'ERR_UNAUTHENTICATED')
    success(await place.send('POST', `${path}/enable`))
    success(await place.withKey(two.key))
    expect((await place.send('DELETE', path)).status).to.equal(204)
    refusal(await place.withKey(two.key), 401, 'ERR_UNAUTHENTICATED')
    expect(success(await place.send('GET', `/api-keys/${String(two.id)}`)).status).to.equal('revoked')
    const rows = success(
      await place.send('GET', `/api-keys?serviceAccountId=${one.serviceAccountId}`),
    ) as Json[]
    expect(rows.map(({ status }) => status)).to.deep.equal(['revoked', 'revoked'])
  })

  it('keys that remain after an interrupted deletion are already invalid, and revoked later', async () => {
    const left = await apiKey(place.service, { roles: ['auditor'] })
    const { services } = place.service.core
    const { serviceAccountId } = left
    await services.handle(
      serviceAccountDecider,
      serviceAccountStream(serviceAccountId),
      { type: 'delete', serviceAccountId, by: ['global_admin'] },
      system,
    )
    refusal(await place.withKey(left.key), 401, 'ERR_UNAUTHENTICATED')
    for (const { name, run } of maintenanceDuties(services, place.service.core))
      if (name === 'deleted service accounts') await run()
    expect(success(await place.send('GET', `/api-keys/${left.keyId}`)).status).to.equal('revoked')
  })

  it('AUT-02 a key stops working when it expires, which is then reported', async () => {
    const { services } = place.service.core
    const expiresAt = services.clock.in(2)
    const short = await apiKey(place.service, { name: 'Short', roles: ['auditor'], expiresAt })
    const at = (moment: string) => usableKeys(services.lookups, [hashSecret(short.key)], moment)
    expect((await at(services.clock.now()))[0]?.keyId).to.equal(short.keyId)
    expect(await at(expiresAt)).to.deep.equal([null])
    const refused = await eventually(async () => {
      const answer = await place.withKey(short.key)
      return answer.status === 401 ? answer : undefined
    })
    refusal(refused, 401, 'ERR_UNAUTHENTICATED')
    expect(services.clock.now() >= expiresAt).to.equal(true)
    expect(success(await place.send('GET', `/api-keys/${short.keyId}`)).status).to.equal('expired')
    for (const { name, run } of maintenanceDuties(services, place.service.core))
      if (name === 'API keys') await run()
    const entry = await eventually(async () => {
      const rows: Json[] = success(
        await place.send('GET', `/audit?targetId=${short.keyId}&action=api_key.expire`),
      )
      return rows[0]
    })
    expect(entry.summary).to.equal("The API key Short's key of the service account Short expired")
    expect(entry.actorType).to.equal('system')
    // Expiry is final: nothing restores a key, but it can still be revoked.
    const again = await services.handle(
      apiKeyDecider,
      apiKeyStream(short.keyId),
      { type: 'expire', keyId: short.keyId, now: services.clock.now() },
      system,
    )
    expect(again.recorded).to.deep.equal([])
    expect((await place.send('DELETE', `/api-keys/${short.keyId}`)).status).to.equal(204)
  })

  it('the setting apiKeyMaxDays limits new keys', async () => {
    success(await place.send('PATCH', '/settings', { apiKeyMaxDays: 30 }))
    const { id } = await place.account({ name: 'Bounded' })
    const row = await place.keyFor(id)
    expect((Date.parse(row.expiresAt) - Date.now()) / DAY_MS).to.be.within(29.9, 30)
    const expiresAt = new Date(Date.now() + 31 * DAY_MS).toISOString()
    const body = { name: 'k', scopes: ['api'], expiresAt }
    const path = `/service-accounts/${String(id)}/keys`
    expect(refusal(await place.send('POST', path, body), 422, 'ERR_INVALID', '/expiresAt')).to.match(
      /apiKeyMaxDays/,
    )
    expect(success(await place.send('PATCH', '/settings', { apiKeyMaxDays: null })).apiKeyMaxDays).to.equal(
      null,
    )
    success(await place.send('POST', path, body), 201)
  })

  it('a repeated request returns the same key, also after a crash', async () => {
    const { id } = await place.account({ name: 'Repeated' })
    const body = { serviceAccountId: id, name: 'k', scopes: ['api'] }
    const ask = () => place.send('POST', '/api-keys', body, { 'Idempotency-Key': 'key-once' })
    const first = success(await ask(), 201)
    expect(success(await ask(), 201)).to.deep.equal(first)
    expect(success(await place.send('GET', `/service-accounts/${String(id)}`)).keyCount).to.equal(1)
    const keys = apiKeyCommands(place.service.core.services)
    const create = () =>
      keys.create(
        { serviceAccountId: id, name: 'k', scopes: ['api'] },
        ['global_admin'],
        new DomainError('ERR_NOT_FOUND'),
        { ...system, idempotencyKey: 'crashed' },
      )
    expect(await create()).to.deep.equal(await create())
  })

  it('the last use is stored, approximately', async () => {
    const used = await apiKey(place.service, { roles: ['auditor'] })
    success(await used.send('GET', '/overview'))
    const row = await eventually(async () => {
      const key = success(await place.send('GET', `/api-keys/${used.keyId}`))
      return key.lastUsedAt === null ? undefined : key
    })
    expect(row.lastUsedIp).to.equal('127.0.0.1')
    success(await used.send('GET', '/overview'))
    const later = success(await place.send('GET', `/api-keys/${used.keyId}`))
    expect(later.lastUsedAt).to.equal(row.lastUsedAt)
    expect(
      success(await place.send('GET', `/service-accounts/${used.serviceAccountId}`)).lastUsedAt,
    ).to.equal(row.lastUsedAt)
  })

  it('lists page and filter', async () => {
    await apiKey(place.service, { roles: ['global_admin'] })
    const { id } = await place.account({ name: 'Many keys' })
    for (let i = 0; i < 5; i++) await place.keyFor(id, { name: `key ${String(i)}` })
    const mine = `serviceAccountId=${String(id)}`
    const { rows, pages } = await walk(place.send, `/api-keys?${mine}&limit=2`)
    expect(rows.map(({ name }) => name)).to.deep.equal(['key 4', 'key 3', 'key 2', 'key 1', 'key 0'])
    expect(pages).to.equal(3)
    await place.send('DELETE', `/api-keys/${String(rows[0].id)}`)
    expect(success(await place.send('GET', `/api-keys?${mine}&status=active`))).to.have.length(4)
    expect(
      success(await place.send('GET', `/service-accounts/${String(id)}/keys?status=revoked`)),
    ).to.have.length(1)
    expect(
      success(await place.send('GET', '/service-accounts?role=global_admin&sort=-name')),
    ).not.to.deep.equal([])
  })
})
