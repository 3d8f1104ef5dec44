import { expect } from 'chai'
import { newId } from '../../../adapters/kernel/ids.ts'
import type { DetectedRisk } from '../../../domain/risk/events.ts'
import { riskDecider, riskStream } from '../../../domain/risk/decider.ts'
import { reviewWorld, type ReviewWorld } from '../../support/api/access-reviews.ts'
import type { Json } from '../../support/api/access-packages.ts'
import { audited } from '../../support/audit/audit.ts'
import { movableClock } from '../../support/service/movable-clock.ts'
import { system, type TestPerson } from '../../support/service/service.ts'

const namesOf = (items: Json): readonly string[] => items.map(({ userId }: Json) => userId).sort()

describe('GOV-02 access reviews', function () {
  this.timeout(60_000)
  let w: ReviewWorld
  before(async () => {
    w = await reviewWorld()
  })
  after(() => w.service.stop())

  /** A group with members added by hand. */
  const groupOf = async (...members: readonly TestPerson[]): Promise<string> => {
    const groupId = await w.group()
    for (const { userId } of members) await w.ok('PUT', `/groups/${groupId}/members/${userId}`, {})
    return groupId
  }
  const membersOf = async (groupId: string): Promise<readonly string[]> =>
    namesOf(await w.ok('GET', `/groups/${groupId}/members`))
  const decide = (review: Json, item: Json, decision: string, as: TestPerson, more: object = {}) =>
    w.send(
      'POST',
      `/access-reviews/${String(review.id)}/items/${String(item.id)}/decide`,
      { decision, ...more },
      as,
    )

  it('GOV-02 shows who has which access at its start, and nothing that came later', async () => {
    const [bob, eve] = [await w.service.person(), await w.service.person()]
    const groupId = await groupOf(w.ada, bob)
    const draft = w.draft([groupId], [w.manager.userId])
    const { id } = await w.ok('POST', '/access-reviews', draft)
    const [started] = await Promise.all([
      w.ok('POST', `/access-reviews/${String(id)}/start`),
      w.ok('PUT', `/groups/${groupId}/members/${eve.userId}`, {}),
    ])
    expect(started.snapshotAt).to.be.a('string')
    const { counts } = await w.opened(id)
    const items = await w.items(id)
    // Whoever was added at the same moment is in it only if that came before its position.
    await audited(w.service)
    const [added] = await w.ok('GET', `/audit?action=group.member.add&targetId=${groupId}&limit=1`)
    const isBefore = added.position <= started.snapshotAt
    expect(namesOf(items)).to.deep.equal([w.ada.userId, bob.userId, ...(isBefore ? [eve.userId] : [])].sort())
    expect(counts).to.deep.include({ total: items.length, pending: items.length })
    expect(items[0]).to.deep.include({
      resource: { type: 'group', id: groupId, name: items[0].resource.name },
      recommendation: 'none',
      recommendationReason: 'recently_granted',
      decision: 'pending',
      applyStatus: 'none',
    })
    expect(items[0].accessVia[0]).to.deep.include({ via: 'assigned', groupId })
    expect(items[0].reviewers).to.deep.equal([{ id: w.manager.userId, name: 'Mae' }])
    await w.ok('POST', `/access-reviews/${String(id)}/cancel`, { reason: 'A test' })
  })

  it('GOV-02 removes what was revoked when it closes, and keeps the rest', async () => {
    const [bob, eve] = [await w.service.person(), await w.service.person()]
    const groupId = await groupOf(w.ada, bob, eve)
    const review = await w.started(w.draft([groupId], [w.manager.userId]))
    const items = await w.items(review.id)
    const itemOf = ({ userId }: TestPerson) => items.find((item: Json) => item.userId === userId)
    const mine = await w.ok('GET', '/me/reviews', undefined, w.manager)
    expect(mine.find((one: Json) => one.id === review.id)).to.deep.include({ itemsToDecide: 3 })
    expect((await decide(review, itemOf(bob), 'approved', w.manager)).status).to.equal(204)
    // Until the review closes, a decision can be changed.
    expect((await decide(review, itemOf(bob), 'revoked', w.manager)).status).to.equal(204)
    const bulk = { itemIds: [itemOf(w.ada).id, itemOf(eve).id], decision: 'approved' }
    await w.ok('POST', `/access-reviews/${String(review.id)}/items/decide`, bulk, w.manager)
    await w.ok('POST', `/access-reviews/${String(review.id)}/complete`)
    const { counts } = await w.completed(review.id)
    expect(counts).to.deep.include({ total: 3, pending: 0, approved: 2, revoked: 1, applied: 1 })
    expect(await membersOf(groupId)).to.deep.equal([w.ada.userId, eve.userId].sort())
    await audited(w.service)
    const [removed] = await w.ok('GET', `/audit?action=group.member.remove&targetId=${groupId}&limit=1`)
    expect(removed).to.deep.include({ actorId: null, correlationId: review.id, causationId: review.id })
    const [late] = await w.items(review.id, `&userId=${bob.userId}`)
    expect(late.decisions.map(({ decision }: Json) => decision)).to.deep.equal(['approved', 'revoked'])
    expect((await decide(review, late, 'approved', w.manager)).status).to.equal(409)
    await audited(w.service)
    const groupName = String(items[0].resource.name)
    const nameOf = (person: TestPerson) => String(itemOf(person).userName)
    const trail = await w.ok('GET', `/audit?targetId=${String(review.id)}&limit=50`)
    const summaries = trail.map(({ action, summary }: Json) => `${String(action)}: ${String(summary)}`)
    expect(summaries.reverse()).to.deep.equal([
      'access_review.create: Created the access review Review',
      'access_review.start: Started the access review Review',
      'access_review.open: Opened the access review Review with 3 items',
      `access_review.decide: Decided about the access of ${nameOf(bob)} to ${groupName} in the access review Review: approved`,
      `access_review.decide: Decided about the access of ${nameOf(bob)} to ${groupName} in the access review Review: revoked`,
      ...items
        .filter(({ userId }: Json) => userId !== bob.userId)
        .map(
          ({ userName }: Json) =>
            `access_review.decide: Decided about the access of ${String(userName)} to ${groupName} in the access review Review: approved`,
        ),
      'access_review.complete: Ended the access review Review before its time',
      'access_review.apply: Started to apply the decisions of the access review Review',
      `access_review.item.apply: Removed the access of ${nameOf(bob)} to ${groupName}, as the access review Review decided`,
      'access_review.finish: Finished the access review Review: 2 approved, 1 revoked',
    ])
  })

  it('GOV-02 nobody reviews their own access: as reviewer, as fallback, or by reassignment', async () => {
    const groupId = await groupOf(w.ada, w.manager)
    const review = await w.started(
      w.draft([groupId], [w.manager.userId, w.ada.userId], {
        stages: [{ type: 'users', ids: [w.manager.userId], fallbackIds: [w.manager.userId] }],
      }),
    )
    const items = await w.items(review.id)
    const own = items.find(({ userId }: Json) => userId === w.manager.userId)
    // Nobody else was named, so global administrators review it.
    expect(own.reviewers.map(({ id }: Json) => id)).to.deep.equal([w.admin.userId])
    expect((await decide(review, own, 'approved', w.manager)).body.error.code).to.equal('ERR_SELF_APPROVAL')
    const path = `/access-reviews/${String(review.id)}/items/${String(own.id)}/reassign`
    await w.fails([403, 'ERR_SELF_APPROVAL'], 'POST', path, { reviewerId: w.manager.userId }, w.admin)
    await w.fails([403, 'ERR_SELF_APPROVAL'], 'POST', path, { reviewerId: w.ada.userId }, w.manager)
    await w.fails([403, 'ERR_FORBIDDEN'], 'POST', path, { reviewerId: w.owner.userId }, w.ada)
    await w.ok('POST', path, { reviewerId: w.owner.userId }, w.admin)
    expect((await decide(review, own, 'approved', w.owner)).status).to.equal(204)
    const other = items.find(({ userId }: Json) => userId === w.ada.userId)
    expect((await decide(review, other, 'approved', w.owner)).body.error.code).to.equal('ERR_FORBIDDEN')
    const both = { itemIds: [own.id, other.id], decision: 'revoked' }
    const bulk = `/access-reviews/${String(review.id)}/items/decide`
    await w.fails([403, 'ERR_SELF_APPROVAL'], 'POST', bulk, both, w.manager)
    expect((await w.items(review.id, '&decision=revoked')).length).to.equal(0)
  })

  it('GOV-02 ends packages, leaves rules to people, and never takes the last administrator', async () => {
    const pkg = await w.accessPackage()
    const person = await w.service.person({ department: 'Reviewed' })
    await w.ok('POST', `/access-packages/${String(pkg.id)}/assignments`, { userId: person.userId })
    const byRule = await w.ok('POST', '/groups', {
      name: 'Reviewed by rule',
      rule: { match: 'all', conditions: [{ attribute: 'department', operator: 'eq', value: 'Reviewed' }] },
    })
    const granted = w.grantedBy(pkg)
    const groups = await w.started(w.draft([granted, byRule.id], [w.manager.userId]))
    for (const item of await w.items(groups.id)) await decide(groups, item, 'revoked', w.manager)
    await w.ok('POST', `/access-reviews/${String(groups.id)}/complete`)
    expect((await w.completed(groups.id)).counts).to.deep.include({ applied: 1, manual: 1 })
    expect(await membersOf(granted)).to.deep.equal([])
    const [manual] = await w.items(groups.id, '&applyStatus=manual')
    expect(manual.applyError).to.match(/rule of the group Reviewed by rule/)
    expect(await membersOf(byRule.id)).to.deep.equal([person.userId])

    const roles = { scope: { type: 'role', ids: ['global_admin'] } }
    const security = await w.service.person({}, ['security_admin'])
    await w.fails(
      [403, 'ERR_FORBIDDEN'],
      'POST',
      '/access-reviews',
      w.draft([], [w.manager.userId], roles),
      security,
    )
    const review = await w.started(w.draft([], [w.manager.userId], roles))
    const [last] = await w.items(review.id)
    await decide(review, last, 'revoked', w.manager)
    await w.ok('POST', `/access-reviews/${String(review.id)}/complete`)
    expect((await w.completed(review.id)).counts).to.deep.include({ failed: 1 })
    expect((await w.ok('GET', `/users/${w.admin.userId}`)).roleKeys).to.include('global_admin')
  })

  it('GOV-02 access that was given again after the start stays, and the item says so', async () => {
    const bob = await w.service.person()
    const groupId = await groupOf(bob)
    const review = await w.started(w.draft([groupId], [w.manager.userId]))
    const [item] = await w.items(review.id)
    await w.ok('DELETE', `/groups/${groupId}/members/${bob.userId}`)
    await w.ok('PUT', `/groups/${groupId}/members/${bob.userId}`, {})
    await decide(review, item, 'revoked', w.manager)
    await w.ok('POST', `/access-reviews/${String(review.id)}/complete`)
    expect((await w.completed(review.id)).counts).to.deep.include({ applied: 0, manual: 1 })
    expect(await membersOf(groupId)).to.deep.equal([bob.userId])
  })

  it('GOV-02 a package that starts later is not reviewed yet', async () => {
    const pkg = await w.accessPackage()
    const person = await w.service.person()
    await w.ok('POST', `/access-packages/${String(pkg.id)}/assignments`, { userId: person.userId })
    const later = await w.service.person()
    await w.request(pkg.id, { startsAt: new Date(Date.now() + 3_600_000).toISOString() }, later)
    const scope = { scope: { type: 'package', ids: [pkg.id] } }
    const review = await w.started(w.draft([], [w.manager.userId], scope))
    expect(namesOf(await w.items(review.id))).to.deep.equal([person.userId])
    await w.ok('POST', `/access-reviews/${String(review.id)}/cancel`, {})
  })

  it('GOV-02 can be limited to users at a risk or a higher one', async () => {
    const { handle } = w.service.core.services
    const levels = ['low', 'medium', 'high'] as const
    const people = await Promise.all(levels.map(() => w.service.person()))
    for (const [n, level] of levels.entries()) {
      const riskEventId = newId('riskEvent')
      const risk: DetectedRisk = {
        ...{ riskEventId, level, userId: people[n]!.userId, signInId: null, sessionId: null, ip: null },
        ...{ location: null, riskType: 'new_device', detail: {} },
      }
      await handle(riskDecider, riskStream(riskEventId), { type: 'detect', risk }, system)
    }
    const groupId = await groupOf(w.ada, ...people)
    const reviewed = async (riskLevel: string) => {
      const scope = { type: 'group', ids: [groupId], userFilter: { riskLevel } }
      const review = await w.started(w.draft([], [w.manager.userId], { scope }))
      const names = namesOf(await w.items(review.id))
      await w.ok('POST', `/access-reviews/${String(review.id)}/cancel`, {})
      return names
    }
    for (const [n, level] of levels.entries())
      expect(await reviewed(level), level).to.deep.equal(namesOf(people.slice(n)))
  })

  it('GOV-02 can be deleted before its start, and stays as evidence afterwards', async () => {
    const groupId = await groupOf(w.ada)
    const scheduled = await w.ok('POST', '/access-reviews', w.draft([groupId], [w.manager.userId]))
    const path = `/access-reviews/${String(scheduled.id)}`
    await w.ok('POST', `${path}/cancel`, {})
    await w.ok('DELETE', path)
    await w.fails([404, 'ERR_NOT_FOUND'], 'GET', path, undefined)
    await w.fails([404, 'ERR_NOT_FOUND'], 'DELETE', path, undefined)
    await w.fails([404, 'ERR_NOT_FOUND'], 'POST', `${path}/start`, undefined)
    await audited(w.service)
    const [entry] = await w.ok('GET', `/audit?action=access_review.delete&targetId=${String(scheduled.id)}`)
    expect(entry.summary).to.equal('Deleted the access review Review')

    const started = await w.started(w.draft([groupId], [w.manager.userId]))
    for (const end of ['', '/cancel']) {
      if (end !== '') await w.ok('POST', `/access-reviews/${String(started.id)}${end}`, {})
      await w.fails([409, 'ERR_CONFLICT'], 'DELETE', `/access-reviews/${String(started.id)}`, undefined)
    }
  })

  it('GOV-02 reminds once on each of its days, also if a day was missed', async () => {
    const groupId = await groupOf(w.ada)
    const review = await w.started(
      w.draft([groupId], [w.manager.userId], { settings: { reminders: [10, 7, 1] } }),
    )
    const clock = movableClock(w.service.core.services.clock)
    const run = w.duty(clock)
    const reminders = async (): Promise<readonly string[]> => {
      await run()
      await run()
      await audited(w.service)
      const trail = await w.ok('GET', `/audit?action=access_review.remind&targetId=${String(review.id)}`)
      return trail.map(({ summary }: Json) => /\d+ days?/.exec(summary)?.[0]).reverse()
    }
    expect(await reminders()).to.deep.equal([])
    clock.forward(8)
    expect(await reminders()).to.deep.equal(['7 days'])
    clock.forward(5.5)
    expect(await reminders()).to.deep.equal(['7 days', '1 day'])
    await w.ok('POST', `/access-reviews/${String(review.id)}/cancel`, {})
  })

  it('GOV-02 two stages decide one after the other, and silence follows the settings', async () => {
    const [bob, eve] = [await w.service.person(), await w.service.person()]
    const groupId = await groupOf(w.ada, bob, eve)
    const by = ({ userId }: TestPerson) => ({ type: 'users', ids: [userId], fallbackIds: [] })
    const review = await w.started(
      w.draft([groupId], [], {
        stages: [by(w.manager), by(w.owner)],
        settings: { onNoResponse: 'revoke', autoApply: false, justificationRequired: 'on_revoke' },
      }),
    )
    const items = await w.items(review.id)
    const itemOf = ({ userId }: TestPerson) => items.find((item: Json) => item.userId === userId)
    expect((await decide(review, itemOf(bob), 'approved', w.owner)).status).to.equal(403)
    expect((await decide(review, itemOf(bob), 'revoked', w.manager)).body.error.field).to.equal(
      '/justification',
    )
    await decide(review, itemOf(bob), 'revoked', w.manager, { justification: 'Left the project' })
    await decide(review, itemOf(w.ada), 'approved', w.manager)
    expect((await decide(review, itemOf(bob), 'approved', w.manager)).status).to.equal(403)
    expect((await decide(review, itemOf(bob), 'approved', w.owner)).status).to.equal(204)
    await w.ok('POST', `/access-reviews/${String(review.id)}/complete`)
    const decisions = async () =>
      Object.fromEntries((await w.items(review.id)).map(({ userId, decision }: Json) => [userId, decision]))
    for (let open = true; open;) open = Object.values(await decisions()).includes('pending')
    // The first stage counts where the second was silent.
    expect(await decisions()).to.deep.equal({
      [bob.userId]: 'approved',
      [w.ada.userId]: 'approved',
      [eve.userId]: 'revoked',
    })
    expect((await w.read(review.id)).status).to.equal('closed')
    await w.ok('POST', `/access-reviews/${String(review.id)}/apply`)
    await w.completed(review.id)
    expect(await membersOf(groupId)).to.deep.equal([w.ada.userId, bob.userId].sort())
  })

  it('GOV-02 repeats every month for a year, once each, also after a pause of the service', async () => {
    const groupId = await groupOf(w.ada)
    const clock = movableClock(w.service.core.services.clock)
    const run = w.duty(clock)
    const startsAt = new Date(Date.now() + 86_400_000).toISOString()
    await w.ok(
      'POST',
      '/access-reviews',
      w.draft([groupId], [w.manager.userId], {
        name: 'Monthly',
        schedule: { startsAt, durationDays: 5, repeat: 'monthly' },
      }),
    )
    const monthly = (): Promise<Json> => w.ok('GET', '/access-reviews?q=Monthly&limit=200')
    for (let day = 0; day < 370; day += 5) {
      clock.forward(5)
      for (let step = 0; step < 3; step++) await run()
    }
    const year = await monthly()
    expect(year.filter(({ status }: Json) => status === 'completed').length).to.be.within(12, 13)
    expect(year.filter(({ status }: Json) => status === 'scheduled').length).to.equal(1)
    expect(new Set(year.map(({ schedule }: Json) => schedule.startsAt)).size).to.equal(year.length)
    clock.forward(100)
    for (let step = 0; step < 6; step++) await run()
    expect((await monthly()).length).to.equal(year.length + 1)
  })

  it('GOV-01 GOV-02 reviews a package every so many days from its publication, once each, also after a pause', async () => {
    const clock = movableClock(w.service.core.services.clock)
    const run = w.duty(clock)
    const reviewers = { type: 'owners', ids: [], fallbackIds: [w.manager.userId] }
    const pkg = await w.accessPackage({
      ownerIds: [w.owner.userId],
      review: { everyDays: 30, reviewers },
    })
    await w.ok('POST', `/access-packages/${String(pkg.id)}/assignments`, { userId: w.ada.userId })
    const read = (): Promise<Json> => w.ok('GET', `/access-packages/${String(pkg.id)}`)
    const days = async (): Promise<number> =>
      Math.round((Date.parse((await read()).nextReviewAt) - Date.parse(clock.now())) / 86_400_000)
    const reviews = (): Promise<Json> => w.ok('GET', `/access-reviews?resourceId=${String(pkg.id)}`)
    expect(await days()).to.equal(30)
    await run()
    expect(await reviews()).to.have.lengthOf(0)
    clock.forward(31)
    for (let step = 0; step < 3; step++) await run()
    const [first, ...others] = await reviews()
    expect(others).to.have.lengthOf(0)
    expect(first).to.deep.include({ name: pkg.name, status: 'active', stages: [reviewers] })
    expect(first.schedule).to.deep.include({ durationDays: 14, repeat: 'none' })
    expect(await days()).to.equal(30)
    const [item] = await w.items(first.id)
    expect(item.reviewers).to.deep.equal([{ id: w.owner.userId, name: 'Otto' }])
    // Three months without a worker are one review, not three.
    clock.forward(95)
    for (let step = 0; step < 6; step++) await run()
    expect(await reviews()).to.have.lengthOf(2)
    // Other reviewers do not postpone it; another interval counts from its change.
    await w.ok('PATCH', `/access-packages/${String(pkg.id)}`, {
      review: { everyDays: 30, reviewers: { ...reviewers, fallbackIds: [] } },
    })
    expect(await days()).to.equal(30)
    await w.ok('PATCH', `/access-packages/${String(pkg.id)}`, { review: null })
    expect((await read()).nextReviewAt).to.equal(null)
    clock.forward(40)
    for (let step = 0; step < 3; step++) await run()
    expect(await reviews()).to.have.lengthOf(2)
  })

  it('GOV-01 a group whose members review a package cannot be deleted, and unknown reviewers are refused', async () => {
    const groupId = await w.group()
    const reviewers = { type: 'groups', ids: [groupId], fallbackIds: [] }
    const pkg = await w.accessPackage({ review: { everyDays: 7, reviewers } })
    const { message } = await w.fails([409, 'ERR_CONFLICT'], 'DELETE', `/groups/${groupId}`, undefined)
    expect(message).to.include(pkg.name)
    const unknown = `usr_${'0'.repeat(26)}`
    const body = { review: { everyDays: 7, reviewers: { type: 'users', ids: [unknown], fallbackIds: [] } } }
    const refused = await w.fails([422, 'ERR_INVALID'], 'PATCH', `/access-packages/${String(pkg.id)}`, body)
    expect(refused.field).to.equal('/review/reviewers/ids/0')
  })

  it('GOV-02 the settings and the end of a new review have defaults', async () => {
    const groupId = await groupOf(w.ada)
    const created = await w.ok('POST', '/access-reviews', {
      name: 'Short',
      scope: { type: 'group', ids: [groupId] },
      stages: [{ type: 'manager', ids: [], fallbackIds: [] }],
      schedule: { startsAt: new Date(Date.now() + 86_400_000).toISOString() },
      settings: { onNoResponse: 'revoke' },
    })
    expect(created.schedule).to.deep.include({ durationDays: 14, repeat: 'none' })
    expect(created.settings).to.deep.equal({
      ...{ justificationRequired: 'on_revoke', selfReview: false, bulkDecisions: true, reminders: [] },
      ...{ recommendationInactiveDays: 30, onNoResponse: 'revoke', autoApply: true },
    })
  })
})
