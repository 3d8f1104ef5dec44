import fc, { type Arbitrary } from 'fast-check'
import type { AccessReviewCommand } from '../../../domain/access-review/decider.ts'
import type { AccessReviewFields, ReviewItem } from '../../../domain/access-review/events.ts'
import type { ReviewItemCommand } from '../../../domain/access-review/item.ts'
import type { RecordItems } from '../../../domain/access-review/population.ts'
import { at, id } from '../fixed.ts'
import { command, maybe, text } from './commands.ts'

// Random commands over few ids and moments, so that they often affect each other.
const reviewId = fc.constant(id('accessReview'))
const moment = fc.integer({ min: 0, max: 9 }).map(at)
const person = fc.integer({ min: 1, max: 4 }).map((n) => id('user', n))
const decision = fc.constantFrom('approved' as const, 'revoked' as const, 'abstained' as const)

const settings = {
  justificationRequired: 'never',
  selfReview: false,
  bulkDecisions: true,
  reminders: [1],
  recommendationInactiveDays: 30,
  onNoResponse: 'keep',
  autoApply: true,
} as const

const fields: Arbitrary<AccessReviewFields> = text.map((name) => ({
  name,
  scope: { type: 'group', ids: [id('group')] },
  stages: [{ type: 'users', ids: [id('user', 1)], fallbackIds: [] }],
  schedule: { startsAt: at(1), durationDays: 2, repeat: 'none' },
  settings,
}))

export const accessReviewCommands: Arbitrary<AccessReviewCommand> = fc.oneof(
  command<AccessReviewCommand>('create', { reviewId, fields, authorId: person }),
  command<AccessReviewCommand>('update', { reviewId, fields: fc.record({ name: text }) }),
  command<AccessReviewCommand>('start', { reviewId, position: fc.constant('1'), now: moment }),
  command<AccessReviewCommand>('open', { reviewId, parts: fc.nat(2), items: fc.nat(9) }),
  command<AccessReviewCommand>('remind', { reviewId, daysLeft: fc.nat(2) }),
  command<AccessReviewCommand>('close', { reviewId, reason: fc.constant('ended') }),
  command<AccessReviewCommand>('apply', { reviewId }),
  command<AccessReviewCommand>('complete', {
    reviewId,
    counts: fc.constant({
      total: 1,
      approved: 1,
      revoked: 0,
      abstained: 0,
      applied: 0,
      failed: 0,
      manual: 0,
    }),
  }),
  command<AccessReviewCommand>('cancel', { reviewId, reason: maybe(text) }),
  command<AccessReviewCommand>('delete', { reviewId }),
)

const resource = { type: 'group', id: id('group'), name: 'Payroll' } as const

const item = (n: number): ReviewItem => ({
  itemId: id('accessReviewItem', n),
  userId: id('user', n),
  resource,
  paths: [{ via: 'assigned', groupId: id('group'), groupName: 'Payroll', since: at(0) }],
  recommendation: 'none',
  reason: 'recently_granted',
  reviewers: [[id('user', 4)]],
})

export const recordCommands: Arbitrary<RecordItems> = fc.nat(3).map((part) => ({
  type: 'record',
  reviewId: id('accessReview'),
  part,
  items: [item(part + 1)],
}))

/** About the access of the first user. */
const subject = {
  reviewId,
  itemId: fc.constant(id('accessReviewItem')),
  userId: fc.constant(id('user', 1)),
  resource: fc.constant(resource),
  reviewers: fc.constant([[id('user', 2), id('user', 3)], [id('user', 4)]]),
}
const ruled = fc.constant({ selfReview: false, justificationRequired: 'never' as const })

export const reviewItemCommands: Arbitrary<ReviewItemCommand> = fc.oneof(
  command<ReviewItemCommand>('decide', {
    ...{ ...subject, byUserId: person, decision, justification: maybe(text), settings: ruled },
  }),
  command<ReviewItemCommand>('decide_unanswered', { ...subject, decision }),
  command<ReviewItemCommand>('reassign', {
    ...{ ...subject, byUserId: person, isAdministrator: fc.boolean(), reviewerId: person },
    selfReview: fc.constant(false),
  }),
  command<ReviewItemCommand>('record_applied', {
    ...{ ...subject, expected: decision, status: fc.constantFrom('applied', 'failed', 'manual') },
    error: maybe(text),
  }),
)
