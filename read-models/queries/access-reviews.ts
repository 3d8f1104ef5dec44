import type pg from 'pg'
import type { AccessReviewStatus } from '../../domain/access-review/decider.ts'
import type {
  ApplyStatus,
  ItemDecision,
  Recommendation,
  RecommendationReason,
  ReviewCounts,
  ReviewedPath,
  ReviewedResource,
  ReviewScope,
  ReviewSettings,
  ReviewStage,
  ReviewRepeat,
} from '../../domain/access-review/events.ts'
import type { Id } from '../../domain/ids.ts'
import type { Instant } from '../../domain/time.ts'
import { parameters, prefixPattern } from './page.ts'

export interface AccessReviewRow {
  readonly id: Id<'accessReview'>
  readonly name: string
  readonly description: string | null
  readonly scope: ReviewScope
  readonly stages: readonly ReviewStage[]
  readonly schedule: {
    readonly startsAt: Instant
    readonly durationDays: number
    readonly repeat: ReviewRepeat
  }
  readonly settings: ReviewSettings
  readonly status: AccessReviewStatus
  /** The log position of the population; null until the review starts */
  readonly snapshotAt: string | null
  readonly startedAt: Instant | null
  readonly endsAt: Instant | null
  readonly openedAt: Instant | null
  readonly closedAt: Instant | null
  readonly completedAt: Instant | null
  readonly reminded: readonly number[]
  readonly previousReviewId: Id<'accessReview'> | null
  /** When the first of the series starts; null for the first */
  readonly seriesStartsAt: Instant | null
  /** The administrator who answers for what it applies */
  readonly authorId: string | null
  readonly counts: ReviewCounts & { readonly pending: number }
  /** Of what is reviewed, and of the reviewers, by id */
  readonly names: Readonly<Record<string, string>>
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly version: number
  readonly position: string
}

const counted = (condition: string): string => `coalesce(sum(i.n) filter (where ${condition}), 0)`

const counts = `(select json_build_object('total', ${counted('true')},
    'pending', ${counted(`i.decision = 'pending'`)}, 'approved', ${counted(`i.decision = 'approved'`)},
    'revoked', ${counted(`i.decision = 'revoked'`)}, 'abstained', ${counted(`i.decision = 'abstained'`)},
    'applied', ${counted(`i.apply_status = 'applied'`)}, 'failed', ${counted(`i.apply_status = 'failed'`)},
    'manual', ${counted(`i.apply_status = 'manual'`)})
  from (select decision, apply_status, count(*) as n from access_review_items where review_id = r.id
    group by decision, apply_status) i)`

const names = `(select coalesce(json_object_agg(x.id, x.name), '{}') from (
    select id, name from users union all select id, name from service_accounts union all select id, name from groups
    union all select id, name from applications union all select id, name from access_packages) x
  where x.id in (select jsonb_array_elements_text(r.scope -> 'ids')
    union all select e #>> '{}' from jsonb_path_query(r.scope, '$.userFilter.groupIds[*]') e
    union all select e #>> '{}' from jsonb_path_query(r.stages, '$[*].ids[*]') e
    union all select e #>> '{}' from jsonb_path_query(r.stages, '$[*].fallbackIds[*]') e))`

const columns = `r.id, r.name, r.description, r.scope, r.stages, r.schedule, r.settings, r.status,
  r.position as "snapshotAt", r.started_at as "startedAt", r.ends_at as "endsAt", r.opened_at as "openedAt",
  r.closed_at as "closedAt", r.completed_at as "completedAt", r.reminded,
  r.previous_review_id as "previousReviewId", r.series_starts_at as "seriesStartsAt", r.author_id as "authorId", ${counts} as counts,
  ${names} as names,
  r.created_at as "createdAt", r.updated_at as "updatedAt", r.version, r.created_position as position`

export const findAccessReview = async (pool: pg.Pool, id: string): Promise<AccessReviewRow | null> => {
  const { rows } = await pool.query<AccessReviewRow>(
    `select ${columns} from access_reviews r where r.id = $1`,
    [id],
  )
  return rows[0] ?? null
}

export interface AccessReviewFilters {
  readonly status?: AccessReviewStatus | undefined
  readonly q?: string | undefined
  /** Reviews with items of this user, or of this resource */
  readonly userId?: string | undefined
  readonly resourceId?: string | undefined
  /** Open reviews with undecided items of this reviewer */
  readonly reviewerId?: string | undefined
}

/**
 * Returns reviews, newest first.
 * @param after the position of the last row of the previous page
 */
export const listAccessReviews = async (
  pool: pg.Pool,
  { status, q, userId, resourceId, reviewerId }: AccessReviewFilters,
  limit: number,
  after?: string,
): Promise<readonly AccessReviewRow[]> => {
  const { add, values } = parameters()
  const having = (condition: string): string =>
    `exists (select from access_review_items i where i.review_id = r.id and ${condition})`
  const conditions = [
    'true',
    ...(status === undefined ? [] : [`r.status = ${add(status)}`]),
    ...(q === undefined ? [] : [`lower(r.name) like lower(${add(prefixPattern(q))})`]),
    ...(userId === undefined ? [] : [having(`i.user_id = ${add(userId)}`)]),
    ...(resourceId === undefined ? [] : [having(`i.resource_id = ${add(resourceId)}`)]),
    ...(reviewerId === undefined
      ? []
      : [
          `r.status = 'active'`,
          having(`i.reviewer_ids @> array[${add(reviewerId)}] and i.decision = 'pending'`),
        ]),
    ...(after === undefined ? [] : [`r.created_position < ${add(after)} collate "C"`]),
  ]
  const { rows } = await pool.query<AccessReviewRow>(
    `select ${columns} from access_reviews r where ${conditions.join(' and ')}
     order by r.created_position desc limit ${add(limit)}`,
    values,
  )
  return rows
}

/** A decision of one stage */
export interface ReviewDecisionRow {
  readonly reviewerId: string | null
  readonly reviewerName: string | null
  readonly decision: ItemDecision
  readonly justification: string | null
  readonly at: Instant
  readonly stage: number
}

export interface AccessReviewItemRow {
  readonly id: Id<'accessReviewItem'>
  readonly reviewId: Id<'accessReview'>
  readonly number: number
  readonly userId: Id<'user'>
  readonly userName: string
  readonly userEmail: string | null
  readonly resource: ReviewedResource
  readonly accessVia: readonly ReviewedPath[]
  readonly lastUsedAt: Instant | null
  readonly recommendation: Recommendation
  readonly recommendationReason: RecommendationReason
  readonly recordedReviewers: readonly (readonly string[])[]
  readonly stage: number
  readonly reviewers: readonly { readonly id: string; readonly name: string }[]
  readonly decision: 'pending' | ItemDecision
  readonly decisions: readonly ReviewDecisionRow[]
  readonly decidedAt: Instant | null
  readonly applyStatus: 'none' | 'pending' | ApplyStatus
  readonly applyError: string | null
  readonly version: number
}

const itemColumns = `i.id, i.review_id as "reviewId", i.number, i.user_id as "userId",
  coalesce(u.name, s.name, '') as "userName", u.email as "userEmail",
  json_build_object('type', i.resource_type, 'id', i.resource_id, 'name', i.resource_name) as resource,
  i.paths as "accessVia", i.last_used_at as "lastUsedAt", i.recommendation,
  i.reason as "recommendationReason", i.reviewers as "recordedReviewers", i.stage,
  (select coalesce(json_agg(json_build_object('id', w.id, 'name', coalesce(n.name, '')) order by n.name, w.id), '[]')
    from unnest(i.reviewer_ids) w (id) left join users n on n.id = w.id) as reviewers,
  i.decision,
  (select coalesce(json_agg(d.one || jsonb_build_object('reviewerName',
      (select n.name from users n where n.id = d.one ->> 'reviewerId')) order by d.at), '[]')
    from jsonb_array_elements(i.decisions) with ordinality d (one, at)) as decisions,
  i.decided_at as "decidedAt", i.apply_status as "applyStatus", i.apply_error as "applyError", i.version`

const itemsFrom = `access_review_items i left join users u on u.id = i.user_id
  left join service_accounts s on s.id = i.user_id`

export interface ReviewItemFilters {
  readonly decision?: 'pending' | ItemDecision | undefined
  readonly recommendation?: Recommendation | undefined
  readonly applyStatus?: AccessReviewItemRow['applyStatus'] | undefined
  readonly userId?: string | undefined
  readonly resourceId?: string | undefined
  readonly reviewerId?: string | undefined
  /** Beginning of the user's name or address */
  readonly q?: string | undefined
}

/**
 * Returns items of a review, in the order of its population.
 * @param after the number of the last row of the previous page
 */
export const listReviewItems = async (
  pool: pg.Pool,
  reviewId: string,
  { decision, recommendation, applyStatus, userId, resourceId, reviewerId, q }: ReviewItemFilters,
  limit: number,
  after?: number,
): Promise<readonly AccessReviewItemRow[]> => {
  const { add, values } = parameters()
  const pattern = q === undefined ? '' : `lower(${add(prefixPattern(q))})`
  const conditions = [
    `i.review_id = ${add(reviewId)}`,
    ...(decision === undefined ? [] : [`i.decision = ${add(decision)}`]),
    ...(recommendation === undefined ? [] : [`i.recommendation = ${add(recommendation)}`]),
    ...(applyStatus === undefined ? [] : [`i.apply_status = ${add(applyStatus)}`]),
    ...(userId === undefined ? [] : [`i.user_id = ${add(userId)}`]),
    ...(resourceId === undefined ? [] : [`i.resource_id = ${add(resourceId)}`]),
    ...(reviewerId === undefined ? [] : [`i.reviewer_ids @> array[${add(reviewerId)}]`]),
    ...(q === undefined ? [] : [`(lower(u.name) like ${pattern} or lower(u.email) like ${pattern})`]),
    ...(after === undefined ? [] : [`i.number > ${add(after)}`]),
  ]
  const { rows } = await pool.query<AccessReviewItemRow>(
    `select ${itemColumns} from ${itemsFrom} where ${conditions.join(' and ')} order by i.number limit ${add(limit)}`,
    values,
  )
  return rows
}

/** Returns items by their ids, without those of other reviews. */
export const reviewItemsById = async (
  pool: pg.Pool,
  reviewId: string,
  ids: readonly string[],
): Promise<readonly AccessReviewItemRow[]> => {
  const { rows } = await pool.query<AccessReviewItemRow>(
    `select ${itemColumns} from ${itemsFrom} where i.review_id = $1 and i.id = any($2) order by i.number`,
    [reviewId, ids],
  )
  return rows
}

/** Returns how many items of a review this user can decide now. */
export const countItemsToDecide = async (
  pool: pg.Pool,
  reviewId: string,
  userId: string,
): Promise<number> => {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from access_review_items
     where review_id = $1 and reviewer_ids @> array[$2::text] and decision = 'pending'`,
    [reviewId, userId],
  )
  return rows[0]?.count ?? 0
}

/** Returns the users who can decide an item of a review. */
export const reviewersWithItems = async (pool: pg.Pool, reviewId: string): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `select distinct w.id from access_review_items i, unnest(i.reviewer_ids) w (id)
     where i.review_id = $1 and i.decision = 'pending' order by w.id`,
    [reviewId],
  )
  return rows.map(({ id }) => id)
}

/** Returns the ids of reviews for which something is due: by the time, or because the last step is not complete. */
export const dueReviews = async (pool: pg.Pool, now: Instant, limit: number): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `select r.id from access_reviews r
     where r.status = 'applying' or (r.status = 'scheduled' and r.starts_at <= $1)
       or (r.status = 'active' and (r.opened_at is null or r.ends_at <= $1
         or (select min(d::integer) from jsonb_array_elements_text(r.settings -> 'reminders') d
             where r.ends_at - make_interval(days => d::integer) <= $1) <> all (r.reminded)))
       or (r.status = 'closed' and ((r.settings ->> 'autoApply')::boolean or exists (
         select from access_review_items i where i.review_id = r.id and i.decision = 'pending')))
     order by r.created_position limit $2`,
    [now, limit],
  )
  return rows.map(({ id }) => id)
}
