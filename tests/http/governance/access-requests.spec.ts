import { expect } from 'chai'
import { accessWorld, type AccessWorld, type Json } from '../../support/api/access-packages.ts'
import { until } from '../../support/until.ts'

describe('GOV-01 access packages and requests', function () {
  this.timeout(60_000)
  let w: AccessWorld
  before(async () => {
    w = await accessWorld()
  })
  after(() => w.service.stop())

  it('GOV-01 a package without approval is in effect when the request is answered', async () => {
    const pkg = await w.accessPackage()
    const made = await w.request(pkg.id)
    expect(await w.groupsOf(w.ada)).to.include(w.grantedBy(pkg))
    const now = await w.read(made.id)
    expect(now).to.deep.include({ status: 'delivered', stage: 0, eligibleApprovers: [] })
    expect(now.decisions).to.have.length(1)
    const [assignment] = await w.ok('GET', `/access-packages/${String(pkg.id)}/assignments`)
    expect(assignment).to.deep.include({
      ...{ id: now.assignmentId, userId: w.ada.userId, status: 'active', via: 'request', requestId: made.id },
      expiresAt: null,
    })
  })

  it('API-10 an approver sees the request, approves it, and the access is in effect', async () => {
    const pkg = await w.accessPackage(w.approvedBy(w.stage({ type: 'manager' })))
    const made = await w.request(pkg.id, { justification: 'Quarterly report' })
    expect(made).to.deep.include({ status: 'pending', stage: 1, justification: 'Quarterly report' })
    const pending = await w.ok('GET', '/access-requests?status=pending&limit=200')
    expect((await w.ok('GET', '/overview')).pendingRequests).to.equal(pending.length)
    expect(made.eligibleApprovers).to.deep.equal([{ id: w.manager.userId, name: 'Mae' }])
    const open = await w.ok('GET', '/me/approvals', undefined, w.manager)
    expect(open.map(({ id }: Json) => id)).to.include(made.id)
    await w.decide(made.id, 'approve', w.manager, { comment: 'Needed' })
    expect(await w.groupsOf(w.ada)).to.include(w.grantedBy(pkg))
    const left = await w.ok('GET', '/me/approvals', undefined, w.manager)
    expect(left.map(({ id }: Json) => id)).not.to.include(made.id)
    const { decisions, status } = await w.read(made.id)
    expect(status).to.equal('delivered')
    expect(decisions[0]).to.deep.include({
      approverName: 'Mae',
      decision: 'approve',
      comment: 'Needed',
      stage: 1,
    })
  })

  it('API-10 nobody decides their own request, not even a global administrator', async () => {
    const pkg = await w.accessPackage(
      w.approvedBy(w.stage({ type: 'users', ids: [w.admin.userId, w.ada.userId] })),
    )
    const own = await w.request(pkg.id, {}, w.admin)
    expect(own.eligibleApprovers.map(({ id }: Json) => id)).to.deep.equal([w.ada.userId])
    for (const [decision, body] of [
      ['approve', {}],
      ['deny', { comment: 'No' }],
      ['reassign', { approverId: w.owner.userId }],
    ] as const)
      await w.fails(
        [403, 'ERR_SELF_APPROVAL'],
        'POST',
        `/access-requests/${String(own.id)}/${decision}`,
        body,
      )
    const forAda = await w.request(pkg.id)
    await w.fails(
      [403, 'ERR_SELF_APPROVAL'],
      'POST',
      `/access-requests/${String(forAda.id)}/approve`,
      {},
      w.ada,
    )
    await w.fails(
      [403, 'ERR_FORBIDDEN'],
      'POST',
      `/access-requests/${String(forAda.id)}/approve`,
      {},
      w.owner,
    )
    await w.decide(forAda.id, 'approve', w.admin)
    await w.fails([409, 'ERR_CONFLICT'], 'POST', `/access-requests/${String(forAda.id)}/approve`, {})
    await w.ok('POST', `/me/access-requests/${String(own.id)}/cancel`)
    expect(await w.read(own.id)).to.deep.include({ status: 'cancelled' })
  })

  it('API-10 a manager requests for a report and does not decide it', async () => {
    const pkg = await w.accessPackage(w.approvedBy(w.stage({ type: 'manager' })))
    const body = { packageId: pkg.id, forUserId: w.ada.userId }
    await w.fails([403, 'ERR_FORBIDDEN'], 'POST', '/me/access-requests', body, w.owner)
    const made = await w.ok('POST', '/me/access-requests', body, w.manager)
    expect(made.approverOrigin).to.equal('administrators')
    await w.fails(
      [403, 'ERR_SELF_APPROVAL'],
      'POST',
      `/access-requests/${String(made.id)}/approve`,
      {},
      w.manager,
    )
    await w.decide(made.id, 'approve', w.admin)
    expect(await w.groupsOf(w.ada)).to.include(w.grantedBy(pkg))
  })

  it('GOV-01 each stage decides in turn, and all approvers of a stage that needs them', async () => {
    const [one, two] = [await w.service.person(), await w.service.person()]
    const team = await w.group()
    for (const { userId } of [one, two]) await w.ok('PUT', `/groups/${team}/members/${userId}`, {})
    const pkg = await w.accessPackage({
      ...w.approvedBy(
        w.stage({ type: 'groups', ids: [team] }, { mode: 'all' }),
        w.stage({ type: 'package_owners' }, { justificationRequired: true }),
      ),
      ownerIds: [w.owner.userId],
    })
    const made = await w.request(pkg.id)
    await w.decide(made.id, 'approve', one)
    expect((await w.read(made.id)).stage).to.equal(1)
    await w.decide(made.id, 'approve', two)
    expect((await w.read(made.id)).stage).to.equal(2)
    await w.fails([403, 'ERR_FORBIDDEN'], 'POST', `/access-requests/${String(made.id)}/approve`, {}, one)
    await w.fails([422, 'ERR_INVALID'], 'POST', `/access-requests/${String(made.id)}/approve`, {}, w.owner)
    await w.decide(made.id, 'deny', w.owner, { comment: 'Not this quarter' })
    expect(await w.read(made.id)).to.deep.include({ status: 'denied' })
    expect(await w.groupsOf(w.ada)).not.to.include(w.grantedBy(pkg))
  })

  it('GOV-01 when an approver leaves, the others decide; when nobody is left, the owners', async () => {
    const [one, two] = [await w.service.person(), await w.service.person()]
    const ids = [one.userId, two.userId]
    const pkg = await w.accessPackage({
      ...w.approvedBy(w.stage({ type: 'users', ids }, { mode: 'all' })),
      ownerIds: [w.owner.userId],
    })
    const made = await w.request(pkg.id)
    const approvers = async () => (await w.read(made.id)).eligibleApprovers.map(({ id }: Json) => id)
    await w.ok('POST', `/users/${two.userId}/suspend`, {})
    await until(async () => (await approvers()).join() === one.userId, 5000, 'the other approver')
    await w.ok('POST', `/users/${one.userId}/suspend`, {})
    await until(async () => (await approvers()).join() === w.owner.userId, 5000, 'the owner')
    expect((await w.read(made.id)).approverOrigin).to.equal('owners')
    await w.decide(made.id, 'approve', w.owner)
    expect(await w.groupsOf(w.ada)).to.include(w.grantedBy(pkg))
  })

  it('GOV-01 an approver passes a request on, and a user administrator names who decides', async () => {
    const [one, two] = [await w.service.person(), await w.service.person()]
    const pkg = await w.accessPackage(w.approvedBy(w.stage({ type: 'manager' })))
    const made = await w.request(pkg.id)
    const path = `/access-requests/${String(made.id)}/reassign`
    await w.fails([403, 'ERR_FORBIDDEN'], 'POST', path, { approverId: two.userId }, one)
    await w.fails([422, 'ERR_INVALID'], 'POST', path, { approverId: w.ada.userId }, w.manager)
    await w.ok('POST', path, { approverId: one.userId }, w.manager)
    await w.fails(
      [403, 'ERR_FORBIDDEN'],
      'POST',
      `/access-requests/${String(made.id)}/approve`,
      {},
      w.manager,
    )
    await w.ok('POST', path, { approverId: two.userId })
    await w.decide(made.id, 'approve', two)
    expect(await w.read(made.id)).to.deep.include({ status: 'delivered' })
  })

  it('GOV-01 overlapping packages do not take groups from each other', async () => {
    const shared = await w.group()
    const [one, two] = [await w.accessPackage({}, shared), await w.accessPackage({}, shared)]
    await w.request(one.id)
    const kept = await w.request(two.id)
    await w.request(one.id, { type: 'remove' })
    expect(await w.groupsOf(w.ada)).to.include(shared)
    const { assignmentId } = await w.read(kept.id)
    await w.ok('DELETE', `/access-packages/${String(two.id)}/assignments/${String(assignmentId)}`)
    expect(await w.groupsOf(w.ada)).not.to.include(shared)
  })

  it('GOV-01 separation of duties holds at the request, at the approval and at the delivery', async () => {
    const person = await w.service.person({ managerId: w.manager.userId })
    const pay = await w.accessPackage({ name: 'Payments' })
    const audit = await w.accessPackage({
      ...w.approvedBy(w.stage({ type: 'manager' })),
      incompatiblePackageIds: [pay.id],
    })
    // Both directions; the request of one is pending when the other is given.
    const pending = await w.request(audit.id, {}, person)
    const assigned = await w.ok('POST', `/access-packages/${String(pay.id)}/assignments`, {
      userId: person.userId,
    })
    const path = `/access-requests/${String(pending.id)}/approve`
    const refused = await w.fails([409, 'ERR_CONFLICT'], 'POST', path, {}, w.manager)
    expect(refused.message).to.include('Payments')
    await w.ok('DELETE', `/access-packages/${String(pay.id)}/assignments/${String(assigned.id)}`)
    // A group of the other package counts, however the user got it.
    await w.ok('PUT', `/groups/${w.grantedBy(pay)}/members/${person.userId}`, {})
    await w.fails([409, 'ERR_CONFLICT'], 'POST', path, {}, w.manager)
    await w.ok('DELETE', `/groups/${w.grantedBy(pay)}/members/${person.userId}`)
    await w.decide(pending.id, 'approve', w.manager)
    const body = { packageId: pay.id }
    await w.fails([409, 'ERR_CONFLICT'], 'POST', '/me/access-requests', body, person)
    await w.fails([409, 'ERR_CONFLICT'], 'POST', `/access-packages/${String(pay.id)}/assignments`, {
      userId: person.userId,
    })
  })

  it('GOV-01 an extension is approved like the request and moves the end', async () => {
    const pkg = await w.accessPackage({
      duration: { default: 'P1D', max: 'P60D', requesterMayChoose: true },
    })
    const made = await w.request(pkg.id)
    const more = await w.request(pkg.id, { type: 'extend', requestedDuration: 'P30D' })
    expect(more.assignmentId).to.equal((await w.read(made.id)).assignmentId)
    const [assignment] = await w.ok('GET', `/access-packages/${String(pkg.id)}/assignments`)
    expect(Date.parse(assignment.expiresAt)).to.be.greaterThan(Date.now() + 29 * 86_400_000)
    const member = (await w.ok('GET', `/groups/${w.grantedBy(pkg)}/members`)).find(
      ({ userId }: Json) => userId === w.ada.userId,
    )
    expect(member).to.deep.include({ via: 'package', expiresAt: assignment.expiresAt })
    await w.fails(
      [422, 'ERR_INVALID'],
      'POST',
      '/me/access-requests',
      {
        ...{ packageId: pkg.id, requestedDuration: 'P90D' },
      },
      w.manager,
    )
  })

  it('GOV-01 other groups in the package change who is where, at once', async () => {
    const pkg = await w.accessPackage()
    const person = await w.service.person()
    await w.request(pkg.id, {}, person)
    const other = await w.group()
    await w.ok('PATCH', `/access-packages/${String(pkg.id)}`, { grants: [{ type: 'group', groupId: other }] })
    expect(await w.groupsOf(person)).to.include(other)
    expect(await w.groupsOf(person)).not.to.include(w.grantedBy(pkg))
    await w.fails([409, 'ERR_CONFLICT'], 'DELETE', `/groups/${other}`, undefined)
    await w.fails([409, 'ERR_CONFLICT'], 'DELETE', `/access-packages/${String(pkg.id)}`, undefined)
    await w.ok('POST', `/access-packages/${String(pkg.id)}/archive`)
    const offered = await w.ok('GET', '/me/access-packages', undefined, w.ada)
    expect(offered.map(({ id }: Json) => id)).not.to.include(pkg.id)
    const kept = await w.ok('GET', '/me/access-packages', undefined, person)
    expect(kept.find(({ id }: Json) => id === pkg.id)).to.deep.include({ requestable: false })
  })

  it('GOV-01 questions, reasons and the groups that may request are checked', async () => {
    const team = await w.group()
    const pkg = await w.accessPackage({
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
    const person = await w.service.person()
    const body = { packageId: pkg.id, justification: 'Why not', answers: { centre: 'Sales' } }
    await w.fails([404, 'ERR_NOT_FOUND'], 'POST', '/me/access-requests', body, person)
    await w.ok('PUT', `/groups/${team}/members/${person.userId}`, {})
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
      const refused = await w.fails(
        [422, 'ERR_INVALID'],
        'POST',
        '/me/access-requests',
        { ...body, ...change },
        person,
      )
      expect(refused.field, JSON.stringify(change)).to.equal(field)
    }
    await w.ok('POST', '/me/access-requests', body, person)
    await w.fails([409, 'ERR_CONFLICT'], 'POST', '/me/access-requests', body, person)
  })

  it('GOV-01 requests at the same moment: one of them is made', async () => {
    const pkg = await w.accessPackage(w.approvedBy(w.stage({ type: 'manager' })))
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => w.send('POST', '/me/access-requests', { packageId: pkg.id }, w.ada)),
    )
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409, 409])
  })

  it('GOV-01 the requests of a deleted user are cancelled, and their packages end', async () => {
    const pkg = await w.accessPackage(w.approvedBy(w.stage({ type: 'manager' })))
    const plain = await w.accessPackage()
    const person = await w.service.person({ managerId: w.manager.userId })
    const made = await w.request(pkg.id, {}, person)
    await w.request(plain.id, {}, person)
    await w.ok('DELETE', `/users/${person.userId}`)
    await until(async () => (await w.read(made.id)).status === 'cancelled', 5000, 'the cancelled request')
    const [assignment] = await w.ok('GET', `/access-packages/${String(plain.id)}/assignments`)
    expect(assignment).to.deep.include({ status: 'revoked', endReason: 'user_deleted' })
  })
})
