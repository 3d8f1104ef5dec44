import { expect } from 'chai'
import { idsFor, newId } from '../../../adapters/kernel/ids.ts'
import {
  accessRequestDecider,
  accessRequestStream,
  type NewAccessRequest,
} from '../../../domain/access-request/decider.ts'
import {
  packageAssignmentDecider,
  packageAssignmentsStream,
} from '../../../domain/package-assignment/decider.ts'
import { accessWorld, type AccessWorld, type Json } from '../../support/api/access-packages.ts'
import { audited } from '../../support/audit/audit.ts'
import { system } from '../../support/service/service.ts'
import { until } from '../../support/until.ts'

describe('GOV-01 what time does to access packages', function () {
  this.timeout(60_000)
  let w: AccessWorld
  before(async () => {
    w = await accessWorld()
  })
  after(() => w.service.stop())

  it('GOV-01 an expired assignment gives nothing from its end on, whatever the workers do', async () => {
    const pkg = await w.accessPackage()
    const person = await w.service.person()
    const soon = new Date(Date.now() + 700).toISOString()
    const { id } = await w.ok('POST', `/access-packages/${String(pkg.id)}/assignments`, {
      ...{ userId: person.userId, expiresAt: soon },
    })
    expect(await w.groupsOf(person)).to.include(w.grantedBy(pkg))
    await until(() => Date.now() > Date.parse(soon))
    expect(await w.groupsOf(person)).not.to.include(w.grantedBy(pkg))
    const path = `/access-packages/${String(pkg.id)}/assignments/${String(id)}`
    expect((await w.ok('GET', path)).status).to.equal('expired')
    await w.fails([409, 'ERR_CONFLICT'], 'PATCH', path, { expiresAt: null })
    await until(async () => (await w.ok('GET', path)).endReason === 'expired', 20_000, 'the recorded end')
  })

  it('GOV-01 a later start is scheduled, and starts', async () => {
    const pkg = await w.accessPackage({ duration: { default: 'P30D', requesterMayChoose: false } })
    const startsAt = new Date(Date.now() + 1500).toISOString()
    const made = await w.request(pkg.id, { startsAt })
    expect(await w.read(made.id)).to.deep.include({ status: 'scheduled' })
    expect(await w.groupsOf(w.ada)).not.to.include(w.grantedBy(pkg))
    await until(async () => (await w.read(made.id)).status === 'delivered', 20_000, 'the start')
    expect(await w.groupsOf(w.ada)).to.include(w.grantedBy(pkg))
    const [assignment] = await w.ok('GET', `/access-packages/${String(pkg.id)}/assignments`)
    expect(Date.parse(assignment.expiresAt) - Date.parse(startsAt)).to.equal(30 * 86_400_000)
  })

  it('GOV-01 a failed delivery says why and can be tried again', async () => {
    const person = await w.service.person({ managerId: w.manager.userId })
    const gone = await w.accessPackage({ name: 'Gone' })
    const startsAt = new Date(Date.now() + 3_600_000).toISOString()
    const made = await w.request(gone.id, { startsAt }, person)
    const { assignmentId } = await w.read(made.id)
    await w.ok('DELETE', `/access-packages/${String(gone.id)}/assignments/${String(assignmentId)}`)
    expect(await w.read(made.id)).to.deep.include({
      ...{ status: 'failed', error: 'The assignment ended before it started.' },
    })
    await w.ok('POST', `/access-requests/${String(made.id)}/retry`)
    const again = await w.read(made.id)
    expect(again).to.deep.include({ status: 'scheduled', error: null })
    expect(again.assignmentId).not.to.equal(assignmentId)
  })

  it('GOV-01 a request that nobody decides in time escalates, and then expires, once each', async () => {
    const { handle, clock } = w.service.core.services
    const person = await w.service.person()
    /** Made two hours ago; a stage lasts one. */
    const old = async (escalateTo: object): Promise<string> => {
      const pkg = await w.accessPackage()
      const requestId = newId('accessRequest')
      await handle(
        accessRequestDecider,
        accessRequestStream(requestId),
        {
          type: 'create',
          requestId,
          request: {
            packageId: pkg.id,
            packageName: pkg.name,
            requesterId: person.userId,
            userId: person.userId,
            requestType: 'grant',
            answers: {},
            stages: [w.stage({ type: 'manager' }, { timeoutHours: 1, ...escalateTo })],
          },
          approvers: { approverIds: [w.manager.userId], origin: 'stage' },
          now: clock.in(-7200),
        },
        system,
      )
      return requestId
    }
    const [escalating, expiring] = [await old({ escalateTo: w.owner.userId }), await old({})]
    await until(async () => (await w.read(expiring)).status === 'expired', 10_000, 'the expiry')
    await until(
      async () => (await w.read(escalating)).approverOrigin === 'escalation',
      10_000,
      'the escalation',
    )
    const seen = await w.read(escalating)
    expect(seen.eligibleApprovers).to.deep.equal([{ id: w.owner.userId, name: 'Otto' }])
    expect(Date.parse(seen.expiresAt)).to.be.greaterThan(Date.now() + 3_500_000)
    await w.decide(escalating, 'approve', w.owner)
    expect((await w.read(escalating)).status).to.equal('delivered')
    await audited(w.service)
    const actions = async (targetId: string) =>
      (await w.ok('GET', `/audit?targetType=access_request&targetId=${targetId}`))
        .map(({ action, actorType }: Json) => `${String(action)} ${String(actorType)}`)
        .filter((entry: string) => /expire|reassign/.test(entry))
    expect(await actions(expiring)).to.deep.equal(['access_request.expire system'])
    expect(await actions(escalating)).to.deep.equal(['access_request.reassign system'])
  })

  it('GOV-01 a delivery that was interrupted says that its assignment was taken away before it started', async () => {
    const { handle, clock } = w.service.core.services
    const { userId } = w.ada
    const { id: packageId, name: packageName } = await w.accessPackage()
    const requestId = newId('accessRequest')
    const stream = accessRequestStream(requestId)
    const startsAt = clock.in(3600)
    // What an instance had recorded when it stopped: the assignment, but not that the request is scheduled.
    const idempotencyKey = requestId
    const approval = idsFor(`${idempotencyKey}|${stream}`).eventId('1')
    const assignmentId = idsFor(`access-request|${approval}`).newId('packageAssignment')
    const subject = { userId, packageId, assignmentId, now: clock.now() }
    const incompatible = { packages: [], held: [] }
    for (const command of [
      { type: 'grant', ...subject, via: 'request', requestId, startsAt, incompatible },
      { type: 'end', ...subject, reason: 'revoked' },
    ] as const)
      await handle(packageAssignmentDecider, packageAssignmentsStream(userId), command, system)
    const request: NewAccessRequest = {
      packageId,
      packageName,
      requesterId: userId,
      userId,
      requestType: 'grant',
      answers: {},
      startsAt,
      stages: [],
    }
    const approvers = { approverIds: [], origin: 'stage' } as const
    await handle(
      accessRequestDecider,
      stream,
      { type: 'create', requestId, request, approvers, now: clock.now() },
      { ...system, idempotencyKey },
    )
    expect(await w.read(requestId)).to.deep.include({
      ...{ status: 'failed', error: 'The assignment ended before it started.' },
    })
  })
})
