import { expect } from 'chai'
import { testService, type TestPerson, type TestService } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

/** Responses of every shape are inspected. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

describe('GOV-01 access packages and requests', function () {
  this.timeout(60_000)
  let service: TestService
  let admin: TestPerson
  let ada: TestPerson
  let manager: TestPerson
  let owner: TestPerson
  let names = 0

  before(async () => {
    service = await testService()
    admin = await service.person({ name: 'Grace' }, ['global_admin'])
    manager = await service.person({ name: 'Mae' })
    owner = await service.person({ name: 'Otto' })
    ada = await service.person({ name: 'Ada', managerId: manager.userId })
  })
  after(() => service.stop())

  const send = (method: string, path: string, body?: unknown, as: TestPerson = admin) =>
    service.api(method, path, { as, ...(body === undefined ? {} : { body }) })
  const ok = async (method: string, path: string, body?: unknown, as: TestPerson = admin): Promise<Json> => {
    const answer = await send(method, path, body, as)
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).to.be.lessThan(300)
    return answer.body
  }
  const fails = async (
    expected: readonly [status: number, code: string],
    method: string,
    path: string,
    body: unknown,
    as: TestPerson = admin,
  ) => {
    const answer = await send(method, path, body, as)
    expect([answer.status, answer.body.error.code], JSON.stringify(answer.body)).to.deep.equal(expected)
    return answer.body.error
  }

  const group = async (): Promise<string> =>
    (await ok('POST', '/groups', { name: `Group ${String(++names)}` })).id
  /** A published package. */
  const accessPackage = async (settings: object = {}, groupId?: string): Promise<Json> => {
    const { id } = await ok('POST', '/access-packages', {
      name: `Package ${String(++names)}`,
      grants: [{ type: 'group', groupId: groupId ?? (await group()) }],
      requesterJustificationRequired: false,
      ...settings,
    })
    return ok('POST', `/access-packages/${String(id)}/publish`)
  }
  const stage = (approvers: object, more: object = {}) => ({
    approvers: { ids: [], ...approvers },
    ...{ mode: 'any', timeoutHours: 24, justificationRequired: false },
    ...more,
  })
  const approvedBy = (...stages: object[]) => ({ approval: { required: true, stages } })
  const request = (packageId: string, more: object = {}, as = ada): Promise<Json> =>
    ok('POST', '/me/access-requests', { packageId, ...more }, as)
  const read = (id: string): Promise<Json> => ok('GET', `/access-requests/${id}`)
  const decide = (id: string, decision: 'approve' | 'deny', as: TestPerson, body: object = {}) =>
    ok('POST', `/access-requests/${id}/${decision}`, body, as)
  const groupsOf = async ({ userId }: TestPerson): Promise<readonly string[]> =>
    (await ok('GET', `/users/${userId}/groups`)).map((one: Json) => one.groupId ?? one.id)
  const grantedBy = ({ groups }: Json): string => groups[0].id

  it('GOV-01 a package without approval is in effect when the request is answered', async () => {
    const pkg = await accessPackage()
    const made = await request(pkg.id)
    expect(await groupsOf(ada)).to.include(grantedBy(pkg))
    const now = await read(made.id)
    expect(now).to.deep.include({ status: 'delivered', stage: 0, eligibleApprovers: [] })
    expect(now.decisions).to.have.length(1)
    const [assignment] = await ok('GET', `/access-packages/${String(pkg.id)}/assignments`)
    expect(assignment).to.deep.include({
      ...{ id: now.assignmentId, userId: ada.userId, status: 'active', via: 'request', requestId: made.id },
      expiresAt: null,
    })
  })

  it('API-10 an approver sees the request, approves it, and the access is in effect', async () => {
    const pkg = await accessPackage(approvedBy(stage({ type: 'manager' })))
    const made = await request(pkg.id, { justification: 'Quarterly report' })
    expect(made).to.deep.include({ status: 'pending', stage: 1, justification: 'Quarterly report' })
    expect(made.eligibleApprovers).to.deep.equal([{ id: manager.userId, name: 'Mae' }])
    const open = await ok('GET', '/me/approvals', undefined, manager)
    expect(open.map(({ id }: Json) => id)).to.include(made.id)
    await decide(made.id, 'approve', manager, { comment: 'Needed' })
    expect(await groupsOf(ada)).to.include(grantedBy(pkg))
    const left = await ok('GET', '/me/approvals', undefined, manager)
    expect(left.map(({ id }: Json) => id)).not.to.include(made.id)
    const { decisions, status } = await read(made.id)
    expect(status).to.equal('delivered')
    expect(decisions[0]).to.deep.include({
      approverName: 'Mae',
      decision: 'approve',
      comment: 'Needed',
      stage: 1,
    })
  })

  it('API-10 nobody decides their own request, not even a global administrator', async () => {
    const pkg = await accessPackage(approvedBy(stage({ type: 'users', ids: [admin.userId, ada.userId] })))
    const own = await request(pkg.id, {}, admin)
    expect(own.eligibleApprovers.map(({ id }: Json) => id)).to.deep.equal([ada.userId])
    for (const [decision, body] of [
      ['approve', {}],
      ['deny', { comment: 'No' }],
      ['reassign', { approverId: owner.userId }],
    ] as const)
      await fails([403, 'ERR_SELF_APPROVAL'], 'POST', `/access-requests/${String(own.id)}/${decision}`, body)
    const forAda = await request(pkg.id)
    await fails([403, 'ERR_SELF_APPROVAL'], 'POST', `/access-requests/${String(forAda.id)}/approve`, {}, ada)
    await fails([403, 'ERR_FORBIDDEN'], 'POST', `/access-requests/${String(forAda.id)}/approve`, {}, owner)
    await decide(forAda.id, 'approve', admin)
    await fails([409, 'ERR_CONFLICT'], 'POST', `/access-requests/${String(forAda.id)}/approve`, {})
    await ok('POST', `/me/access-requests/${String(own.id)}/cancel`)
    expect(await read(own.id)).to.deep.include({ status: 'cancelled' })
  })

  it('API-10 a manager requests for a report and does not decide it', async () => {
    const pkg = await accessPackage(approvedBy(stage({ type: 'manager' })))
    const body = { packageId: pkg.id, forUserId: ada.userId }
    await fails([403, 'ERR_FORBIDDEN'], 'POST', '/me/access-requests', body, owner)
    const made = await ok('POST', '/me/access-requests', body, manager)
    expect(made.approverOrigin).to.equal('administrators')
    await fails(
      [403, 'ERR_SELF_APPROVAL'],
      'POST',
      `/access-requests/${String(made.id)}/approve`,
      {},
      manager,
    )
    await decide(made.id, 'approve', admin)
    expect(await groupsOf(ada)).to.include(grantedBy(pkg))
  })

  it('GOV-01 each stage decides in turn, and all approvers of a stage that needs them', async () => {
    const [one, two] = [await service.person(), await service.person()]
    const team = await group()
    for (const { userId } of [one, two]) await ok('PUT', `/groups/${team}/members/${userId}`, {})
    const pkg = await accessPackage({
      ...approvedBy(
        stage({ type: 'groups', ids: [team] }, { mode: 'all' }),
        stage({ type: 'package_owners' }, { justificationRequired: true }),
      ),
      ownerIds: [owner.userId],
    })
    const made = await request(pkg.id)
    await decide(made.id, 'approve', one)
    expect((await read(made.id)).stage).to.equal(1)
    await decide(made.id, 'approve', two)
    expect((await read(made.id)).stage).to.equal(2)
    await fails([403, 'ERR_FORBIDDEN'], 'POST', `/access-requests/${String(made.id)}/approve`, {}, one)
    await fails([422, 'ERR_INVALID'], 'POST', `/access-requests/${String(made.id)}/approve`, {}, owner)
    await decide(made.id, 'deny', owner, { comment: 'Not this quarter' })
    expect(await read(made.id)).to.deep.include({ status: 'denied' })
    expect(await groupsOf(ada)).not.to.include(grantedBy(pkg))
  })

  it('GOV-01 when an approver leaves, the others decide; when nobody is left, the owners', async () => {
    const [one, two] = [await service.person(), await service.person()]
    const ids = [one.userId, two.userId]
    const pkg = await accessPackage({
      ...approvedBy(stage({ type: 'users', ids }, { mode: 'all' })),
      ownerIds: [owner.userId],
    })
    const made = await request(pkg.id)
    const approvers = async () => (await read(made.id)).eligibleApprovers.map(({ id }: Json) => id)
    await ok('POST', `/users/${two.userId}/suspend`, {})
    await until(async () => (await approvers()).join() === one.userId, 5000, 'the other approver')
    await ok('POST', `/users/${one.userId}/suspend`, {})
    await until(async () => (await approvers()).join() === owner.userId, 5000, 'the owner')
    expect((await read(made.id)).approverOrigin).to.equal('owners')
    await decide(made.id, 'approve', owner)
    expect(await groupsOf(ada)).to.include(grantedBy(pkg))
  })

  it('GOV-01 an approver passes a request on, and a user administrator names who decides', async () => {
    const [one, two] = [await service.person(), await service.person()]
    const pkg = await accessPackage(approvedBy(stage({ type: 'manager' })))
    const made = await request(pkg.id)
    const path = `/access-requests/${String(made.id)}/reassign`
    await fails([403, 'ERR_FORBIDDEN'], 'POST', path, { approverId: two.userId }, one)
    await fails([422, 'ERR_INVALID'], 'POST', path, { approverId: ada.userId }, manager)
    await ok('POST', path, { approverId: one.userId }, manager)
    await fails([403, 'ERR_FORBIDDEN'], 'POST', `/access-requests/${String(made.id)}/approve`, {}, manager)
    await ok('POST', path, { approverId: two.userId })
    await decide(made.id, 'approve', two)
    expect(await read(made.id)).to.deep.include({ status: 'delivered' })
  })

  it('GOV-01 overlapping packages do not take groups from each other', async () => {
    const shared = await group()
    const [one, two] = [await accessPackage({}, shared), await accessPackage({}, shared)]
    await request(one.id)
    const kept = await request(two.id)
    await request(one.id, { type: 'remove' })
    expect(await groupsOf(ada)).to.include(shared)
    const { assignmentId } = await read(kept.id)
    await ok('DELETE', `/access-packages/${String(two.id)}/assignments/${String(assignmentId)}`)
    expect(await groupsOf(ada)).not.to.include(shared)
  })

  it('GOV-01 separation of duties holds at the request, at the approval and at the delivery', async () => {
    const person = await service.person({ managerId: manager.userId })
    const pay = await accessPackage({ name: 'Payments' })
    const audit = await accessPackage({
      ...approvedBy(stage({ type: 'manager' })),
      incompatiblePackageIds: [pay.id],
    })
    // Both directions; the request of one is pending when the other is given.
    const pending = await request(audit.id, {}, person)
    const assigned = await ok('POST', `/access-packages/${String(pay.id)}/assignments`, {
      userId: person.userId,
    })
    const path = `/access-requests/${String(pending.id)}/approve`
    const refused = await fails([409, 'ERR_CONFLICT'], 'POST', path, {}, manager)
    expect(refused.message).to.include('Payments')
    await ok('DELETE', `/access-packages/${String(pay.id)}/assignments/${String(assigned.id)}`)
    // A group of the other package counts, however the user got it.
    await ok('PUT', `/groups/${grantedBy(pay)}/members/${person.userId}`, {})
    await fails([409, 'ERR_CONFLICT'], 'POST', path, {}, manager)
    await ok('DELETE', `/groups/${grantedBy(pay)}/members/${person.userId}`)
    await decide(pending.id, 'approve', manager)
    const body = { packageId: pay.id }
    await fails([409, 'ERR_CONFLICT'], 'POST', '/me/access-requests', body, person)
    await fails([409, 'ERR_CONFLICT'], 'POST', `/access-packages/${String(pay.id)}/assignments`, {
      userId: person.userId,
    })
  })

  it('GOV-01 an expired assignment gives nothing from its end on, whatever the workers do', async () => {
    const pkg = await accessPackage()
    const person = await service.person()
    const soon = new Date(Date.now() + 700).toISOString()
    const { id } = await ok('POST', `/access-packages/${String(pkg.id)}/assignments`, {
      ...{ userId: person.userId, expiresAt: soon },
    })
    expect(await groupsOf(person)).to.include(grantedBy(pkg))
    await until(() => Date.now() > Date.parse(soon))
    expect(await groupsOf(person)).not.to.include(grantedBy(pkg))
    const path = `/access-packages/${String(pkg.id)}/assignments/${String(id)}`
    expect((await ok('GET', path)).status).to.equal('expired')
    await fails([409, 'ERR_CONFLICT'], 'PATCH', path, { expiresAt: null })
    await until(async () => (await ok('GET', path)).endReason === 'expired', 20_000, 'the recorded end')
  })

  it('GOV-01 a later start is scheduled, and starts', async () => {
    const pkg = await accessPackage({ duration: { default: 'P30D', requesterMayChoose: false } })
    const startsAt = new Date(Date.now() + 1500).toISOString()
    const made = await request(pkg.id, { startsAt })
    expect(await read(made.id)).to.deep.include({ status: 'scheduled' })
    expect(await groupsOf(ada)).not.to.include(grantedBy(pkg))
    await until(async () => (await read(made.id)).status === 'delivered', 20_000, 'the start')
    expect(await groupsOf(ada)).to.include(grantedBy(pkg))
    const [assignment] = await ok('GET', `/access-packages/${String(pkg.id)}/assignments`)
    expect(Date.parse(assignment.expiresAt) - Date.parse(startsAt)).to.equal(30 * 86_400_000)
  })

  it('GOV-01 an extension is approved like the request and moves the end', async () => {
    const pkg = await accessPackage({
      duration: { default: 'P1D', max: 'P60D', requesterMayChoose: true },
    })
    const made = await request(pkg.id)
    const more = await request(pkg.id, { type: 'extend', requestedDuration: 'P30D' })
    expect(more.assignmentId).to.equal((await read(made.id)).assignmentId)
    const [assignment] = await ok('GET', `/access-packages/${String(pkg.id)}/assignments`)
    expect(Date.parse(assignment.expiresAt)).to.be.greaterThan(Date.now() + 29 * 86_400_000)
    const member = (await ok('GET', `/groups/${grantedBy(pkg)}/members`)).find(
      ({ userId }: Json) => userId === ada.userId,
    )
    expect(member).to.deep.include({ via: 'package', expiresAt: assignment.expiresAt })
    await fails(
      [422, 'ERR_INVALID'],
      'POST',
      '/me/access-requests',
      {
        ...{ packageId: pkg.id, requestedDuration: 'P90D' },
      },
      manager,
    )
  })

  it('GOV-01 other groups in the package change who is where, at once', async () => {
    const pkg = await accessPackage()
    const person = await service.person()
    await request(pkg.id, {}, person)
    const other = await group()
    await ok('PATCH', `/access-packages/${String(pkg.id)}`, { grants: [{ type: 'group', groupId: other }] })
    expect(await groupsOf(person)).to.include(other)
    expect(await groupsOf(person)).not.to.include(grantedBy(pkg))
    await fails([409, 'ERR_CONFLICT'], 'DELETE', `/groups/${other}`, undefined)
    await fails([409, 'ERR_CONFLICT'], 'DELETE', `/access-packages/${String(pkg.id)}`, undefined)
    await ok('POST', `/access-packages/${String(pkg.id)}/archive`)
    const offered = await ok('GET', '/me/access-packages', undefined, ada)
    expect(offered.map(({ id }: Json) => id)).not.to.include(pkg.id)
    const kept = await ok('GET', '/me/access-packages', undefined, person)
    expect(kept.find(({ id }: Json) => id === pkg.id)).to.deep.include({ requestable: false })
  })

  it('GOV-01 questions, reasons and the groups that may request are checked', async () => {
    const team = await group()
    const pkg = await accessPackage({
      requesters: { scope: 'groups', groupIds: [team] },
      requesterJustificationRequired: true,
      questions: [
        {
          id: 'centre',
          label: 'Cost centre?',
          type: 'choice',
          choices: ['Sales', 'Research'],
          required: true,
        },
        { id: 'remote', label: 'Remote?', type: 'boolean', required: false },
      ],
    })
    const person = await service.person()
    const body = { packageId: pkg.id, justification: 'Why not', answers: { centre: 'Sales' } }
    await fails([404, 'ERR_NOT_FOUND'], 'POST', '/me/access-requests', body, person)
    await ok('PUT', `/groups/${team}/members/${person.userId}`, {})
    const wrong: readonly (readonly [change: object, field: string])[] = [
      [{ justification: undefined }, '/justification'],
      [{ answers: {} }, '/answers/centre'],
      [{ answers: { centre: 'Law' } }, '/answers/centre'],
      [{ answers: { centre: 'Sales', remote: 'yes' } }, '/answers/remote'],
      [{ answers: { centre: 'Sales', other: 'x' } }, '/answers'],
      [{ requestedDuration: 'P1D' }, '/requestedDuration'],
      [{ startsAt: '2020-01-01T00:00:00Z' }, '/startsAt'],
    ]
    for (const [change, field] of wrong) {
      const refused = await fails(
        [422, 'ERR_INVALID'],
        'POST',
        '/me/access-requests',
        { ...body, ...change },
        person,
      )
      expect(refused.field, JSON.stringify(change)).to.equal(field)
    }
    await ok('POST', '/me/access-requests', body, person)
    await fails([409, 'ERR_CONFLICT'], 'POST', '/me/access-requests', body, person)
  })

  it('GOV-01 requests at the same moment: one of them is made', async () => {
    const pkg = await accessPackage(approvedBy(stage({ type: 'manager' })))
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => send('POST', '/me/access-requests', { packageId: pkg.id }, ada)),
    )
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409, 409])
  })

  it('GOV-01 a failed delivery says why and can be tried again', async () => {
    const person = await service.person({ managerId: manager.userId })
    const gone = await accessPackage({ name: 'Gone' })
    const startsAt = new Date(Date.now() + 3_600_000).toISOString()
    const made = await request(gone.id, { startsAt }, person)
    const { assignmentId } = await read(made.id)
    await ok('DELETE', `/access-packages/${String(gone.id)}/assignments/${String(assignmentId)}`)
    expect(await read(made.id)).to.deep.include({
      ...{ status: 'failed', error: 'The assignment ended before it started.' },
    })
    await ok('POST', `/access-requests/${String(made.id)}/retry`)
    const again = await read(made.id)
    expect(again).to.deep.include({ status: 'scheduled', error: null })
    expect(again.assignmentId).not.to.equal(assignmentId)
  })

  it('GOV-01 the requests of a deleted user are cancelled, and their packages end', async () => {
    const pkg = await accessPackage(approvedBy(stage({ type: 'manager' })))
    const plain = await accessPackage()
    const person = await service.person({ managerId: manager.userId })
    const made = await request(pkg.id, {}, person)
    await request(plain.id, {}, person)
    await ok('DELETE', `/users/${person.userId}`)
    await until(async () => (await read(made.id)).status === 'cancelled', 5000, 'the cancelled request')
    const [assignment] = await ok('GET', `/access-packages/${String(plain.id)}/assignments`)
    expect(assignment).to.deep.include({ status: 'revoked', endReason: 'user_deleted' })
  })
})
