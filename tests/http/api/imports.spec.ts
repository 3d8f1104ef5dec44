import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { TestPerson } from '../../support/service/service.ts'
import { audited } from '../../support/audit/audit.ts'
import { until } from '../../support/until.ts'
import { refusal, startPlace, success, type Answer, type Json, type Place } from './support.ts'

const types: Readonly<Record<string, string>> = {
  users_csv: 'text/csv',
  groups_csv: 'text/csv',
  keycloak: 'application/json',
  okta: 'application/json',
  auth0: 'application/x-ndjson',
}

const data = (name: string): Promise<Buffer> =>
  readFile(new URL(`../../support/import/data/${name}`, import.meta.url))

describe('Imports', function () {
  this.timeout(120_000)
  let place: Place
  before(async () => {
    place = await startPlace()
  })
  after(() => place.service.stop())

  const upload = async (
    source: string,
    file: string | Buffer,
    { as = place.admin, updates = true, key }: { as?: TestPerson; updates?: boolean; key?: string } = {},
  ): Promise<Answer> => {
    const { publicUrl } = place.service
    const response = await fetch(`${publicUrl}/api/v1/imports?source=${source}&updates=${String(updates)}`, {
      method: 'POST',
      headers: {
        Cookie: as.cookie,
        Origin: publicUrl,
        'Content-Type': types[source] ?? 'text/csv',
        ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      },
      body: typeof file === 'string' ? file : new Uint8Array(file),
    })
    return { status: response.status, body: await response.json(), headers: response.headers }
  }
  const find = async (id: string): Promise<Json> => success(await place.send('GET', `/imports/${id}`))
  const settled = async (id: string): Promise<Json> => {
    await until(async () => !['checking', 'running'].includes((await find(id)).status), 30_000)
    return find(id)
  }
  const checked = async (...input: Parameters<typeof upload>): Promise<Json> =>
    settled(success(await upload(...input), 201).id)
  const made = async (id: string, body = {}): Promise<Json> => {
    success(await place.send('POST', `/imports/${id}/start`, body), 202)
    return settled(id)
  }
  const linesOf = async (id: string, query = ''): Promise<readonly Json[]> =>
    success(await place.send('GET', `/imports/${id}/lines?limit=200${query}`))
  const userCalled = async (email: string): Promise<Json> => {
    const [user] = success(await place.send('GET', `/users?email=${encodeURIComponent(email)}`)) as Json[]
    return user === undefined ? undefined : success(await place.send('GET', `/users/${String(user.id)}`))
  }

  it('API-11 a dry run of a CSV file changes nothing and says what would, line by line; the import does that', async () => {
    const item = await checked('users_csv', await data('users.csv'))
    expect(item).to.include({ status: 'ready', correlationId: null, done: 0, failed: 0 })
    expect(item.ignored).to.deep.equal(['Shoe size'])
    expect(item.actions).to.deep.equal({ create: 4, update: 1, add: 3, none: 0, skip: 0, error: 3 })
    expect(await userCalled('ada@acme.example')).to.equal(undefined)
    const problems = (await linesOf(item.id, '&action=error')).map(
      ({ line, label, message }) => `${String(line)} ${String(label)}: ${String(message)}`,
    )
    expect(problems[0]).to.equal('4 GRACE@acme.example: the same as on line 3: GRACE@acme.example')
    expect(problems[1]).to.match(/^5 not an address: email: expected an email address/)
    expect(problems[2]).to.equal('6 Nobody: email: is missing')

    const done = await made(item.id)
    expect(done).to.include({ status: 'done', done: 8, failed: 0 })
    const [ada, grace] = [await userCalled('ada@acme.example'), await userCalled('grace@acme.example')]
    expect(ada).to.include({
      name: 'Ada Lovelace',
      department: 'Engineering',
      phone: '+44 20 7946 0000',
      status: 'invited',
      source: 'import',
      groupCount: 2,
    })
    expect(ada.custom).to.deep.equal({ badge: '17' })
    expect(grace).to.include({ managerId: ada.id, name: 'Grace Hopper "Amazing"', groupCount: 1 })

    await audited(place.service)
    const entries: Json[] = success(
      await place.send('GET', `/audit?correlationId=${String(done.correlationId)}&limit=100`),
    )
    const actions = entries.map(({ action }) => action as string)
    expect(actions.filter((action) => action === 'user.import')).to.have.length(2)
    expect(actions.filter((action) => action === 'group.create')).to.have.length(2)
    expect(actions.filter((action) => action === 'group.member.add')).to.have.length(3)
    for (const { actorId } of entries) expect(actorId).to.equal(place.admin.userId)

    const again = await checked('users_csv', await data('users.csv'))
    expect(again.actions).to.deep.equal({ create: 0, update: 0, add: 0, none: 8, skip: 0, error: 3 })
  })

  it('API-11 updates what the file has and nothing else, or leaves what exists alone', async () => {
    success(
      await place.send('POST', '/users', { name: 'Mary', email: 'mary.s@acme.example', department: 'Tides' }),
      201,
    )
    const file = 'email,name,title\nMary.S@acme.example,Mary Somerville,Astronomer\n'
    const left = await checked('users_csv', file, { updates: false })
    expect(left.actions).to.include({ skip: 1, update: 0 })
    const item = await checked('users_csv', file)
    const [line] = await linesOf(item.id)
    expect(line).to.deep.include({ kind: 'user', line: 2, action: 'update' })
    expect(line.changes).to.deep.equal([
      { field: 'name', from: 'Mary', to: 'Mary Somerville' },
      { field: 'title', from: null, to: 'Astronomer' },
    ])
    await made(item.id)
    expect(await userCalled('mary.s@acme.example')).to.include({
      name: 'Mary Somerville',
      title: 'Astronomer',
      department: 'Tides',
      email: 'mary.s@acme.example',
    })
  })

  for (const [source, name, expected] of [
    ['keycloak', 'keycloak-realm.json', { create: 5, add: 2, skip: 2, error: 1 }],
    ['okta', 'okta-users.json', { create: 1, update: 0, skip: 1, error: 1 }],
    ['auth0', 'auth0-users.ndjson', { create: 1, skip: 1 }],
  ] as const)
    it(`API-11 imports the users of ${source}`, async () => {
      const fresh = await startPlace()
      const before = place
      place = fresh
      try {
        const item = await checked(source, await data(name))
        expect(item.actions).to.include(expected)
        const done = await made(item.id)
        expect(done.failed).to.equal(0)
        expect(done.done).to.equal(item.actions.create + item.actions.add + item.actions.update)
      } finally {
        place = before
        await fresh.service.stop()
      }
    })

  it('API-11 groups from a CSV file, and no second import of the same file', async () => {
    const key = crypto.randomUUID()
    const file = 'name;description\nAstronomy;"Stars\nand planets"\nGeology;\n'
    const item = await checked('groups_csv', file, { key })
    expect((await checked('groups_csv', file, { key })).id).to.equal(item.id)
    expect(item.actions).to.include({ create: 2, error: 0 })
    await made(item.id)
    const [group] = success(await place.send('GET', '/groups?q=Astronomy'))
    expect(group).to.include({ name: 'Astronomy', description: 'Stars\nand planets' })
    refusal(await place.send('POST', `/imports/${String(item.id)}/start`, {}), 409, 'ERR_CONFLICT')
    success(await place.send('DELETE', `/imports/${String(item.id)}`), 204)
    refusal(await place.send('GET', `/imports/${String(item.id)}`), 404, 'ERR_NOT_FOUND')
  })

  it('API-11 says what is wrong with a file', async () => {
    for (const [source, file, message] of [
      ['users_csv', '', /body: is missing/],
      ['users_csv', 'name\nAda\n', /expected a header with a column email, got name/],
      ['users_csv', 'email,name\n"ada@acme.example,Ada\n', /not a CSV file: .*Quote/],
      ['users_csv', 'email,name\nada@acme.example\n', /not a CSV file: .*line 2/],
      ['users_csv', Buffer.from('email\n\xe4@acme.example\n', 'latin1'), /expected text in UTF-8/],
      ['keycloak', '[]', /expected a realm export of Keycloak/],
      ['okta', '{"users":[]}', /expected users of Okta/],
      ['auth0', '{"user_id":"x"}\n{', /line 2: expected JSON/],
    ] as const)
      expect(refusal(await upload(source, file), 422, 'ERR_INVALID'), source).to.match(message)
  })

  it('API-11 only user administrators import, and start it after a proof', async () => {
    for (const role of ['auditor', 'helpdesk_admin', 'security_admin', 'app_admin'] as const) {
      const person = await place.service.person({}, [role])
      refusal(await upload('users_csv', 'email\nx@acme.example\n', { as: person }), 403, 'ERR_FORBIDDEN')
    }
    const item = await checked('users_csv', 'email\nproof@acme.example\n')
    const stale = await place.service.signIn(place.admin.userId, place.admin.email, { age: 3600 })
    const path = `/imports/${String(item.id)}/start`
    refusal(await place.as(stale)('POST', path, {}), 401, 'ERR_REAUTH_REQUIRED')
    expect((await find(item.id)).status).to.equal('ready')
  })

  it('AUT-05 API-11 an import stops when whoever started it loses the role, and grants nothing that they could not', async () => {
    const helper = await place.service.person({ name: 'Helper' }, ['user_admin'])
    const boss = await place.service.person({ name: 'Boss', email: 'boss@acme.example' }, ['global_admin'])
    const item = await checked('users_csv', 'email,name,title\nboss@acme.example,Renamed,Clerk\n', {
      as: helper,
    })
    success(await place.as(helper)('POST', `/imports/${String(item.id)}/start`, {}), 202)
    const done = await settled(item.id)
    const [line] = await linesOf(item.id)
    const patched = await place.as(helper)('PATCH', `/users/${boss.userId}`, { name: 'Renamed' })
    expect(line.result).to.equal(patched.status === 200 ? 'done' : 'failed')
    expect(done.status).to.equal('done')

    const late = await checked('users_csv', 'email\nlate@acme.example\n', { as: helper })
    await place.service.core.workPool.query(
      `update work.import set leased_until = now() + interval '1 hour' where id = $1`,
      [late.id],
    )
    success(await place.as(helper)('POST', `/imports/${String(late.id)}/start`, {}), 202)
    success(await place.send('PUT', `/users/${helper.userId}/roles`, { roles: [] }))
    await place.service.core.workPool.query('update work.import set leased_until = null where id = $1', [
      late.id,
    ])
    expect((await settled(late.id)).status).to.equal('failed')
    expect(await userCalled('late@acme.example')).to.equal(undefined)
  })
})
