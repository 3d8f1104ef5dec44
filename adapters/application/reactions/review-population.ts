/** Records who has which access at the position of a review, in parts. */
import type { ReviewItem, ReviewStage } from '../../../domain/access-review/events.ts'
import {
  populationDecider,
  populationStream,
  type PopulationState,
} from '../../../domain/access-review/population.ts'
import { recommend } from '../../../domain/access-review/recommendation.ts'
import { reviewersOf, type ReviewerFacts } from '../../../domain/access-review/reviewers.ts'
import { secondsAfter } from '../../../domain/time.ts'
import type { AccessReviewRow } from '../../../read-models/queries/access-reviews.ts'
import { activeGlobalAdmins } from '../../../read-models/queries/administrators.ts'
import { activeAmong, heldAccess, type HeldAccess } from '../../../read-models/queries/review-population.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'

/** Items of one event. The projection numbers items by it. */
const PART = 500
/** Items read at once: each read of a page looks at everybody who comes after it, too. */
const PAGE = 10 * PART
const DAY = 86_400

type StageFacts = Pick<ReviewerFacts, 'named' | 'fallback' | 'administrators'>

/**
 * Continues after the parts that are recorded already.
 * @returns how many parts and items the population has
 */
export const recordPopulation = async (
  { handle, pool, clock }: Pick<Services, 'handle' | 'pool' | 'clock'>,
  review: AccessReviewRow,
  actor: Actor,
): Promise<Pick<PopulationState, 'parts' | 'items'>> => {
  const { id: reviewId, scope, stages, settings } = review
  const { startedAt, snapshotAt } = review
  if (startedAt === null || snapshotAt === null) throw new Error(`the review ${reviewId} has not started`)
  const past = { at: startedAt, cut: snapshotAt }
  const unusedSince = secondsAfter(startedAt, -settings.recommendationInactiveDays * DAY)
  const { groupIds, inactiveDays, riskLevel } = scope.userFilter ?? {}
  const filter = {
    groupIds,
    inactiveSince: inactiveDays === undefined ? undefined : secondsAfter(startedAt, -inactiveDays * DAY),
    riskLevel,
  }

  const namedIn = ({ type, ids }: ReviewStage): Promise<readonly string[]> =>
    activeAmong(pool, type === 'users' ? ids : [], type === 'groups' ? ids : [], clock.now())
  const facts: StageFacts = {
    named: await Promise.all(stages.map(namedIn)),
    fallback: await Promise.all(
      stages.map(({ fallbackIds }) => activeAmong(pool, fallbackIds, [], clock.now())),
    ),
    administrators: await activeGlobalAdmins(pool),
  }

  const itemOf = (held: HeldAccess): ReviewItem => {
    const { userId, isActive, managerId, ownerIds, resource, paths, lastUsedAt } = held
    const since = paths.map((path) => path.since).sort()[0] ?? startedAt
    return {
      itemId: idsFor(`${reviewId}|${userId}|${resource.id}`).newId('accessReviewItem'),
      ...{ userId, resource, paths: paths.map(withoutNulls) },
      ...(lastUsedAt === null ? {} : { lastUsedAt }),
      ...recommend({ isActive, since, lastUsedAt }, unusedSince),
      reviewers: reviewersOf(userId, stages, settings.selfReview, { ...facts, managerId, ownerIds }),
    }
  }

  const record = async (done: PopulationState, items: readonly ReviewItem[]): Promise<PopulationState> => {
    const part = done.parts
    // The parts together can be larger than everything else in the log: only the first attempt reads them.
    const presumed = part === 0 ? {} : { presumed: { state: done, revision: part - 1 } }
    const { state } = await handle(
      populationDecider,
      populationStream(reviewId),
      { type: 'record', reviewId, part, items },
      { ...actor, idempotencyKey: `${reviewId}|part|${String(part)}` },
      { wait: 'left_to_caller', ...presumed },
    )
    return state
  }

  /** The source that an item comes from */
  const sourceOf = ({ userId, resource }: ReviewItem): string =>
    scope.type === 'user' || scope.type === 'service_account' ? userId : resource.id

  let done: PopulationState = { parts: 0, items: 0, last: null }
  let waiting: readonly ReviewItem[] = []
  /** @returns whether another attempt has recorded more than this one has read */
  const flush = async (): Promise<boolean> => {
    const part = done.parts
    done = await record(done, waiting.slice(0, PART))
    waiting = waiting.slice(PART)
    return done.parts > part + 1
  }
  interface Cursor {
    /** Index of the source */
    readonly from: number
    readonly after?: readonly [userId: string, resourceId: string]
  }
  const afterRecorded = (): Cursor => {
    const { last } = done
    if (last === null) return { from: 0 }
    return { from: scope.ids.indexOf(sourceOf(last)), after: [last.userId, last.resource.id] }
  }

  let cursor: Cursor = { from: 0 }
  while (cursor.from < scope.ids.length) {
    const { from, after } = cursor
    const source = { type: scope.type, id: scope.ids[from] ?? '' }
    const page = await heldAccess(pool, source, past, filter, PAGE, after)
    waiting = [...waiting, ...page.map(itemOf)]
    const end = page.at(-1)
    cursor =
      end === undefined || page.length < PAGE
        ? { from: from + 1 }
        : { from, after: [end.userId, end.resource.id] }
    const isLast = cursor.from === scope.ids.length
    while (waiting.length >= PART || (isLast && waiting.length > 0))
      if (await flush()) {
        waiting = []
        cursor = afterRecorded()
      }
  }
  return done
}

const withoutNulls = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null)) as T
