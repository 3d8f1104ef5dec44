import { expect } from 'chai'
import { applicationCommands } from '../../../adapters/application/commands/applications.ts'
import { oidcOnly } from '../../../read-models/queries/configuration.ts'
import { system } from '../../support/service/service.ts'
import { apisOf, scopesOf } from './api-support.ts'
import { refusal, startPlace, success, walk, type Json, type Place } from './support.ts'

const NO_RESOURCE = 'api_01ARZ3NDEKTSV4RRFFQ69G5FAV'
const NO_APPLICATION = 'app_01ARZ3NDEKTSV4RRFFQ69G5FAV'

describe('Grants of API scopes', function () {
  this.timeout(60_000)
  let place: Place
  const { create, application, grants, configuration } = apisOf(() => place)
  before(async () => {
    place = await startPlace()
  })
  after(() => place.service.stop())

  it('APR-01 scopes are granted, changed and revoked; access tokens follow', async () => {
    const resource = await create()
    const app = await application()
    const [read = '', write = ''] = scopesOf(resource)
    const path = `/api-resources/${resource.id}/grants/${app.id}`
    const record = async () => success(await place.send('GET', `/applications/${app.id}`))
    expect(await record()).to.deep.include({ apiGrants: [], accessTokenFormat: 'opaque' })

    const grant = success(await place.send('PUT', path, { scopes: [write, read] }))
    expect(grant.id).to.match(/^gnt_/)
    expect(grant).to.deep.include({
      applicationId: app.id,
      applicationName: app.name,
      apiResourceId: resource.id,
      scopes: [read, write],
      grantedBy: place.admin.userId,
    })
    expect(await grants(resource.id)).to.deep.equal([grant])
    expect(await record()).to.deep.include({
      apiGrants: [{ apiResourceId: resource.id, scopes: [read, write] }],
      accessTokenFormat: 'jwt',
      version: Number(app.version) + 1,
    })
    expect(success(await place.send('GET', `/api-resources/${resource.id}`))).to.include({
      grantCount: 1,
      version: 1,
    })
    expect(oidcOnly((await configuration()).applicationById.get(app.id))?.apiGrants).to.deep.equal([
      { apiResourceId: resource.id, scopes: [read, write] },
    ])
    expect(success(await place.send('PUT', path, { scopes: [read, write] }))).to.deep.equal(grant)

    const narrowed = success(await place.send('PUT', path, { scopes: [read] }))
    expect(narrowed).to.deep.include({ id: grant.id, scopes: [read] })
    expect(oidcOnly((await configuration()).applicationById.get(app.id))?.apiGrants).to.deep.equal([
      { apiResourceId: resource.id, scopes: [read] },
    ])
    success(await place.send('DELETE', path), 204)
    refusal(await place.send('DELETE', path), 404, 'ERR_NOT_FOUND')
    expect(await grants(resource.id)).to.deep.equal([])
    expect(await record()).to.deep.include({ apiGrants: [], accessTokenFormat: 'opaque' })
    expect(oidcOnly((await configuration()).applicationById.get(app.id))?.apiGrants).to.deep.equal([])
  })

  it('APR-01 only scopes of the resource are granted, and only to existing applications', async () => {
    const resource = await create()
    const other = await create()
    const app = await application()
    const path = `/api-resources/${resource.id}/grants/${app.id}`
    const [read] = scopesOf(resource)
    const wrong: [unknown, string][] = [
      [[], '/scopes'],
      [[read, read], '/scopes'],
      [[read, ...scopesOf(other)], '/scopes/1'],
      [['openid'], '/scopes/0'],
      [['No Scope'], '/scopes/0'],
      [undefined, '/scopes'],
    ]
    for (const [scopes, field] of wrong)
      refusal(await place.send('PUT', path, { scopes }), 422, 'ERR_INVALID', field)
    for (const at of [
      `/api-resources/${NO_RESOURCE}/grants/${app.id}`,
      `/api-resources/${resource.id}/grants/${NO_APPLICATION}`,
      `/api-resources/${resource.id}/grants/${resource.id}`,
    ])
      refusal(await place.send('PUT', at, { scopes: [read] }), 404, 'ERR_NOT_FOUND')
    expect(await grants(resource.id)).to.deep.equal([])
  })

  it('APR-01 the complete list of an application adds, changes and revokes grants', async () => {
    const [one, two, three] = [await create(), await create(), await create()]
    const app = await application({ type: 'service', redirectUris: [] })
    const path = `/applications/${app.id}/api-grants`
    const put = (apiGrants: unknown, headers = {}) => place.send('PUT', path, { apiGrants }, headers)
    const of = (resource: Json, scopes = scopesOf(resource)) => ({ apiResourceId: resource.id, scopes })

    const updated = success(await put([of(one), of(two)]))
    expect(updated.apiGrants).to.deep.equal([of(one), of(two)])
    expect(updated).to.include({ accessTokenFormat: 'jwt', version: Number(app.version) + 2 })
    const [before] = await grants(two.id)
    const changed = success(
      await put([of(three), of(two, scopesOf(two).slice(1))], { 'If-Match': `"${String(updated.version)}"` }),
    )
    expect(changed.apiGrants).to.deep.equal([of(two, scopesOf(two).slice(1)), of(three)])
    expect((await grants(two.id))[0]).to.include({ id: before.id })
    expect(await grants(one.id)).to.deep.equal([])
    refusal(await put([], { 'If-Match': `"${String(updated.version)}"` }), 412, 'ERR_STALE')
    const wrong: [unknown, string][] = [
      [[of(one), of(one)], '/apiGrants/1/apiResourceId'],
      [[{ apiResourceId: NO_RESOURCE, scopes: ['x'] }], '/apiGrants/0/apiResourceId'],
      [[of(two), of(one, scopesOf(two))], '/apiGrants/1/scopes/0'],
      [[of(one, [])], '/apiGrants/0/scopes'],
      [[{ apiResourceId: one.id }], '/apiGrants/0/scopes'],
    ]
    for (const [bad, field] of wrong) refusal(await put(bad), 422, 'ERR_INVALID', field)
    refusal(
      await place.send('PUT', `/applications/${NO_APPLICATION}/api-grants`, { apiGrants: [] }),
      404,
      'ERR_NOT_FOUND',
    )
    expect(success(await put([])).apiGrants).to.deep.equal([])
  })

  it('APR-01 granted scopes and resources cannot be removed; a deleted application has no grants', async () => {
    const resource = await create()
    const app = await application()
    const [read, write] = scopesOf(resource)
    const path = `/api-resources/${resource.id}`
    success(await place.send('PUT', `${path}/grants/${app.id}`, { scopes: [read] }))
    const message = refusal(
      await place.send('PATCH', path, { scopes: [{ name: write }] }),
      409,
      'ERR_CONFLICT',
      '/scopes',
    )
    expect(message).to.include(read).and.to.include(app.name)
    expect(refusal(await place.send('DELETE', path), 409, 'ERR_CONFLICT')).to.include(app.name)
    expect(scopesOf(success(await place.send('PATCH', path, { scopes: [{ name: read }] })))).to.deep.equal([
      read,
    ])
    success(await place.send('DELETE', `/applications/${app.id}`), 204)
    expect(success(await place.send('GET', path))).to.include({ grantCount: 0 })
    success(await place.send('DELETE', path), 204)
  })

  it('APR-01 a grant and the removal of its scope exclude each other', async () => {
    for (let round = 0; round < 8; round++) {
      const resource = await create()
      const app = await application()
      const [read] = scopesOf(resource)
      const path = `/api-resources/${resource.id}`
      const [granted, removed] = await Promise.all([
        place.send('PUT', `${path}/grants/${app.id}`, { scopes: [read] }),
        round % 2 === 0 ? place.send('DELETE', path) : place.send('PATCH', path, { scopes: [] }),
      ])
      const { apiGrants } = success(await place.send('GET', `/applications/${app.id}`))
      if (granted.status === 200) {
        expect(removed.status).to.equal(409)
        expect(apiGrants).to.have.length(1)
      } else {
        expect(granted.status).to.equal(round % 2 === 0 ? 404 : 422)
        expect(removed.status).to.equal(round % 2 === 0 ? 204 : 200)
        expect(apiGrants).to.deep.equal([])
      }
    }
  })

  it('APR-01 the built-in command line can be granted scopes too', async () => {
    const known = success(await place.send('GET', '/applications?type=cli'))
    const id =
      known[0]?.id ??
      (
        await applicationCommands(place.service.core.services).create(
          { applicationType: 'cli', settings: { name: 'svc-cli' }, builtInAs: 'svc-cli' },
          system,
        )
      ).applicationId
    const resource = await create()
    success(
      await place.send('PUT', `/api-resources/${resource.id}/grants/${id}`, { scopes: scopesOf(resource) }),
    )
    expect(success(await place.send('GET', `/applications/${id}`)).apiGrants).to.have.length(1)
  })

  it('lists grants in pages, by name of the application', async () => {
    const resource = await create()
    for (const name of ['Yak 2', 'yak 1', 'Yak 3']) {
      const { id } = await application({ name })
      success(
        await place.send('PUT', `/api-resources/${resource.id}/grants/${id}`, { scopes: scopesOf(resource) }),
      )
    }
    const paged = await walk(place.send, `/api-resources/${resource.id}/grants?limit=2`)
    expect(paged.rows.map(({ applicationName }) => applicationName)).to.deep.equal([
      'yak 1',
      'Yak 2',
      'Yak 3',
    ])
    expect(paged.pages).to.equal(2)
    expect(success(await place.send('GET', `/api-resources/${resource.id}`))).to.include({ grantCount: 3 })
  })
})
