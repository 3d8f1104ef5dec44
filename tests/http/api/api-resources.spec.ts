import { expect } from 'chai'
import { apiResourceCommands } from '../../../adapters/application/commands/api-resources.ts'
import { DomainError } from '../../../domain/errors.ts'
import { system } from '../../support/service/service.ts'
import { apisOf, scopesOf } from './api-support.ts'
import { refusal, startPlace, success, walk, type Json, type Place } from './support.ts'

const NO_APPLICATION = 'app_01ARZ3NDEKTSV4RRFFQ69G5FAV'

describe('API resources', function () {
  this.timeout(60_000)
  let place: Place
  const { create, application, configuration } = apisOf(() => place)
  before(async () => {
    place = await startPlace()
  })
  after(() => place.service.stop())

  it('APR-01 API-01 creates, reads, changes and deletes', async () => {
    const owner = await application()
    const answer = await place.send('POST', '/api-resources', {
      identifier: 'https://billing.example.com',
      name: 'Billing',
      description: 'Invoices',
      accessTokenLifetimeSeconds: 600,
      ownerApplicationIds: [owner.id],
      scopes: [{ name: 'billing:read', description: 'Read invoices' }, { name: 'billing:write' }],
    })
    const resource = success(answer, 201)
    expect(answer.headers.get('location')).to.match(
      new RegExp(`/api/v1/api-resources/${String(resource.id)}$`),
    )
    expect(answer.headers.get('etag')).to.equal('"1"')
    const { id, createdAt, updatedAt, ...rest } = resource
    expect(id).to.match(/^api_[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(updatedAt).to.equal(createdAt)
    expect(rest).to.deep.equal({
      identifier: 'https://billing.example.com',
      name: 'Billing',
      description: 'Invoices',
      accessTokenLifetimeSeconds: 600,
      ownerApplicationIds: [owner.id],
      scopes: [
        { name: 'billing:read', description: 'Read invoices' },
        { name: 'billing:write', description: null },
      ],
      grantCount: 0,
      version: 1,
    })
    expect(success(await place.send('GET', `/api-resources/${id}`))).to.deep.equal(resource)
    expect((await configuration()).apiResourceById.get(id)).to.deep.equal({
      id,
      identifier: 'https://billing.example.com',
      name: 'Billing',
      scopes: ['billing:read', 'billing:write'],
      accessTokenLifetimeSeconds: 600,
      ownerApplicationIds: [owner.id],
    })

    const path = `/api-resources/${id}`
    const changed = success(
      await place.send(
        'PATCH',
        path,
        {
          description: null,
          accessTokenLifetimeSeconds: null,
          ownerApplicationIds: [],
          scopes: [{ name: 'billing:write', description: 'Write invoices' }, { name: 'billing:refund' }],
        },
        { 'If-Match': '"1"' },
      ),
    )
    expect(changed).to.deep.include({
      name: 'Billing',
      description: null,
      accessTokenLifetimeSeconds: null,
      ownerApplicationIds: [],
      scopes: [
        { name: 'billing:write', description: 'Write invoices' },
        { name: 'billing:refund', description: null },
      ],
    })
    expect((await configuration()).apiResourceById.get(id)).to.deep.include({
      scopes: ['billing:write', 'billing:refund'],
      accessTokenLifetimeSeconds: null,
      ownerApplicationIds: [],
    })
    const stale = { 'If-Match': '"1"' }
    refusal(await place.send('PATCH', path, { name: 'x' }, stale), 412, 'ERR_STALE')
    refusal(await place.send('DELETE', path, undefined, stale), 412, 'ERR_STALE')
    success(await place.send('DELETE', path), 204)
    expect((await configuration()).apiResourceById.has(id)).to.equal(false)
    for (const [method, at, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'x' }],
      ['DELETE', '', undefined],
      ['GET', '/grants', undefined],
      ['PUT', `/grants/${String(owner.id)}`, { scopes: ['billing:write'] }],
      ['DELETE', `/grants/${String(owner.id)}`, undefined],
    ] as const)
      refusal(await place.send(method, `${path}${at}`, body), 404, 'ERR_NOT_FOUND')
    await create({ identifier: 'https://billing.example.com', scopes: [{ name: 'billing:write' }] })
  })

  it('APR-01 the identifier never changes', async () => {
    const { id, identifier } = await create()
    refusal(
      await place.send('PATCH', `/api-resources/${id}`, { identifier: 'https://x.example' }),
      400,
      'ERR_INVALID_JSON',
    )
    expect(success(await place.send('GET', `/api-resources/${id}`))).to.include({ identifier })
  })

  it('API-05 APR-01 invalid values are rejected with the name of the field', async () => {
    const { publicUrl } = place.service.core.services
    const wrong: [object, string][] = [
      [{ identifier: undefined }, '/identifier'],
      [{ identifier: 'billing' }, '/identifier'],
      [{ identifier: 'https://a.example.com/#x' }, '/identifier'],
      [{ identifier: 'https://A.example.com' }, '/identifier'],
      [{ identifier: publicUrl }, '/identifier'],
      [{ identifier: `${publicUrl}/` }, '/identifier'],
      [{ name: undefined }, '/name'],
      [{ name: ' x' }, '/name'],
      [{ accessTokenLifetimeSeconds: 59 }, '/accessTokenLifetimeSeconds'],
      [{ accessTokenLifetimeSeconds: 86_401 }, '/accessTokenLifetimeSeconds'],
      [{ ownerApplicationIds: [NO_APPLICATION] }, '/ownerApplicationIds/0'],
      [{ scopes: ['wrong:read'] }, '/scopes/0'],
      [{ scopes: [{ name: 'Wrong' }] }, '/scopes/0/name'],
      [{ scopes: [{ name: 'wrong' }, { name: 'openid' }] }, '/scopes/1/name'],
      [{ scopes: [{ name: 'wrong' }, { name: 'wrong' }] }, '/scopes/1/name'],
    ]
    for (const [bad, field] of wrong)
      refusal(
        await place.send('POST', '/api-resources', {
          identifier: 'https://wrong.example.com',
          name: 'Wrong',
          ...bad,
        }),
        422,
        'ERR_INVALID',
        field,
      )
    refusal(
      await place.send('POST', '/api-resources', { identifier: 'urn:a:b', name: 'Wrong', scope: [] }),
      400,
      'ERR_INVALID_JSON',
    )
  })

  it('APR-01 API-04 identifiers and scopes are unique; of 20 concurrent requests one succeeds', async () => {
    const taken = await create()
    const [name] = scopesOf(taken)
    refusal(
      await place.send('POST', '/api-resources', { identifier: taken.identifier, name: 'Other' }),
      409,
      'ERR_CONFLICT',
      '/identifier',
    )
    refusal(
      await place.send('POST', '/api-resources', {
        identifier: 'urn:example:other',
        name: 'Other',
        scopes: [{ name: 'other:read' }, { name }],
      }),
      409,
      'ERR_CONFLICT',
      '/scopes/1/name',
    )
    const other = await create({ identifier: 'urn:example:other', name: taken.name, scopes: [] })
    refusal(
      await place.send('PATCH', `/api-resources/${other.id}`, { scopes: [{ name }] }),
      409,
      'ERR_CONFLICT',
      '/scopes/0/name',
    )
    const scopes = [{ name: 'race:read' }]
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        place.send('POST', '/api-resources', { identifier: `urn:race:${String(i)}`, name: 'Race', scopes }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, ...Array(19).fill(409)])
    success(await place.send('PATCH', `/api-resources/${taken.id}`, { scopes: [] }))
    success(await place.send('PATCH', `/api-resources/${other.id}`, { scopes: [{ name }] }))
  })

  it('lists pages by name, and filters by application, identifier and prefix of the name', async () => {
    const app = await application()
    const made: Json[] = []
    for (const name of ['Zebra C', 'zebra a', 'Zebra B', 'Zebra D', 'Zebra E']) {
      const resource = await create({ name })
      made.push(resource)
      if (name !== 'Zebra D')
        success(
          await place.send('PUT', `/api-resources/${resource.id}/grants/${app.id}`, {
            scopes: scopesOf(resource).slice(0, 1),
          }),
        )
    }
    const paged = await walk(place.send, '/api-resources?q=ZEBRA&limit=2')
    expect(paged.rows.map(({ name }) => name)).to.deep.equal([
      'zebra a',
      'Zebra B',
      'Zebra C',
      'Zebra D',
      'Zebra E',
    ])
    expect(paged.pages).to.equal(3)
    const held = await walk(place.send, `/api-resources?applicationId=${app.id}&sort=-createdAt&limit=3`)
    expect(held.rows.map(({ name }) => name)).to.deep.equal(['Zebra E', 'Zebra B', 'zebra a', 'Zebra C'])
    const resources = success(
      await place.send('GET', `/api-resources?identifier=${encodeURIComponent(made[0].identifier)}`),
    )
    expect(resources.map(({ id }: Json) => id)).to.deep.equal([made[0].id])
    refusal(await place.send('GET', '/api-resources?sort=identifier'), 422, 'ERR_INVALID', '/sort')
  })

  it('AUT-05 application administrators write, every administrator reads, other users can do neither', async () => {
    const resource = await create()
    const app = await application()
    const [read] = scopesOf(resource)
    const path = `/api-resources/${resource.id}`
    const writes: [string, string, unknown][] = [
      ['POST', '/api-resources', { identifier: 'urn:example:role', name: 'Role' }],
      ['PATCH', path, { name: 'Role' }],
      ['PUT', `${path}/grants/${app.id}`, { scopes: [read] }],
      ['PUT', `/applications/${app.id}/api-grants`, { apiGrants: [] }],
      ['PUT', `${path}/grants/${app.id}`, { scopes: [read] }],
      ['DELETE', `${path}/grants/${app.id}`, undefined],
      ['DELETE', path, undefined],
    ]
    const reads = ['/api-resources', path, `${path}/grants`]
    const nobody = place.as(await place.service.person())
    for (const at of reads) refusal(await nobody('GET', at), 403, 'ERR_FORBIDDEN')
    for (const role of ['auditor', 'user_admin', 'security_admin', 'helpdesk_admin'] as const) {
      const as = place.as(await place.service.person({}, [role]))
      for (const at of reads) success(await as('GET', at))
      for (const [method, at, body] of writes) refusal(await as(method, at, body), 403, 'ERR_FORBIDDEN')
    }
    const writer = place.as(await place.service.person({}, ['app_admin']))
    for (const [method, at, body] of writes) {
      const { status, body: answer } = await writer(method, at, body)
      expect(status, JSON.stringify(answer)).to.be.within(200, 204)
    }
  })

  it('API-01 a repeated Idempotency-Key creates one API resource, even if the response was lost', async () => {
    const key = { 'Idempotency-Key': 'resource-1' }
    const body = { identifier: 'urn:example:once', name: 'Once', scopes: [{ name: 'once:read' }] }
    const first = success(await place.send('POST', '/api-resources', body, key), 201)
    expect(success(await place.send('POST', '/api-resources', body, key), 201)).to.deep.equal(first)
    const { services } = place.service.core
    const actor = { ...system, idempotencyKey: 'a lost answer' }
    const input = { identifier: 'urn:example:lost', name: 'Lost', scopes: [{ name: 'lost:read' }] }
    const made = await apiResourceCommands(services).create(input, actor)
    expect(await apiResourceCommands(services).create(input, actor)).to.deep.equal(made)
    const refused = await apiResourceCommands(services)
      .create(input, { ...system, idempotencyKey: 'another' })
      .catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(DomainError).with.property('code', 'ERR_CONFLICT')
  })
})
