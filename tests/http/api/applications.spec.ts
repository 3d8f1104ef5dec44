import { expect } from 'chai'
import { applicationCommands } from '../../../adapters/application/commands/applications.ts'
import { system } from '../../support/service/service.ts'
import { everythingStored, payroll, refusal, startPlace, success, type Place } from './support.ts'

const NO_GROUP = 'grp_01ARZ3NDEKTSV4RRFFQ69G5FAV'

describe('API applications', function () {
  this.timeout(60_000)
  let place: Place
  let n = 0
  before(async () => {
    place = await startPlace()
  })
  after(() => place.service.stop())

  const create = async (more: object = {}) =>
    success(await place.send('POST', '/applications', payroll(`App ${String(++n)}`, more)), 201)
  const group = async () =>
    success(await place.send('POST', '/groups', { name: `Group ${String(++n)}` }), 201).id

  it('ID-02 API-01 a web application gets its secret once; the record never shows it again', async () => {
    const groupId = await group()
    const answer = await place.send('POST', '/applications', payroll('Payroll', { groupIds: [groupId] }))
    const app = success(answer, 201)
    expect(app.clientId).to.match(/^sv_[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(app.clientSecret).to.match(/^svs_[\w-]{43}$/)
    expect(app).to.deep.include({
      type: 'web',
      status: 'active',
      builtIn: false,
      groupIds: [groupId],
      redirectUris: ['https://payroll.example.com/callback'],
      idTokenLifetimeSeconds: 900,
      accessTokenLifetimeSeconds: 900,
      refreshTokenLifetimeSeconds: 28_800,
      refreshTokenRotation: true,
      requirePkce: true,
      accessTokenFormat: 'opaque',
      grantTypes: ['authorization_code', 'refresh_token'],
      tokenEndpointAuthMethod: 'client_secret_basic',
    })
    const { clientSecret, ...record } = app
    expect(success(await place.send('GET', `/applications/${app.id}`))).to.deep.equal(record)
    expect(await everythingStored(place.service.databaseUrl, '')).not.to.include(clientSecret)
  })

  it('ID-02 OIDC-05 services get a secret, single-page and native applications none', async () => {
    const service = await create({ type: 'service', redirectUris: [] })
    expect(service).to.have.property('clientSecret')
    expect(service).to.include({ accessTokenFormat: 'jwt' })
    for (const type of ['spa', 'native']) {
      const app = await create({ type })
      expect(app).not.to.have.property('clientSecret')
      expect(app).to.include({ tokenEndpointAuthMethod: 'none' })
      refusal(await place.send('POST', `/applications/${app.id}/secrets`, {}), 409, 'ERR_CONFLICT')
      refusal(await place.send('POST', `/applications/${app.id}/secret/rotate`, {}), 409, 'ERR_CONFLICT')
    }
  })

  it('API-05 OIDC-04 invalid values are rejected with the name of the field', async () => {
    const wrong: [object, string][] = [
      [{ protocol: 'ws_fed' }, '/protocol'],
      [{ saml: {} }, '/saml'],
      [{ metadataXml: '<x/>' }, '/metadataXml'],
      [{ type: undefined }, '/type'],
      [{ type: 'cli' }, '/type'],
      [{ redirectUris: [] }, '/redirectUris'],
      [{ redirectUris: ['http://payroll.example.com/callback'] }, '/redirectUris/0'],
      [{ redirectUris: ['https://a.example/', 'https://b.example/#x'] }, '/redirectUris/1'],
      [{ redirectUris: ['https://*.example.com/'] }, '/redirectUris/0'],
      [{ redirectUris: 'https://a.example/' }, '/redirectUris'],
      [{ type: 'service' }, '/redirectUris'],
      [{ type: 'spa', requirePkce: false }, '/requirePkce'],
      [{ allowedOrigins: ['https://a.example/path'] }, '/allowedOrigins/0'],
      [{ launchUrl: 'http://a.example' }, '/launchUrl'],
      [{ logoUrl: 'javascript:alert(1)' }, '/logoUrl'],
      [{ idTokenLifetimeSeconds: 59 }, '/idTokenLifetimeSeconds'],
      [{ refreshTokenLifetimeSeconds: 31_536_001 }, '/refreshTokenLifetimeSeconds'],
      [{ groupIds: [NO_GROUP] }, '/groupIds/0'],
      [{ groupIds: ['payroll'] }, '/groupIds/0'],
      [{ name: undefined }, '/name'],
    ]
    for (const [fields, field] of wrong)
      refusal(await place.send('POST', '/applications', payroll('Wrong', fields)), 422, 'ERR_INVALID', field)
    refusal(
      await place.send('POST', '/applications', payroll('Wrong', { clientId: 'mine' })),
      400,
      'ERR_INVALID_JSON',
    )
    expect(success(await place.send('GET', '/applications?q=wrong'))).to.deep.equal([])
    success(
      await place.send(
        'POST',
        '/applications',
        payroll('Local', { redirectUris: ['http://localhost:3000/cb'] }),
      ),
      201,
    )
  })

  it('API-04 a name is unique in any letter case; of 20 concurrent requests one succeeds', async () => {
    const { name, id } = await create()
    refusal(
      await place.send('POST', '/applications', payroll(name.toUpperCase())),
      409,
      'ERR_CONFLICT',
      '/name',
    )
    const other = await create()
    refusal(await place.send('PATCH', `/applications/${other.id}`, { name }), 409, 'ERR_CONFLICT', '/name')
    success(await place.send('DELETE', `/applications/${id}`), 204)
    success(await place.send('PATCH', `/applications/${other.id}`, { name }))
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => place.send('POST', '/applications', payroll('Racer'))),
    )
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, ...Array(19).fill(409)])
  })

  it('API-03 PATCH changes what is sent, including groups; null clears a field; If-Match detects a newer version', async () => {
    const groupId = await group()
    const app = await create({ description: 'Wages', launchUrl: 'https://a.example/' })
    const path = `/applications/${app.id}`
    const changed = success(
      await place.send(
        'PATCH',
        path,
        { redirectUris: ['https://new.example/cb'], description: null, groupIds: [groupId] },
        { 'If-Match': `"${String(app.version)}"` },
      ),
    )
    expect(changed).to.deep.include({
      redirectUris: ['https://new.example/cb'],
      description: null,
      launchUrl: 'https://a.example/',
      groupIds: [groupId],
      name: app.name,
    })
    refusal(await place.send('PATCH', path, { name: 'x' }, { 'If-Match': '"1"' }), 412, 'ERR_STALE')
    refusal(await place.send('PATCH', path, { redirectUris: [] }), 422, 'ERR_INVALID', '/redirectUris')
    refusal(await place.send('PATCH', path, { groupIds: [NO_GROUP] }), 422, 'ERR_INVALID', '/groupIds/0')
    refusal(await place.send('PATCH', path, { type: 'spa' }), 400, 'ERR_INVALID_JSON', '/type')
  })

  it('ASG-01 groups are assigned as a list or one by one, and access follows immediately', async () => {
    const [one, two] = [await group(), await group()]
    const person = await place.service.person({ name: 'Zed' })
    success(await place.send('PUT', `/groups/${one}/members/${person.userId}`, {}), 204)
    const { id } = await create()
    const path = `/applications/${id}`
    expect(success(await place.send('GET', `${path}/users`))).to.deep.equal([])
    const before = new Date().toISOString()
    expect(
      success(await place.send('PUT', `${path}/groups`, { groupIds: [one, two] })).groupIds,
    ).to.have.members([one, two])
    expect(success(await place.send('GET', `${path}/users`))).to.deep.equal([
      { id: person.userId, name: 'Zed', email: person.email, status: 'active' },
    ])
    const [reached] = success(await place.send('GET', `/users/${person.userId}/access`))
    expect(reached).to.include({ applicationId: id, status: 'active' })
    expect(reached.via[0]).to.include({ groupId: one, via: 'assigned', until: null })
    expect(success(await place.send('GET', `/users/${person.userId}/applications`))[0].id).to.equal(id)
    const during = new Date().toISOString()
    success(await place.send('DELETE', `${path}/groups/${one}`), 204)
    refusal(await place.send('DELETE', `${path}/groups/${one}`), 404, 'ERR_NOT_FOUND')
    expect(success(await place.send('GET', `${path}/access`))).to.deep.equal([])
    const past = success(await place.send('GET', `${path}/access?at=${during}`))
    expect(past[0]).to.include({ userId: person.userId })
    expect(past[0].via[0]).to.include({ groupId: one, via: 'assigned' })
    expect(success(await place.send('GET', `${path}/access?at=${before}`))).to.deep.equal([])
    expect(success(await place.send('GET', `/users/${person.userId}/access?at=${during}`))).to.have.length(1)
    success(await place.send('PUT', `${path}/groups/${one}`), 204)
    refusal(await place.send('PUT', `${path}/groups/${NO_GROUP}`), 404, 'ERR_NOT_FOUND')
    refusal(
      await place.send('PUT', `${path}/groups`, { groupIds: [NO_GROUP] }),
      422,
      'ERR_INVALID',
      '/groupIds/0',
    )
    success(await place.send('DELETE', path), 204)
    expect(success(await place.send('GET', `/users/${person.userId}/access`))).to.deep.equal([])
    expect(success(await place.send('GET', `${path}/access?at=${during}`))).to.have.length(1)
  })

  it('has two active secrets at most; rotation keeps the newest for its grace period', async () => {
    const { id, clientSecret } = await create()
    const path = `/applications/${id}`
    const list = async () =>
      success(await place.send('GET', `${path}/secrets`)) as { id: string; prefix: string; status: string }[]
    const [first] = await list()
    expect(first).to.include({ status: 'active', prefix: clientSecret.slice(0, 8) })
    expect(first).not.to.have.any.keys('hash', 'clientSecret')
    refusal(
      await place.send('POST', `${path}/secrets`, { expiresAt: '2020-01-01T00:00:00Z' }),
      422,
      'ERR_INVALID',
      '/expiresAt',
    )
    const second = success(
      await place.send('POST', `${path}/secrets`, { expiresAt: '2999-01-01T00:00:00Z' }),
      201,
    )
    expect(second).to.include({ status: 'expiring', expiresAt: '2999-01-01T00:00:00.000000Z' })
    expect(second.clientSecret).to.match(/^svs_[\w-]{43}$/)
    refusal(await place.send('POST', `${path}/secrets`, {}), 409, 'ERR_CONFLICT')
    const third = success(await place.send('POST', `${path}/secret/rotate`, { graceSeconds: 600 }))
    const byId = new Map((await list()).map((secret) => [secret.id, secret.status]))
    expect(byId.get(String(first?.id))).to.equal('revoked')
    expect(byId.get(second.id)).to.equal('expiring')
    expect(byId.get(third.id)).to.equal('active')
    const fourth = success(await place.send('POST', `${path}/secret/rotate`))
    const active = (await list()).filter(({ status }) => status === 'active' || status === 'expiring')
    expect(active.map((secret) => secret.id)).to.deep.equal([fourth.id])
    success(await place.send('DELETE', `${path}/secrets/${fourth.id}`), 204)
    refusal(await place.send('DELETE', `${path}/secrets/${fourth.id}`), 404, 'ERR_NOT_FOUND')
    refusal(
      await place.send('POST', `${path}/secret/rotate`, { graceSeconds: -1 }),
      422,
      'ERR_INVALID',
      '/graceSeconds',
    )
  })

  it('ID-02 a repeated Idempotency-Key gets the secret that is shown once again, even if the response was lost', async () => {
    const key = { 'Idempotency-Key': 'create-1' }
    const body = payroll('Once')
    const first = success(await place.send('POST', '/applications', body, key), 201)
    expect(success(await place.send('POST', '/applications', body, key), 201)).to.deep.equal(first)
    const commands = applicationCommands(place.service.core.services)
    const input = {
      applicationType: 'web' as const,
      settings: { name: 'Lost', redirectUris: ['https://a.example/'] },
    }
    const actor = { ...system, idempotencyKey: 'a lost answer' }
    const made = await commands.create(input, actor)
    expect(await commands.create(input, actor)).to.deep.equal(made)
    expect(made.clientSecret).to.match(/^svs_[\w-]{43}$/)
  })

  it('is disabled, enabled and deleted; wrong states cause a conflict', async () => {
    const { id } = await create()
    const path = `/applications/${id}`
    success(await place.send('POST', `${path}/disable`), 204)
    refusal(await place.send('POST', `${path}/disable`), 409, 'ERR_CONFLICT')
    expect(success(await place.send('GET', '/applications?status=disabled'))[0].id).to.equal(id)
    success(await place.send('POST', `${path}/enable`), 204)
    refusal(await place.send('POST', `${path}/enable`), 409, 'ERR_CONFLICT')
    success(await place.send('DELETE', path), 204)
    for (const [method, at] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/secrets'],
      ['GET', '/users'],
      ['POST', '/enable'],
    ])
      refusal(await place.send(String(method), `${path}${String(at)}`), 404, 'ERR_NOT_FOUND')
  })

  it('API-13 the built-in application is neither deleted nor disabled, and has no provisioning', async () => {
    const known = success(await place.send('GET', '/applications?type=cli')) as { id: string }[]
    const id =
      known[0]?.id ??
      (
        await applicationCommands(place.service.core.services).create(
          { applicationType: 'cli', settings: { name: 'svc-cli' }, builtInAs: 'svc-cli' },
          system,
        )
      ).applicationId
    refusal(await place.send('DELETE', `/applications/${id}`), 409, 'ERR_BUILT_IN')
    refusal(await place.send('POST', `/applications/${id}/disable`), 409, 'ERR_BUILT_IN')
    for (const part of ['', '/users'])
      refusal(await place.send('GET', `/provisioning/applications/${id}${part}`), 404, 'ERR_NOT_CONFIGURED')
  })
})
