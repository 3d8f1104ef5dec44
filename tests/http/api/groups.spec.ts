import { expect } from 'chai'
import { payroll, refusal, startPlace, success, type Place } from './support.ts'

const rule = (value: string, attribute = 'department') => ({
  match: 'all',
  conditions: [{ attribute, operator: 'eq', value }],
})
const NO_GROUP = 'grp_01ARZ3NDEKTSV4RRFFQ69G5FAV'
const NOBODY = 'usr_01ARZ3NDEKTSV4RRFFQ69G5FAV'

describe('API groups', function () {
  this.timeout(60_000)
  let place: Place
  let n = 0
  before(async () => {
    place = await startPlace()
  })
  after(() => place.service.stop())

  const create = async (more: object = {}) =>
    success(await place.send('POST', '/groups', { name: `Group ${String(++n)}`, ...more }), 201)
  const members = async (id: string, query = '') =>
    success(await place.send('GET', `/groups/${id}/members${query}`)) as { userId: string; via: string }[]

  it('API-01 creates, reads, changes and deletes', async () => {
    const group = await create({ description: 'Those who build', ownerIds: [place.admin.userId] })
    expect(group).to.include({ memberCount: 0, applicationCount: 0, source: 'local', rule: null, version: 1 })
    expect(success(await place.send('GET', `/groups/${group.id}`))).to.deep.equal(group)
    const changed = success(
      await place.send('PATCH', `/groups/${group.id}`, { description: null }, { 'If-Match': '"1"' }),
    )
    expect(changed).to.include({ description: null, name: group.name, version: 2 })
    refusal(
      await place.send('PATCH', `/groups/${group.id}`, { name: 'x' }, { 'If-Match': '"1"' }),
      412,
      'ERR_STALE',
    )
    refusal(
      await place.send('DELETE', `/groups/${group.id}`, undefined, { 'If-Match': '"1"' }),
      412,
      'ERR_STALE',
    )
    success(await place.send('DELETE', `/groups/${group.id}`), 204)
    refusal(await place.send('GET', `/groups/${group.id}`), 404, 'ERR_NOT_FOUND')
    refusal(await place.send('DELETE', `/groups/${group.id}`), 404, 'ERR_NOT_FOUND')
    await create({ name: group.name })
  })

  it('API-04 a name is unique in any letter case; of 20 concurrent requests one succeeds', async () => {
    const { name, id } = await create()
    refusal(await place.send('POST', '/groups', { name: name.toUpperCase() }), 409, 'ERR_CONFLICT', '/name')
    const other = await create()
    refusal(await place.send('PATCH', `/groups/${other.id}`, { name }), 409, 'ERR_CONFLICT', '/name')
    success(await place.send('PATCH', `/groups/${id}`, { name: name.toUpperCase() }))
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => place.send('POST', '/groups', { name: 'Racers' })),
    )
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, ...Array(19).fill(409)])
  })

  it('API-05 an invalid rule is rejected with the name of the condition', async () => {
    const wrong: [unknown, string][] = [
      [{ match: 'all', conditions: [] }, '/rule/conditions'],
      [{ match: 'some', conditions: [] }, '/rule/match'],
      [rule('x', 'shoeSize'), '/rule/conditions/0/attribute'],
      [
        { match: 'any', conditions: [{ attribute: 'title', operator: 'in', value: 'x' }] },
        '/rule/conditions/0/value',
      ],
      [{ match: 'any', conditions: [{ attribute: 'title', operator: 'eq' }] }, '/rule/conditions/0/value'],
      [
        { match: 'any', conditions: [{ attribute: 'title', operator: 'like', value: 'x' }] },
        '/rule/conditions/0/operator',
      ],
    ]
    for (const [bad, field] of wrong) {
      refusal(await place.send('POST', '/groups', { name: 'Wrong', rule: bad }), 422, 'ERR_INVALID', field)
      if (field !== '/rule/match')
        refusal(await place.send('POST', '/groups/rule/preview', { rule: bad }), 422, 'ERR_INVALID', field)
    }
    refusal(
      await place.send('POST', '/groups', { name: 'Owned', ownerIds: [NOBODY] }),
      422,
      'ERR_INVALID',
      '/ownerIds/0',
    )
  })

  it('a rule adds and removes members before the change is acknowledged', async () => {
    const { userId } = await place.service.person({ department: 'Alchemy' })
    const group = await create({ rule: rule('alchemy') })
    expect(group.memberCount).to.equal(1)
    expect(await members(group.id)).to.have.length(1)
    expect((await members(group.id))[0]).to.include({ userId, via: 'rule' })
    refusal(await place.send('DELETE', `/groups/${group.id}/members/${userId}`), 409, 'ERR_CONFLICT')
    success(await place.send('PATCH', `/users/${userId}`, { department: 'Botany' }))
    expect(await members(group.id)).to.deep.equal([])
    const preview = success(
      await place.send('POST', `/groups/${group.id}/rule/preview`, { rule: rule('botany') }),
    )
    expect(preview).to.include({ addedCount: 1, removedCount: 0, total: 1 })
    expect(preview.added[0].userId).to.equal(userId)
    success(await place.send('PATCH', `/groups/${group.id}`, { rule: rule('botany') }))
    expect(await members(group.id)).to.have.length(1)
    success(await place.send('PATCH', `/groups/${group.id}`, { rule: null }))
    expect(await members(group.id)).to.deep.equal([])
  })

  it('members are added with an expiry, listed at a time, and removed', async () => {
    const { id } = await create()
    const { userId } = await place.service.person({ name: 'Zoe' })
    const path = `/groups/${id}/members/${userId}`
    const before = new Date().toISOString()
    refusal(
      await place.send('PUT', path, { expiresAt: '2020-01-01T00:00:00Z' }),
      422,
      'ERR_INVALID',
      '/expiresAt',
    )
    refusal(await place.send('PUT', path, { expiresAt: 'soon' }), 422, 'ERR_INVALID', '/expiresAt')
    success(await place.send('PUT', path, { expiresAt: '2999-01-31T09:30:00.5+01:00' }), 204)
    expect((await members(id))[0]).to.include({
      userId,
      via: 'assigned',
      addedBy: place.admin.userId,
      expiresAt: '2999-01-31T08:30:00.500000Z',
    })
    success(await place.send('PUT', path, {}), 204)
    expect((await members(id))[0]).to.include({ expiresAt: null })
    expect(await members(id, '?q=zo&via=assigned')).to.have.length(1)
    expect(await members(id, '?q=yy')).to.have.length(0)
    const during = new Date().toISOString()
    success(await place.send('DELETE', path), 204)
    refusal(await place.send('DELETE', path), 404, 'ERR_NOT_FOUND')
    expect(await members(id)).to.have.length(0)
    expect(await members(id, `?at=${before}`)).to.have.length(0)
    expect(await members(id, `?at=${during}`)).to.have.length(1)
    refusal(await place.send('GET', `/groups/${id}/members?at=yesterday`), 422, 'ERR_INVALID', '/at')
    refusal(await place.send('PUT', `/groups/${id}/members/${NOBODY}`, {}), 404, 'ERR_NOT_FOUND')
    refusal(await place.send('PUT', `/groups/${NO_GROUP}/members/${userId}`, {}), 404, 'ERR_NOT_FOUND')
    refusal(await place.send('GET', `/groups/${NO_GROUP}/members`), 404, 'ERR_NOT_FOUND')
    success(await place.send('DELETE', `/users/${userId}`), 204)
    refusal(await place.send('PUT', path, {}), 404, 'ERR_NOT_FOUND')
  })

  it('API-04 a group still in use is not deleted, and the response names what uses it', async () => {
    const { id } = await create()
    const app = success(await place.send('POST', '/applications', payroll('Ledger', { groupIds: [id] })), 201)
    expect(refusal(await place.send('DELETE', `/groups/${id}`), 409, 'ERR_CONFLICT')).to.include('Ledger')
    success(await place.send('DELETE', `/applications/${app.id}/groups/${id}`), 204)
    success(await place.send('DELETE', `/groups/${id}`), 204)
  })

  it('ASG-01 deleting and assigning a group concurrently never leaves an assignment of a deleted group', async () => {
    const app = success(await place.send('POST', '/applications', payroll('Race')), 201)
    for (let round = 0; round < 5; round++) {
      const { id } = await create()
      const [gone, assigned] = await Promise.all([
        place.send('DELETE', `/groups/${id}`),
        place.send('PUT', `/applications/${app.id}/groups/${id}`),
      ])
      expect([
        [204, 404],
        [409, 204],
      ]).to.deep.include([gone.status, assigned.status])
      const { groupIds } = success(await place.send('GET', `/applications/${app.id}`))
      expect(groupIds.includes(id)).to.equal(assigned.status === 204)
    }
  })

  it('a group deleted while users are added has no members', async () => {
    const { id } = await create()
    const { userId } = await place.service.person()
    await Promise.all([
      place.send('PUT', `/groups/${id}/members/${userId}`, {}),
      place.send('DELETE', `/groups/${id}`),
    ])
    expect(success(await place.send('GET', `/users/${userId}/groups`))).to.deep.equal([])
    expect(success(await place.send('GET', `/users/${userId}`)).groupCount).to.equal(0)
  })
})
