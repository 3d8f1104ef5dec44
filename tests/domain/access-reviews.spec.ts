import { expect } from 'chai'
import { accessReviewDecider } from '../../domain/access-review/decider.ts'
import type { AccessReviewEvent, AccessReviewFields } from '../../domain/access-review/events.ts'
import { reviewItemDecider, type ReviewItemCommand } from '../../domain/access-review/item.ts'
import { populationDecider } from '../../domain/access-review/population.ts'
import { recommend } from '../../domain/access-review/recommendation.ts'
import { nextStart } from '../../domain/access-review/recurrence.ts'
import { reviewersOf, type ReviewerFacts } from '../../domain/access-review/reviewers.ts'
import * as reviews from '../support/domain/access-reviews.ts'
import { given } from '../support/domain/given.ts'
import { eventsOf, play, runs } from '../support/domain/histories.ts'
import { at, id } from '../support/fixed.ts'

const reviewId = id('accessReview')
const fields: AccessReviewFields = {
  name: 'Payroll',
  scope: { type: 'group', ids: [id('group')] },
  stages: [{ type: 'manager', ids: [], fallbackIds: [] }],
  schedule: { startsAt: at(0), durationDays: 14, repeat: 'none' },
  settings: {
    justificationRequired: 'on_revoke',
    selfReview: false,
    bulkDecisions: true,
    reminders: [7, 1],
    recommendationInactiveDays: 30,
    onNoResponse: 'keep',
    autoApply: true,
  },
}
const created: AccessReviewEvent = {
  type: 'access_review.created',
  data: { reviewId, authorId: null, ...fields },
}
const started: AccessReviewEvent = {
  type: 'access_review.started',
  data: { reviewId, position: '7', startedAt: at(0), endsAt: at(14 * 86_400) },
}
const opened: AccessReviewEvent = { type: 'access_review.opened', data: { reviewId, parts: 1, items: 2 } }
const closed: AccessReviewEvent = { type: 'access_review.closed', data: { reviewId, reason: 'ended' } }

describe('access reviews', () => {
  it('GOV-02 starts once, at a position, for its days', () => {
    const start = { type: 'start', reviewId, position: '7', now: at(0) } as const
    given(accessReviewDecider, created).when(start).then(started)
    given(accessReviewDecider, created, started)
      .when(start)
      .refuses('ERR_CONFLICT', /already started/)
    given(accessReviewDecider, created, started)
      .when({ type: 'update', reviewId, fields: { name: 'Other' } })
      .refuses('ERR_CONFLICT', /has started/)
  })

  it('GOV-02 ends only once its items are known, and is applied only then', () => {
    const close = { type: 'close', reviewId, reason: 'ended' } as const
    given(accessReviewDecider, created, started)
      .when(close)
      .refuses('ERR_CONFLICT', /being collected/)
    given(accessReviewDecider, created, started, opened).when(close).then(closed)
    given(accessReviewDecider, created, started, opened)
      .when({ type: 'apply', reviewId })
      .refuses('ERR_CONFLICT', /closed/)
    given(accessReviewDecider, created, started, opened, closed)
      .when({ type: 'cancel', reviewId })
      .refuses('ERR_CONFLICT')
  })

  it('GOV-02 reminds once for each of its days', () => {
    const remind = { type: 'remind', reviewId, daysLeft: 7 } as const
    const reminded = { type: 'access_review.reminded', data: { reviewId, daysLeft: 7 } } as const
    given(accessReviewDecider, created, started, opened).when(remind).then(reminded)
    given(accessReviewDecider, created, started, opened, reminded).when(remind).changesNothing()
  })

  it('GOV-02 settings that contradict each other are refused, and the field is named', () => {
    const cases: readonly (readonly [Partial<AccessReviewFields>, string])[] = [
      [{ scope: { type: 'group', ids: [id('user')] } }, '/scope/ids/0'],
      [{ scope: { type: 'role', ids: ['king'] } }, '/scope/ids/0'],
      [{ stages: [{ type: 'users', ids: [], fallbackIds: [] }] }, '/stages/0/ids'],
      [{ stages: [{ type: 'manager', ids: [id('user')], fallbackIds: [] }] }, '/stages/0/ids'],
      [{ stages: [{ type: 'self', ids: [], fallbackIds: [] }] }, '/stages/0/type'],
      [{ settings: { ...fields.settings, reminders: [14] } }, '/settings/reminders/0'],
    ]
    for (const [change, field] of cases)
      given(accessReviewDecider)
        .when({ type: 'create', reviewId, authorId: null, fields: { ...fields, ...change } })
        .refuses('ERR_INVALID', null, field)
  })

  it('GOV-02 repeats at the next of its times, on the last day of shorter months', () => {
    const january = '2026-01-31T08:00:00.000000Z'
    expect(nextStart(january, 'none', january)).to.equal(null)
    expect(nextStart(january, 'monthly', january)).to.equal('2026-02-28T08:00:00.000000Z')
    expect(nextStart(january, 'monthly', '2026-07-04T00:00:00.000000Z')).to.equal(
      '2026-07-31T08:00:00.000000Z',
    )
    // The day comes back after a shorter month.
    expect(nextStart(january, 'monthly', '2026-02-28T08:00:00.000000Z')).to.equal(
      '2026-03-31T08:00:00.000000Z',
    )
    expect(nextStart(january, 'annual', january)).to.equal('2027-01-31T08:00:00.000000Z')
  })

  it('GOV-02 recommends by use, and says why', () => {
    const since = at(50)
    expect(recommend({ isActive: true, since: at(0), lastUsedAt: at(60) }, since).reason).to.equal(
      'recently_used',
    )
    expect(recommend({ isActive: true, since: at(0), lastUsedAt: at(40) }, since)).to.deep.equal({
      recommendation: 'revoke',
      reason: 'not_used',
    })
    expect(recommend({ isActive: true, since: at(55), lastUsedAt: null }, since).recommendation).to.equal(
      'none',
    )
    expect(recommend({ isActive: false, since: at(0), lastUsedAt: at(60) }, since).reason).to.equal(
      'user_not_active',
    )
  })

  it('GOV-02 somebody else always reviews: the stage, its fallback, or global administrators', () => {
    const [user, manager, other, root] = [1, 2, 3, 4].map((n) => id('user', n)) as [
      string,
      string,
      string,
      string,
    ]
    const facts: ReviewerFacts = {
      managerId: manager,
      ownerIds: [user],
      named: [[user, other]],
      fallback: [[other]],
      administrators: [root],
    }
    const by = (
      type: 'manager' | 'owners' | 'users' | 'self',
      some: Partial<ReviewerFacts> = {},
      selfReview = false,
    ) => reviewersOf(user, [{ type, ids: [], fallbackIds: [] }], selfReview, { ...facts, ...some })
    expect(by('manager')).to.deep.equal([[manager]])
    expect(by('manager', { managerId: null })).to.deep.equal([[other]])
    expect(by('owners')).to.deep.equal([[other]])
    expect(by('users')).to.deep.equal([[other]])
    expect(by('owners', { fallback: [[user]] })).to.deep.equal([[root]])
    expect(by('self', {}, true)).to.deep.equal([[user]])
  })

  it('EVT-03 of access reviews, their populations and items', () => {
    runs(reviews.accessReviewCommands, (commands) => void play(accessReviewDecider, commands))
    runs(reviews.recordCommands, (commands) => void play(populationDecider, commands))
    runs(reviews.reviewItemCommands, (commands) => void play(reviewItemDecider, commands))
  })
  it('GOV-02 nobody ever decides about their own access, nor does anybody who was not asked', () => {
    runs(reviews.reviewItemCommands, (commands) => {
      play(reviewItemDecider, commands, ({ command, before, decision }) => {
        for (const { type, data } of eventsOf(decision)) {
          if (type === 'access_review.item_reassigned') expect(data.reviewerIds).not.to.include(data.userId)
          if (type !== 'access_review.item_decided' || data.reviewerId === null) continue
          expect(data.reviewerId).not.to.equal(data.userId)
          expect(before.reviewerIds ?? command.reviewers[before.stage - 1]).to.include(data.reviewerId)
        }
      })
    })
  })

  it('GOV-02 what was applied is the last decision, and is not decided again', () => {
    runs(reviews.reviewItemCommands, (commands) => {
      play(reviewItemDecider, commands, ({ command, before, decision }) => {
        for (const { type } of eventsOf(decision)) {
          if (type === 'access_review.item_decided') expect(before.applied).to.equal(null)
          if (type === 'access_review.item_applied' && command.type === 'record_applied')
            expect([before.isFinal, before.decision]).to.deep.equal([true, command.expected])
        }
      })
    })
  })

  it('GOV-02 a decision that nobody made follows the stage before, if there is one', () => {
    const subject = {
      reviewId,
      itemId: id('accessReviewItem'),
      userId: id('user', 1),
      resource: { type: 'group', id: id('group'), name: 'Payroll' },
    } as const
    const reviewers = [[id('user', 2)], [id('user', 3)]]
    const silence: ReviewItemCommand = {
      type: 'decide_unanswered',
      ...subject,
      reviewers,
      decision: 'approved',
    }
    const first = {
      type: 'access_review.item_decided',
      data: { ...subject, stage: 1, decision: 'revoked', final: false, reviewerId: id('user', 2) },
    } as const
    given(reviewItemDecider, first)
      .when(silence)
      .then({
        type: 'access_review.item_decided',
        data: { ...subject, stage: 2, final: true, reviewerId: null, decision: 'revoked' },
      })
  })
})
