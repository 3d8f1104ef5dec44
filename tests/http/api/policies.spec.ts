import { expect } from 'chai'
import { policyPresets } from '../../../domain/policy/presets.ts'
import { oidcWorld, type TestApplication } from '../../support/oidc/oidc.ts'
import { newJar, passkeyWorld } from '../../support/sign-in/passkey-world.ts'
import { refusal, startPlace, success, walk, type Json, type Place } from './support.ts'

describe('SGN-06 /policies', function () {
  this.timeout(60_000)
  let place: Place
  let app: TestApplication
  let groupId: string
  before(async () => {
    place = await startPlace()
    const oidc = oidcWorld(place.service)
    app = await oidc.application()
    groupId = await oidc.group('Administrators')
  })
  after(() => place.service.stop())
  afterEach(async () => {
    for (const { id } of success(await place.send('GET', '/policies?limit=200')))
      success(await place.send('DELETE', `/policies/${String(id)}`), 204)
  })

  const create = async (body: object, expected = 201): Promise<Json> =>
    success(await place.send('POST', '/policies', { name: 'A policy', action: 'block', ...body }), expected)
  const unlimited = {
    users: { include: 'all', exclude: [], roles: [] },
    applications: { include: 'all', exclude: [] },
    zones: { include: 'any', exclude: [] },
    devices: 'any',
    platforms: [],
    riskAtLeast: null,
    methods: [],
  }

  it('SGN-06 a new policy is disabled and matches everything, unless the request says otherwise', async () => {
    const made = await create({ description: 'For a test' })
    expect(made).to.deep.include({
      ...{ name: 'A policy', description: 'For a test', status: 'disabled', priority: 0, action: 'block' },
      ...{ conditions: unlimited, sessionMaxAgeMinutes: null, version: 1 },
    })
    expect(made.createdBy).to.be.a('string')
    const conditions = {
      users: { include: [groupId], roles: ['auditor'] },
      applications: { include: [app.applicationId, 'portal'] },
      devices: 'unregistered',
      platforms: ['ios'],
      riskAtLeast: 'medium',
      methods: ['magic_link'],
    }
    const narrow = await create({ conditions, action: 'require_strong', sessionMaxAgeMinutes: 30 })
    expect(narrow.conditions).to.deep.equal({
      ...unlimited,
      ...conditions,
      users: { ...conditions.users, exclude: [] },
      applications: { ...conditions.applications, exclude: [] },
    })
    expect(success(await place.send('GET', `/policies/${String(narrow.id)}`))).to.deep.equal(narrow)
    const cleared = success(
      await place.send('PATCH', `/policies/${String(narrow.id)}`, {
        conditions: {},
        sessionMaxAgeMinutes: null,
      }),
    )
    expect(cleared).to.deep.include({ conditions: unlimited, sessionMaxAgeMinutes: null, version: 2 })
  })

  it('SGN-06 lists page, and filter by status, action and name', async () => {
    for (const [name, status, action] of [
      ['One', 'disabled', 'block'],
      ['Two', 'report_only', 'block'],
      ['Three', 'report_only', 'allow'],
    ])
      await create({ name, status, action })
    const names = async (query: string) =>
      (success(await place.send('GET', `/policies?${query}`)) as Json[]).map(({ name }) => String(name))
    expect(await names('')).to.deep.equal(['One', 'Three', 'Two'])
    expect(await names('status=report_only')).to.deep.equal(['Three', 'Two'])
    expect(await names('action=block&sort=-name')).to.deep.equal(['Two', 'One'])
    expect(await names('q=t')).to.deep.equal(['Three', 'Two'])
    expect((await walk(place.send, '/policies?limit=1')).rows).to.have.length(3)
  })

  it('SGN-06 conditions that are wrong are rejected with the field and what is expected', async () => {
    const wrong: readonly (readonly [conditions: object, field: string, message: RegExp])[] = [
      [{ users: { include: 'some' } }, '/conditions/users/include', /all/],
      [{ users: { include: [] } }, '/conditions/users/include', /1 to 100/],
      [
        { users: { include: ['grp_01JZ0000000000000000000001'] } },
        '/conditions/users/include/0',
        /does not exist/,
      ],
      [{ users: { exclude: Array(101).fill(groupId) } }, '/conditions/users/exclude', /100/],
      [{ applications: { include: ['console'] } }, '/conditions/applications/include/0', /portal/],
      [
        { applications: { exclude: ['app_01JZ0000000000000000000001'] } },
        '/conditions/applications/exclude/0',
        /does not exist/,
      ],
      [{ devices: 'known' }, '/conditions/devices', /registered/],
      [{ riskAtLeast: 'extreme' }, '/conditions/riskAtLeast', /high/],
      [{ methods: ['password'] }, '/conditions/methods/0', /passkey/],
    ]
    for (const [conditions, field, message] of wrong) {
      const answer = await place.send('POST', '/policies', { name: 'Wrong', action: 'block', conditions })
      refusal(answer, 422, 'ERR_INVALID', field)
      expect(answer.body.error.message, JSON.stringify(conditions)).to.match(message)
    }
    let deep: object = {}
    for (let n = 0; n < 2000; n++) deep = { users: deep }
    const answer = await place.send('POST', '/policies', { name: 'Deep', action: 'block', conditions: deep })
    expect(answer.status).to.be.within(400, 422)
  })

  it('SGN-06 a policy that locks administrators out, or the own session, is rejected unless forced', async () => {
    // The administrator of these tests has a passkey; the session is not on a registered device.
    const everyone = { status: 'enabled', action: 'block', name: 'Everyone' }
    const refused = await place.send('POST', '/policies', everyone)
    refusal(refused, 409, 'ERR_CONFLICT')
    expect(refused.body.error.message).to.match(/every global administrator/)
    const jar = newJar()
    const passkeys = passkeyWorld(place.service)
    const me = await passkeys.signIn(await passkeys.enrolled(jar, ['global_admin']), jar)
    const mine = { ...everyone, conditions: { devices: 'registered' } }
    const own = await place.service.api('POST', '/policies', {
      as: me,
      body: mine,
      headers: jar.headers(),
    })
    expect([own.status, own.body.error.field, own.body.error.message]).to.deep.equal([
      409,
      '/force',
      'This policy would block your own session, which saves it. Send "force": true to save anyway.',
    ])
    const forced = await place.service.api('POST', '/policies', {
      as: me,
      body: { ...mine, force: true },
      headers: jar.headers(),
    })
    expect(forced.status).to.equal(201)
    const blocked = await place.service.api('GET', '/me', { as: me, headers: jar.headers() })
    expect([blocked.status, blocked.body.error.code]).to.deep.equal([403, 'ERR_BLOCKED_BY_POLICY'])
  })

  it('SGN-06 a group that a policy names cannot be deleted', async () => {
    await create({ name: 'Spare administrators', conditions: { users: { exclude: [groupId] } } })
    const answer = await place.send('DELETE', `/groups/${groupId}`)
    refusal(answer, 409, 'ERR_CONFLICT')
    expect(answer.body.error.message).to.contain('the policy Spare administrators')
  })

  it('SGN-06 the history has every version with its author, also after the deletion', async () => {
    const { id } = await create({ name: 'First' })
    const path = `/policies/${String(id)}`
    success(await place.send('PATCH', path, { name: 'Second', status: 'report_only' }))
    success(await place.send('DELETE', path), 204)
    refusal(await place.send('GET', path), 404, 'ERR_NOT_FOUND')
    const versions: Json[] = success(await place.send('GET', `${path}/history`))
    expect(versions.map(({ version, name, status }) => [version, name, status])).to.deep.equal([
      [4, 'Second', 'deleted'],
      [3, 'Second', 'report_only'],
      [2, 'Second', 'disabled'],
      [1, 'First', 'disabled'],
    ])
    for (const { auditId, changedByName } of versions) {
      expect(auditId).to.match(/^aud_/)
      expect(changedByName).to.equal('Grace Admin')
    }
    const older: Json[] = success(await place.send('GET', `${path}/history?before=3&limit=1`))
    expect(older.map(({ version }) => version)).to.deep.equal([2])
    refusal(await place.send('GET', '/policies/pol_01JZ0000000000000000000001/history'), 404, 'ERR_NOT_FOUND')
  })

  it('SGN-06 a simulation shows the decision, and which condition of each policy holds', async () => {
    const person = await place.service.person({}, ['auditor'])
    const { id } = await create({
      status: 'enabled',
      action: 'require_strong',
      conditions: { users: { roles: ['auditor'] }, methods: ['magic_link'] },
    })
    const simulate = async (body: object): Promise<Json> =>
      success(await place.send('POST', '/policies/simulate', { userId: person.userId, ...body }))
    const strong = await simulate({ appId: app.applicationId, method: 'passkey', ip: '192.0.2.1' })
    expect(strong.outcome).to.equal('allow')
    expect(strong.trace).to.have.length(1)
    expect(strong.trace[0]).to.deep.include({ policyId: id, matches: false })
    expect(strong.trace[0].conditions.filter(({ holds }: Json) => !holds)).to.deep.equal([
      { condition: 'methods', holds: false },
    ])
    const weak = await simulate({ method: 'magic_link' })
    expect(weak).to.deep.include({ outcome: 'require_strong', wouldBe: 'require_strong' })
    expect(weak.matched.map(({ policyId }: Json) => policyId)).to.deep.equal([id])
    expect(weak.facts).to.deep.include({ applicationId: null, roles: ['auditor'], device: 'unregistered' })
    const draft = { id, action: 'block', conditions: { riskAtLeast: 'high' } }
    expect((await simulate({ method: 'magic_link', risk: 'high', policy: draft })).outcome).to.equal('block')
    expect((await simulate({ method: 'magic_link', risk: 'low', policy: draft })).outcome).to.equal('allow')
    const old = await simulate({ authAgeMinutes: 61, policy: { action: 'allow', sessionMaxAgeMinutes: 60 } })
    expect(old.outcome).to.equal('require_reauth')
    refusal(
      await place.send('POST', '/policies/simulate', { userId: 'usr_01JZ0000000000000000000001' }),
      422,
      'ERR_INVALID',
      '/userId',
    )
  })

  it('SGN-06 every preset can be saved as it is', async () => {
    const presets: Json[] = success(await place.send('GET', '/policies/presets'))
    expect(presets.map(({ key }) => key)).to.deep.equal(policyPresets.map(({ key }) => key))
    for (const { key: _, needsZone: __, ...preset } of presets)
      await create({ ...preset, status: 'report_only' })
  })
})
