import { expect } from 'chai'
import { accessWorld, type AccessWorld, type Json } from '../../support/api/access-packages.ts'
import { audited } from '../../support/audit/audit.ts'
import {
  testPlace,
  testService,
  type TestPerson,
  type TestPlace,
  type TestService,
} from '../../support/service/service.ts'
import pg from 'pg'
import { until } from '../../support/until.ts'

const WAIT = 15_000

describe('GOV-03 lifecycle rules', function () {
  this.timeout(90_000)
  let place: TestPlace
  let w: AccessWorld
  let userAdmin: TestPerson
  let names = 0
  before(async () => {
    place = await testPlace()
    w = await accessWorld(place)
    userAdmin = await w.service.person({ name: 'Uma' }, ['user_admin'])
  })
  after(async () => {
    // What all these rules did is repeated from the beginning.
    await repeated()
    await place.drop()
  })

  const reached = async ({ core: { workPool } }: TestService): Promise<string> => {
    const { rows } = await workPool.query<{ position: string }>(
      `select position from work.checkpoint where name = 'lifecycle-triggers'`,
    )
    return rows[0]?.position ?? ''
  }
  const repeated = async (): Promise<void> => {
    const head = await w.service.core.eventLog.head()
    const end = await reached(w.service)
    await w.service.stop()
    const client = new pg.Client({ connectionString: place.databaseUrl })
    await client.connect()
    await client.query(`delete from work.checkpoint where name = 'lifecycle-triggers'`)
    await client.end()
    const again = await testService(place)
    try {
      await until(async () => (await reached(again)) >= end, 20_000, 'the end of the repetition')
      expect(await again.core.eventLog.head(), 'nothing was recorded').to.equal(head)
    } finally {
      await again.stop()
    }
  }

  const rule = async (settings: object, as: TestPerson = w.admin): Promise<Json> =>
    w.ok('POST', '/lifecycle/rules', { name: `Rule ${String(++names)}`, enabled: true, ...settings }, as)
  const runsOf = (query: string): Promise<Json> => w.ok('GET', `/lifecycle/runs?${query}`)
  const finished = async (query: string, count = 1): Promise<Json> => {
    let runs: Json = []
    await until(
      async () => {
        runs = await runsOf(query)
        return (
          runs.length === count &&
          runs.every(({ status }: Json) => status !== 'scheduled' && status !== 'running')
        )
      },
      WAIT,
      `${String(count)} finished runs`,
    )
    return runs
  }
  const invite = (fields: object = {}): Promise<Json> =>
    w.ok('POST', '/users', { email: `joiner${String(++names)}@example.com`, name: 'Joy', ...fields })
  const department = (): string => `Department ${String(++names)}`
  const only = (value: string) => ({
    conditions: { match: 'all', conditions: [{ attribute: 'department', operator: 'eq', value }] },
  })

  it('GOV-03 a joiner gets a group by a rule, once, and the rule is the reason', async () => {
    const [groupId, dept] = [await w.group(), department()]
    const { id, name } = await rule({
      ...{ category: 'joiner', trigger: { type: 'user_created' }, ...only(dept) },
      actions: [{ type: 'add_to_group', groupId }],
    })
    const joiner = await invite({ department: dept })
    const other = await invite({ department: 'Elsewhere' })
    const [run] = await finished(`ruleId=${String(id)}`)
    expect(run).to.deep.include({ userId: joiner.id, status: 'succeeded', trigger: 'user_created', depth: 1 })
    expect(run.steps).to.have.length(1)
    expect(run.steps[0]).to.deep.include({ action: 'add_to_group', status: 'succeeded', error: null })
    const [member] = await w.ok('GET', `/groups/${groupId}/members`)
    expect(member).to.deep.include({ userId: joiner.id, via: 'lifecycle', sourceId: id })
    expect(await runsOf(`userId=${String(other.id)}`)).to.deep.equal([])
    const application = await w.ok('POST', '/applications', {
      name: `App ${String(++names)}`,
      protocol: 'oidc',
      type: 'web',
      redirectUris: ['https://app.example/cb'],
    })
    await w.ok('PUT', `/applications/${String(application.id)}/groups/${groupId}`)
    const [reach] = await w.ok('GET', `/users/${String(joiner.id)}/access`)
    expect(reach.via[0].lifecycleRule).to.deep.equal({ id, name })
    expect((await w.ok('GET', `/lifecycle/rules/${String(id)}`)).runCount).to.equal(1)
  })

  it('GOV-03 a rule applies from its enabling on; a disabled one does nothing, and can be run for users', async () => {
    const [groupId, dept] = [await w.group(), department()]
    const early = await invite({ department: dept })
    const actions = [{ type: 'add_to_group', groupId }]
    const { id } = await rule({ trigger: { type: 'user_created' }, ...only(dept), actions, enabled: false })
    const second = await invite({ department: dept })
    const preview = await w.ok('POST', `/lifecycle/rules/${String(id)}/preview`)
    expect(preview.users.map((user: Json) => user.id)).to.have.members([early.id, second.id])
    await w.ok('POST', `/lifecycle/rules/${String(id)}/enable`)
    const third = await invite({ department: dept })
    await finished(`ruleId=${String(id)}`)
    expect((await runsOf(`ruleId=${String(id)}`))[0].userId).to.equal(third.id)
    await w.ok('POST', `/lifecycle/rules/${String(id)}/run`, { userIds: [early.id] })
    await finished(`ruleId=${String(id)}`, 2)
    const members = await w.ok('GET', `/groups/${groupId}/members`)
    expect(members.map(({ userId }: Json) => userId)).to.have.members([early.id, third.id])
  })

  it('GOV-03 actions are carried out in order; a failure is recorded and stops the run if the rule says so', async () => {
    const [groupId, other] = [await w.group(), await w.group()]
    const draft = await w.ok('POST', '/access-packages', {
      ...{ name: `Draft ${String(++names)}`, grants: [{ type: 'group', groupId: other }] },
    })
    const failing = { type: 'assign_package', packageId: draft.id }
    const last = { type: 'add_to_group', groupId: other }
    const first = { type: 'add_to_group', groupId }
    const { userId } = await w.service.person({ name: 'Fay' })
    for (const [continueOnError, status, steps] of [
      [true, 'partially_failed', ['succeeded', 'failed', 'succeeded']],
      [false, 'partially_failed', ['succeeded', 'failed', 'not_run']],
    ] as const) {
      const actions = [first, { ...failing, continueOnError }, last]
      const { id } = await rule({ trigger: { type: 'user_created' }, actions })
      await w.ok('POST', `/lifecycle/rules/${String(id)}/run`, { userIds: [userId] })
      const [run] = await finished(`ruleId=${String(id)}`)
      expect(run.status).to.equal(status)
      expect(run.steps.map((step: Json) => step.status)).to.deep.equal(steps)
      expect(run.steps[1].error).to.deep.equal({
        ...{ code: 'ERR_CONFLICT', message: 'This package is a draft. Publish it before you assign it.' },
      })
      await audited(w.service)
      const entries = await w.ok('GET', `/audit?correlationId=${String(run.id)}`)
      expect(entries.map(({ action }: Json) => action)).to.include('lifecycle_rule.action.fail')
      expect(new Set(entries.map(({ actorType }: Json) => actorType))).to.deep.equal(new Set(['system']))
      await w.ok('POST', `/lifecycle/rules/${String(id)}/disable`)
    }
  })

  it('GOV-02 GOV-03 a mover is reviewed by the manager, once, whatever applications they have', async () => {
    const [from, to] = [department(), department()]
    const { id: ruleId, name } = await rule({
      trigger: { type: 'attribute_changed', attribute: 'department' },
      ...only(to),
      actions: [{ type: 'start_review', reviewers: { type: 'manager', ids: [], fallbackIds: [] } }],
    })
    const mover = await w.service.person({ department: from, managerId: w.manager.userId })
    const groupId = await w.group()
    await w.ok('PUT', `/groups/${groupId}/members/${mover.userId}`, {})
    const { id: appId } = await w.ok('POST', '/applications', {
      ...{ name: 'Ledger', protocol: 'oidc', type: 'web', redirectUris: ['https://ledger.example/cb'] },
      groupIds: [groupId],
    })
    await w.ok('PATCH', `/users/${mover.userId}`, { department: to })
    const [{ steps, status }] = await finished(`ruleId=${String(ruleId)}`)
    expect([status, steps[0].error]).to.deep.equal(['succeeded', null])
    const reviews = (): Promise<Json> => w.ok('GET', `/access-reviews?userId=${mover.userId}`)
    let items: Json = []
    await until(async () => (await reviews()).length === 1, WAIT, 'the review')
    const [review] = await reviews()
    expect(review).to.deep.include({ name, scope: { type: 'user', ids: [mover.userId] } })
    await until(
      async () => {
        items = await w.ok('GET', `/access-reviews/${String(review.id)}/items`)
        return items.length > 0
      },
      WAIT,
      'the items',
    )
    const ledger = items.find(({ resource }: Json) => resource.id === appId)
    expect(ledger.reviewers).to.deep.equal([{ id: w.manager.userId, name: 'Mae' }])
  })

  it('GOV-03 two rules that undo each other stop, and the last run says why', async () => {
    const groupId = await w.group()
    const joins = await rule({
      ...{ trigger: { type: 'group_joined', groupId } },
      actions: [{ type: 'remove_from_group', groupId }],
    })
    const leaves = await rule({
      ...{ trigger: { type: 'group_left', groupId } },
      actions: [{ type: 'add_to_group', groupId }],
    })
    const { userId } = await w.service.person({ name: 'Loop' })
    await w.ok('PUT', `/groups/${groupId}/members/${userId}`, {})
    const runs = await finished(`userId=${userId}`, 6)
    expect(runs.map(({ depth }: Json) => depth)).to.deep.equal([6, 5, 4, 3, 2, 1])
    expect(runs[0]).to.deep.include({ status: 'skipped', skipReason: 'loop' })
    for (const { id } of [joins, leaves]) await w.ok('DELETE', `/lifecycle/rules/${String(id)}`)
  })

  it('GOV-03 AUT-05 a rule of a user administrator never touches an account with a role, also one given later', async () => {
    const dept = department()
    const settings = { trigger: { type: 'attribute_changed', attribute: 'title' }, ...only(dept) }
    const actions = [{ type: 'suspend' }]
    const made = await rule({ ...settings, actions }, userAdmin)
    expect(made.actsOnAdministrators).to.equal(false)
    const person = await w.service.person({ name: 'Rhoda', department: dept })
    await w.ok('PUT', `/users/${person.userId}/roles`, { roles: ['auditor'] })
    await w.ok('PATCH', `/users/${person.userId}`, { title: 'Chief' })
    const [run] = await finished(`userId=${person.userId}`)
    expect(run.status).to.equal('failed')
    expect(run.steps[0].error.code).to.equal('ERR_FORBIDDEN')
    expect((await w.ok('GET', `/users/${person.userId}`)).status).to.equal('active')
    // A global administrator who saves it does not answer for the enabling by somebody else.
    const path = `/lifecycle/rules/${String(made.id)}`
    expect((await w.ok('PATCH', path, { delayMinutes: 0 })).actsOnAdministrators).to.equal(false)
    await w.ok('POST', `${path}/disable`)
    expect((await w.ok('POST', `${path}/enable`)).actsOnAdministrators).to.equal(true)
    // A user administrator cannot use it on such an account.
    await w.ok('POST', `${path}/run`, { userIds: [person.userId] }, userAdmin)
    await finished(`userId=${person.userId}`, 2)
    expect((await w.ok('GET', `/users/${person.userId}`)).status).to.equal('active')
    await w.ok('PATCH', `/users/${person.userId}`, { title: 'Chief of staff' })
    await finished(`userId=${person.userId}`, 3)
    expect((await w.ok('GET', `/users/${person.userId}`)).status).to.equal('suspended')
    // Nor by saving it again.
    expect((await w.ok('PATCH', path, { delayMinutes: 1 }, userAdmin)).actsOnAdministrators).to.equal(false)
    await w.ok('DELETE', path)
  })

  it('GOV-03 a rule never removes the last global administrator', async () => {
    const { id } = await rule({
      trigger: { type: 'user_created' },
      actions: [{ type: 'delete' }],
      enabled: false,
    })
    await w.ok('POST', `/lifecycle/rules/${String(id)}/run`, { userIds: [w.admin.userId] })
    const [run] = await finished(`ruleId=${String(id)}`)
    expect(run.steps[0].error.code).to.equal('ERR_LAST_ADMIN')
  })

  it('GOV-03 a rule that would act on too many users is paused before it acts on one', async () => {
    const dept = department()
    const made = await rule({
      ...{ trigger: { type: 'on_end_date', atTime: '00:00' }, ...only(dept), maxPerRun: 2 },
      actions: [{ type: 'suspend' }],
      enabled: false,
    })
    const today = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    const people = [1, 2, 3].map(() => invite({ department: dept, endDate: today }))
    await Promise.all(people)
    const path = `/lifecycle/rules/${String(made.id)}`
    expect(await w.ok('POST', `${path}/preview`)).to.deep.include({ total: 3, wouldPause: true })
  })

  it('GOV-03 EVT-03 whether a rule applies is decided on what was true when it happened', async () => {
    const [dept, groupId] = [department(), await w.group()]
    const { id } = await rule({
      ...{ trigger: { type: 'attribute_changed', attribute: 'title' }, ...only(dept) },
      actions: [{ type: 'add_to_group', groupId }],
    })
    const outside = await w.service.person({ department: 'Elsewhere' })
    const inside = await w.service.person({ department: dept })
    for (const { userId } of [outside, inside]) await w.ok('PATCH', `/users/${userId}`, { title: 'Lead' })
    await finished(`ruleId=${String(id)}`)
    // The repetition after all tests must not act on this user, nor bring the other one back.
    await w.ok('PATCH', `/users/${outside.userId}`, { department: dept })
    await w.ok('DELETE', `/groups/${groupId}/members/${inside.userId}`)
  })
})
