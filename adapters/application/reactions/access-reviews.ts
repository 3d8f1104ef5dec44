/**
 * What time brings to access reviews: they start, their population is recorded, reviewers are reminded, they end, and
 * their decisions are applied. Every step can be repeated, on any instance: what is recorded already is not recorded
 * again.
 */
import { accessReviewDecider, accessReviewStream } from '../../../domain/access-review/decider.ts'
import type { AccessReviewFields, ItemDecision, ReviewCounts } from '../../../domain/access-review/events.ts'
import { reviewItemDecider, reviewItemStream } from '../../../domain/access-review/item.ts'
import { nextStart } from '../../../domain/access-review/recurrence.ts'
import { usualReviewSchedule, usualReviewSettings } from '../../../domain/access-review/settings.ts'
import { DomainError } from '../../../domain/errors.ts'
import { secondsAfter, type Instant } from '../../../domain/time.ts'
import { duePackageReviews, type DuePackageReview } from '../../../read-models/queries/access-packages.ts'
import {
  findAccessReview,
  listReviewItems,
  dueReviews,
  type AccessReviewItemRow,
  type AccessReviewRow,
} from '../../../read-models/queries/access-reviews.ts'
import { corePosition } from '../../../read-models/queries/core-position.ts'
import { presumedItem, reviewUse, subjectOf } from '../commands/access-reviews.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'
import { idsFor } from '../../kernel/ids.ts'
import { reviewApplication } from './review-application.ts'
import { recordPopulation } from './review-population.ts'

/** Items per page, and pages of one run: the next run continues. */
const PAGE = 500
const PAGES = 20
/** How many times the usual wait a large change may take until it is in effect. */
const ROUNDS = 10
const MOST_REVIEWS = 1000
const DAY = 86_400

/** The reminder that is due, if reviewers did not get it: the last one of those whose time has come. */
const dueReminder = ({ settings, endsAt, reminded }: AccessReviewRow, now: Instant): number | null => {
  if (endsAt === null || now >= endsAt) return null
  const due = settings.reminders.filter((days) => secondsAfter(endsAt, -days * DAY) <= now)
  const last = Math.min(...due)
  return due.length === 0 || reminded.includes(last) ? null : last
}

const unanswered = (
  { recommendation }: AccessReviewItemRow,
  onNoResponse: AccessReviewRow['settings']['onNoResponse'],
): ItemDecision => {
  if (onNoResponse === 'recommendation') return recommendation === 'revoke' ? 'revoked' : 'approved'
  return onNoResponse === 'revoke' ? 'revoked' : 'approved'
}

export const accessReviewDuty = (
  services: Pick<Services, 'handle' | 'handleMany' | 'inForce' | 'locks' | 'pool' | 'clock'>,
  system: () => Actor,
) => {
  const { handle, handleMany, locks, pool, clock } = services
  const applyPage = reviewApplication(services)

  /** Another instance, or an administrator, may have done it, or deleted the review, at the same moment. */
  const send = async (
    reviewId: string,
    command: Parameters<typeof accessReviewDecider.decide>[0],
  ): Promise<void> => {
    await handle(accessReviewDecider, accessReviewStream(reviewId), command, system()).catch(
      (error: unknown) => {
        if (
          !(error instanceof DomainError && (error.code === 'ERR_CONFLICT' || error.code === 'ERR_NOT_FOUND'))
        )
          throw error
      },
    )
  }

  /** A recurring review is created once it starts, so that there is always one more. */
  const createNext = async (review: AccessReviewRow): Promise<void> => {
    const { id, name, description, scope, stages, schedule, settings } = review
    const seriesStartsAt = review.seriesStartsAt ?? schedule.startsAt
    const now = clock.now()
    const after = now > schedule.startsAt ? now : schedule.startsAt
    const startsAt = nextStart(seriesStartsAt, schedule.repeat, after)
    if (startsAt === null) return
    const idempotencyKey = `${id}|next`
    const reviewId = idsFor(idempotencyKey).newId('accessReview')
    const fields = {
      ...{ name, scope, stages, settings, schedule: { ...schedule, startsAt } },
      ...(description === null ? {} : { description }),
    }
    await handle(
      accessReviewDecider,
      accessReviewStream(reviewId),
      {
        type: 'create',
        reviewId,
        fields,
        authorId: review.authorId,
        origin: { previousReviewId: id, seriesStartsAt },
      },
      { ...system(), idempotencyKey },
    )
  }

  /** The projection moves the package's date on with the review that this creates. */
  const createOfPackage = async ({ id, name, review, dueAt }: DuePackageReview): Promise<void> => {
    const idempotencyKey = `${id}|review|${dueAt}`
    const reviewId = idsFor(idempotencyKey).newId('accessReview')
    const { everyDays, reviewers } = review
    // It ends before the next one starts.
    const durationDays = Math.min(usualReviewSchedule.durationDays, everyDays)
    const fields: AccessReviewFields = {
      name,
      scope: { type: 'package', ids: [id] },
      stages: [reviewers],
      schedule: { startsAt: clock.now(), durationDays, repeat: 'none' },
      settings: usualReviewSettings,
    }
    await handle(
      accessReviewDecider,
      accessReviewStream(reviewId),
      { type: 'create', reviewId, fields, authorId: null, origin: { ofPackageId: id } },
      { ...system(), idempotencyKey },
    )
  }

  const open = async (review: AccessReviewRow): Promise<void> => {
    const { parts, items } = await recordPopulation(services, review, system())
    await createNext(review)
    await send(review.id, { type: 'open', reviewId: review.id, parts, items })
  }

  const closeInTime = (reviewId: string): Promise<unknown> =>
    locks.alone(reviewUse(reviewId), () => send(reviewId, { type: 'close', reviewId, reason: 'ended' }))

  /** Decides what nobody has decided, a few pages at a time. @returns whether nothing is left */
  const decideUnanswered = async ({ id, settings }: AccessReviewRow): Promise<boolean> => {
    for (let page = 1; page <= PAGES; page++) {
      const items = await listReviewItems(pool, id, { decision: 'pending' }, PAGE)
      if (items.length === 0) return true
      const commands = items.map((item) => ({
        stream: reviewItemStream(item.id),
        command: {
          ...{ type: 'decide_unanswered' as const, ...subjectOf(item) },
          decision: unanswered(item, settings.onNoResponse),
        },
        presumed: presumedItem(item),
      }))
      await handleMany(reviewItemDecider, commands, system(), ROUNDS)
    }
    return false
  }

  const applyDecisions = async ({ id, authorId }: AccessReviewRow): Promise<boolean> => {
    for (let page = 1; page <= PAGES; page++) {
      const items = await listReviewItems(pool, id, { applyStatus: 'pending' }, PAGE)
      if (items.length === 0) return true
      // What it removes names the review as its cause.
      await applyPage(items, authorId, { ...system(), correlationId: id, causationId: id })
    }
    return false
  }

  const complete = async (reviewId: string): Promise<void> => {
    const review = await findAccessReview(pool, reviewId)
    if (review === null) return
    const { pending: _, ...counts } = review.counts
    await send(reviewId, { type: 'complete', reviewId, counts: counts satisfies ReviewCounts })
  }

  const advance = async (review: AccessReviewRow): Promise<void> => {
    const { id: reviewId, status, openedAt, endsAt, settings } = review
    const now = clock.now()
    switch (status) {
      case 'scheduled':
        await send(reviewId, { type: 'start', reviewId, position: await corePosition(pool), now })
        return
      case 'active': {
        if (openedAt === null) return open(review)
        if (endsAt !== null && endsAt <= now) {
          await closeInTime(reviewId)
          return
        }
        const daysLeft = dueReminder(review, now)
        if (daysLeft !== null) await send(reviewId, { type: 'remind', reviewId, daysLeft })
        return
      }
      case 'closed':
        if ((await decideUnanswered(review)) && settings.autoApply)
          await send(reviewId, { type: 'apply', reviewId })
        return
      case 'applying':
        if (await applyDecisions(review)) await complete(reviewId)
        return
      case 'completed':
      case 'cancelled':
        return
    }
  }

  /** Goes through the steps whose time has come. */
  const advanceAll = async (id: string): Promise<void> => {
    for (let version = -1; ;) {
      const review = await findAccessReview(pool, id)
      if (review === null || review.version === version) return
      version = review.version
      await advance(review)
    }
  }

  return async (): Promise<void> => {
    const failures: unknown[] = []
    for (const due of await duePackageReviews(pool, clock.now(), MOST_REVIEWS))
      await createOfPackage(due).catch((error: unknown) => failures.push(error))
    for (const id of await dueReviews(pool, clock.now(), MOST_REVIEWS))
      await advanceAll(id).catch((error: unknown) => failures.push(error))
    // One that fails does not hold up the others.
    if (failures.length > 0) throw failures[0]
  }
}
