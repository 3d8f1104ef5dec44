import { expect } from 'chai'
import { parse } from 'yaml'
import { declaredRoutes } from '../../support/api/declared-routes.ts'
import { errorsOf } from '../../../adapters/inbound/http/declaration.ts'
import { allRoutes } from '../../../adapters/inbound/http/openapi.ts'
import { roleKeys, sufficient, type Role } from '../../../domain/roles.ts'
import { coveredByTable, reads, writes } from '../../support/api/route-roles.ts'
import { auditActions } from '../../support/audit/audit-actions.ts'
import { payroll, refusal, startPlace, success, walk, type Json, type Place, type Send } from './support.ts'

const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

/** Returns a well-formed path of a resource that does not exist. */
const nowhere = (path: string): string => {
  const kinds = {
    users: 'usr',
    webhooks: 'whk',
    groups: 'grp',
    applications: 'app',
    sessions: 'ses',
    devices: 'dev',
    'sign-ins': 'evt',
    'api-resources': 'api',
    'service-accounts': 'usr',
    'api-keys': 'key',
    audit: 'aud',
  }
  const prefix = kinds[(path.split('/')[1] ?? '') as keyof typeof kinds] as string | undefined
  return path
    .replace('{id}', `${String(prefix)}_${ULID}`)
    .replace('{userId}', `usr_${ULID}`)
    .replace('{groupId}', `grp_${ULID}`)
    .replace('{applicationId}', `app_${ULID}`)
    .replace('{methodId}', `mth_${ULID}`)
    .replace('{linkId}', `lnk_${ULID}`)
    .replace('{type}', 'passkey')
    .replace('{secretId}', `crd_${ULID}`)
    .replace('{deliveryId}', `whd_${ULID}`)
}

describe('API conventions', function () {
  this.timeout(90_000)
  let place: Place
  before(async () => {
    place = await startPlace()
  })
  after(() => place.service.stop())

  type Parts = Record<string, Record<string, Record<string, Json>>>
  const document = async () => parse(success(await place.service.api('GET', '/openapi.yaml'))) as Parts

  it('API-02 the document lists exactly the routes that are served, with their roles and errors', async () => {
    const { paths = {}, components = {} } = await document()
    const listed = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const { services } = place.service.core
    const served = allRoutes(declaredRoutes(services), { version: '0', publicUrl: place.service.publicUrl })
    expect(listed.sort()).to.deep.equal(served.map(({ method, path }) => `${method} ${path}`).sort())
    for (const declared of served) {
      const operation = paths[declared.path]?.[declared.method.toLowerCase()]
      expect(operation['x-required-roles']).to.deep.equal(
        declared.access.roles && sufficient(declared.access.roles),
      )
      const codes = Object.values(operation.responses as Record<string, Json>).flatMap(
        ({ $ref = '' }) => components['responses']?.[$ref.split('/').at(-1)]?.['x-error-codes'] ?? [],
      )
      expect(codes).to.have.members([...errorsOf(declared)])
      for (const action of declared.audit ?? []) expect(auditActions).to.include(action)
    }
  })

  it('AUT-03 AUT-05 every role has exactly its permissions', async () => {
    const people = new Map<Role, Send>()
    for (const role of roleKeys)
      people.set(
        role,
        role === 'global_admin' ? place.send : place.as(await place.service.person({}, [role])),
      )
    const nobody = place.as(await place.service.person())
    const table = [
      ...writes.map(([method, path, roles]) => [method, path, ['global_admin', ...roles]] as const),
      ...reads.map(([method, path]) => [method, path, roleKeys] as const),
    ]
    for (const [method, path, allowed] of table) {
      const what = `${method} ${path}`
      const body = method === 'GET' ? undefined : {}
      for (const [role, send] of people) {
        const answer = await send(method, nowhere(path), body)
        if ((allowed as readonly string[]).includes(role))
          expect(answer.status, `${what} as ${role}`).to.be.oneOf([200, 204, 400, 404, 422])
        else {
          expect(answer.status, `${what} as ${role}`).to.equal(403)
          expect(answer.body.error.code).to.equal('ERR_FORBIDDEN')
        }
      }
      refusal(await nobody(method, nowhere(path), body), 403, 'ERR_FORBIDDEN')
      refusal(
        await place.service.api(method, nowhere(path), body === undefined ? {} : { body }),
        401,
        'ERR_UNAUTHENTICATED',
      )
    }
    const known = new Set(table.map(([method, path]) => `${method} ${path}`))
    const mine = declaredRoutes(place.service.core.services).filter(
      ({ path, access }) => access.roles !== undefined && coveredByTable.test(path),
    )
    for (const { method, path } of mine) expect(known).to.include(`${method} ${path}`)
  })

  it('API-04 AUT-04 rejects ids of no or another kind, other sites, other methods and bodies', async () => {
    refusal(await place.send('GET', `/users/usr_${ULID}`), 404, 'ERR_NOT_FOUND')
    refusal(await place.send('GET', `/users/grp_${ULID}`), 404, 'ERR_NOT_FOUND')
    refusal(await place.send('GET', '/users/me'), 404, 'ERR_NOT_FOUND')
    refusal(await place.send('PUT', `/users/usr_${ULID}`, {}), 404, 'ERR_NO_ROUTE')
    refusal(
      await place.send('POST', '/groups', { name: 'x' }, { Origin: 'https://evil.example' }),
      403,
      'ERR_CROSS_SITE',
    )
    refusal(await place.send('POST', '/groups', [1]), 400, 'ERR_INVALID_JSON')
    refusal(await place.send('POST', '/groups'), 400, 'ERR_INVALID_JSON')
    const answer = await place.send('GET', '/overview')
    expect(answer.headers.get('cache-control')).to.equal('no-store')
  })

  it('API-01 pages of 120 rows return everything exactly once, in every order, while rows are added', async () => {
    for (let i = 0; i < 120; i += 10)
      await Promise.all(
        Array.from({ length: 10 }, (_, j) =>
          place.send('POST', '/users', {
            email: `row${String(i + j)}@rows.example`,
            name: `Row ${String((i + j) % 7)}`,
          }),
        ),
      )
    for (const sort of ['name', '-name', 'createdAt', '-createdAt']) {
      const { rows, pages } = await walk(place.send, `/users?q=row&limit=17&sort=${sort}`)
      expect(pages).to.equal(8)
      expect(new Set(rows.map(({ id }) => id)).size).to.equal(120)
      expect(rows).to.have.length(120)
      const keys = rows.map((row) => (sort.endsWith('name') ? row.name : row.createdAt))
      expect(keys).to.deep.equal(sort.startsWith('-') ? [...keys].sort().reverse() : [...keys].sort())
    }
    const first = await place.send('GET', '/users?q=row&limit=100&sort=createdAt')
    await place.send('POST', '/users', { email: 'row-late@rows.example', name: 'Row late' })
    const link = /<([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    const rest = success(await place.send('GET', link.slice(link.indexOf('/users'))))
    expect(rest).to.have.length(21)
  })

  it('lists of members, groups and sessions have pages too', async () => {
    const { id } = success(
      await place.send('POST', '/groups', {
        name: 'Everybody in rows',
        rule: {
          match: 'all',
          conditions: [{ attribute: 'emailDomain', operator: 'eq', value: 'rows.example' }],
        },
      }),
      201,
    )
    const { rows } = await walk(place.send, `/groups/${id}/members?limit=50`)
    expect(new Set(rows.map(({ userId }) => userId)).size).to.equal(rows.length)
    expect(rows).to.have.length(success(await place.send('GET', `/groups/${id}`)).memberCount)
    const app = success(await place.send('POST', '/applications', payroll('Rows', { groupIds: [id] })), 201)
    const people = await walk(place.send, `/applications/${app.id}/access?limit=50`)
    expect(new Set(people.rows.map(({ userId }) => userId)).size).to.equal(rows.length)
    const sessions = await walk(place.send, '/sessions?limit=2')
    expect(new Set(sessions.rows.map((row) => row.id)).size).to.equal(sessions.rows.length)
    for (let i = 0; i < 3; i++)
      success(await place.send('POST', '/groups', { name: `Page ${String(i)}` }), 201)
    expect((await walk(place.send, '/groups?limit=1')).rows.length).to.be.at.least(4)
  })

  it('API-05 an invalid query is rejected', async () => {
    const bad: [string, string][] = [
      ['/users?limit=0', '/limit'],
      ['/users?limit=201', '/limit'],
      ['/users?limit=many', '/limit'],
      ['/users?sort=shoeSize', '/sort'],
      ['/users?status=gone', '/status'],
      ['/users?cursor=abc', '/cursor'],
      [
        `/users?cursor=${Buffer.from('["createdAt","x","y"]').toString('base64url')}&sort=createdAt`,
        '/cursor',
      ],
      [`/users?cursor=${Buffer.from('["name","x","y"]').toString('base64url')}&sort=-name`, '/cursor'],
      ['/users?page=2', '/page'],
      ['/sessions?userId=ada', '/userId'],
      ['/groups?limit=1&limit=2', '/limit'],
    ]
    for (const [path, field] of bad) refusal(await place.send('GET', path), 422, 'ERR_INVALID', field)
    expect(success(await place.send('GET', '/users?q=%25'))).to.deep.equal([])
    expect(success(await place.send('GET', '/users?q=_'))).to.deep.equal([])
  })

  it('a session can be listed and read, and ends before the response is sent', async () => {
    const person = await place.service.person()
    const helpdesk = place.as(await place.service.person({}, ['helpdesk_admin']))
    const [listed] = success(await place.send('GET', `/sessions?userId=${person.userId}&status=active`))
    expect(listed).to.include({
      id: person.sessionId,
      userId: person.userId,
      status: 'active',
      endedAt: null,
    })
    expect(success(await place.send('GET', `/users/${person.userId}/sessions`))).to.deep.equal([listed])
    expect(success(await place.send('GET', `/sessions/${person.sessionId}`))).to.deep.equal(listed)
    success(await helpdesk('DELETE', `/sessions/${person.sessionId}`), 204)
    refusal(await place.as(person)('GET', '/users'), 401, 'ERR_UNAUTHENTICATED')
    const ended = success(await place.send('GET', `/sessions/${person.sessionId}`))
    expect(ended).to.include({ status: 'revoked', endReason: 'admin_revoked' })
    success(await place.send('DELETE', `/sessions/${person.sessionId}`), 204)
    expect(success(await place.send('GET', `/sessions?userId=${person.userId}&status=active`))).to.deep.equal(
      [],
    )
  })

  it('settings can be read and changed, and take effect; the organization is public', async () => {
    const before = success(await place.send('GET', '/settings'))
    expect(before).to.include({
      sessionLifetimeMinutes: 720,
      inviteLifetimeHours: 168,
      supportEmail: null,
      version: 0,
    })
    const changed = success(
      await place.send(
        'PATCH',
        '/settings',
        { organizationName: 'Example Ltd', inviteLifetimeHours: 1, supportEmail: 'help@example.com' },
        { 'If-Match': '"0"' },
      ),
    )
    expect(changed).to.include({ organizationName: 'Example Ltd', inviteLifetimeHours: 1, version: 1 })
    refusal(
      await place.send('PATCH', '/settings', { supportEmail: null }, { 'If-Match': '"0"' }),
      412,
      'ERR_STALE',
    )
    refusal(
      await place.send('PATCH', '/settings', { inviteLifetimeHours: 0 }),
      422,
      'ERR_INVALID',
      '/inviteLifetimeHours',
    )
    expect(success(await place.service.api('GET', '/organization'))).to.deep.equal({
      name: 'Example Ltd',
      logoUrl: null,
      accentColor: null,
      signInUrl: `${place.service.publicUrl}/sign-in`,
    })
    const user = success(
      await place.send('POST', '/users', { email: 'short@example.com', name: 'Short' }),
      201,
    )
    expect((Date.parse(user.expiresAt) - Date.parse(user.createdAt)) / 3_600_000).to.be.closeTo(1, 0.01)
  })
})
