import { Type } from 'typebox'
import { usualReviewSchedule, usualReviewSettings } from '../../../domain/access-review/settings.ts'
import type { Role } from '../../../domain/roles.ts'
import {
  countItemsToDecide,
  findAccessReview,
  listAccessReviews,
  listReviewItems,
  type AccessReviewItemRow,
  type AccessReviewRow,
  type ReviewItemFilters,
} from '../../../read-models/queries/access-reviews.ts'
import { corePosition } from '../../../read-models/queries/core-position.ts'
import { accessReviewCommands } from '../../application/commands/access-reviews.ts'
import type { Actor } from '../../application/services/handle.ts'
import type { Services } from '../../application/services/services.ts'
import { actorOf } from '../http/actor.ts'
import { decodeCursor, DEFAULT_LIMIT, listPage, listQuery, listReply } from '../http/cursor.ts'
import type { Access } from '../http/declaration.ts'
import { created, done, fields, idOf, route, type HttpContext, type Route } from '../http/route.ts'
import {
  existing,
  foreignCursor,
  instantOf,
  printable,
  proven,
  readBack,
  readers,
  sent,
  withoutNulls,
  writers,
} from '../http/schemas.ts'
import { positionAfter } from './access-requests.ts'
import {
  AccessReview,
  accessReviewInput,
  AccessReviewItem,
  accessReviewOptions,
  newReview,
  ApplyStatuses,
  bulkDecisionInput,
  decisionInput,
  ItemStates,
  Recommendations,
  ReviewStatuses,
} from './access-review-schemas.ts'

const tag = 'Access reviews'
const params = fields({ id: idOf('accessReview') })
const itemParams = fields({ id: idOf('accessReview'), itemId: idOf('accessReviewItem') })
/** Any user decides with their session; the rules say whether they are a reviewer. */
const person = { credentials: ['session'] } as const satisfies Access

const toReview = ({
  position: _,
  reminded: __,
  authorId: ___,
  seriesStartsAt: ____,
  ...row
}: AccessReviewRow) => row
const toItem = ({ number: _, recordedReviewers: __, version: ___, ...row }: AccessReviewItemRow) => row

const itemFilters = {
  decision: Type.Optional(ItemStates),
  recommendation: Type.Optional(Recommendations),
  applyStatus: Type.Optional(ApplyStatuses),
  userId: Type.Optional(idOf('user')),
  resourceId: Type.Optional(printable(40)),
  q: Type.Optional(printable(100, "the beginning of the user's name or email address")),
}

const { name, scope, stages, schedule, settings } = accessReviewInput

const withInstant = <T extends { readonly startsAt: string }>(given: T): T => ({
  ...given,
  startsAt: instantOf(given.startsAt, 'schedule/startsAt'),
})

/** Routes for access reviews and their items. */
export const accessReviewRoutes = (
  services: Pick<Services, 'handle' | 'handleMany' | 'pool' | 'locks' | 'clock'>,
): readonly Route[] => {
  const { pool } = services
  const reviews = accessReviewCommands(services)
  const read = (id: string) => findAccessReview(pool, id)

  const itemsPage = async (
    reviewId: string,
    query: ReviewItemFilters & { limit?: number | undefined; cursor?: string | undefined },
    http: Pick<HttpContext, 'url'>,
  ) => {
    const [after] = decodeCursor(query.cursor, 1) ?? []
    if (after !== undefined && typeof after !== 'number') throw foreignCursor()
    const limit = query.limit ?? DEFAULT_LIMIT
    const rows = await listReviewItems(pool, reviewId, query, limit + 1, after)
    return listReply(
      listPage(rows, limit, (row) => [row.number], http.url),
      toItem,
    )
  }

  const transition = (
    action: 'start' | 'complete' | 'apply',
    summary: string,
    description: string,
    carryOut: (reviewId: string, by: readonly Role[], actor: Actor) => Promise<{ readonly version: number }>,
  ): Route =>
    route({
      method: 'POST',
      path: `/access-reviews/{id}/${action}`,
      tag,
      summary,
      description,
      access: writers('security_admin'),
      params,
      result: AccessReview,
      status: 200,
      errors: ['ERR_FORBIDDEN', 'ERR_CONFLICT', 'ERR_STALE'],
      audit: [`access_review.${action}`],
      handle: async (request) => {
        const { id } = request.params
        const { version } = await carryOut(id, request.caller.roles, actorOf(request))
        return { body: toReview(await readBack(read(id), version)) }
      },
    })

  return [
    route({
      method: 'GET',
      path: '/access-reviews',
      tag,
      summary: 'List access reviews, newest first',
      access: readers,
      query: listQuery({
        status: Type.Optional(ReviewStatuses),
        q: Type.Optional(printable(100, 'the beginning of the name')),
        userId: Type.Optional(idOf('user', { description: 'with items of this user' })),
        resourceId: Type.Optional(printable(40, 'with items of this application, group, package or role')),
      }),
      result: Type.Array(AccessReview),
      status: 200,
      errors: [],
      handle: async ({ query, http }) => {
        const { limit, after, toCursor } = positionAfter(query)
        const rows = await listAccessReviews(pool, query, limit + 1, after)
        return listReply(listPage(rows, limit, toCursor, http.url), toReview)
      },
    }),
    route({
      method: 'POST',
      path: '/access-reviews',
      tag,
      summary: 'Create an access review',
      description:
        'It starts at its time. Reviews of roles and of service accounts are for global administrators.',
      access: proven(writers('security_admin')),
      body: fields({ name, scope, stages, ...newReview, ...accessReviewOptions }),
      result: AccessReview,
      status: 201,
      errors: ['ERR_FORBIDDEN'],
      audit: ['access_review.create'],
      handle: async (request) => {
        const input = withoutNulls(request.body)
        const all = {
          ...input,
          schedule: withInstant({ ...usualReviewSchedule, ...input.schedule }),
          settings: { ...usualReviewSettings, ...input.settings },
        }
        const { reviewId, version } = await reviews.create(all, request.caller.roles, actorOf(request))
        const row = await readBack(read(reviewId), version)
        return created(`/api/v1/access-reviews/${reviewId}`, toReview(row))
      },
    }),
    route({
      method: 'GET',
      path: '/access-reviews/{id}',
      tag,
      summary: 'Read an access review',
      access: readers,
      params,
      result: AccessReview,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: toReview(await existing(read(id))) }),
    }),
    route({
      method: 'PATCH',
      path: '/access-reviews/{id}',
      tag,
      summary: 'Update an access review that has not started',
      access: proven(writers('security_admin')),
      params,
      body: fields({
        name: Type.Optional(name),
        scope: Type.Optional(scope),
        stages: Type.Optional(stages),
        schedule: Type.Optional(schedule),
        settings: Type.Optional(settings),
        ...accessReviewOptions,
      }),
      result: AccessReview,
      status: 200,
      errors: ['ERR_FORBIDDEN', 'ERR_CONFLICT', 'ERR_STALE'],
      audit: ['access_review.update'],
      handle: async (request) => {
        const { id } = request.params
        const { schedule: times, ...rest } = sent(request.body)
        const changed = { ...rest, ...(times === undefined ? {} : { schedule: withInstant(times) }) }
        const { version } = await reviews.update(id, changed, request.caller.roles, actorOf(request))
        return { body: toReview(await readBack(read(id), version)) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/access-reviews/{id}',
      tag,
      summary: 'Delete an access review that has not started',
      description:
        'One that was cancelled before its start, too. A recurring review does not repeat any more. Reviews that have started stay, as evidence.',
      access: writers('security_admin'),
      params,
      status: 204,
      errors: ['ERR_FORBIDDEN', 'ERR_CONFLICT', 'ERR_STALE'],
      audit: ['access_review.delete'],
      handle: async (request) => {
        await reviews.delete(request.params.id, request.caller.roles, actorOf(request))
        return done
      },
    }),
    transition(
      'start',
      'Start an access review before its time',
      'The access of this moment is reviewed. The items follow within seconds.',
      async (id, by, actor) => reviews.start(id, await corePosition(pool), by, actor),
    ),
    transition(
      'complete',
      'End an access review before its time',
      'Items without a decision follow onNoResponse within seconds.',
      reviews.close,
    ),
    transition(
      'apply',
      'Apply the decisions of a closed access review',
      'Revoked access is removed within seconds. Without autoApply, this is how it is done.',
      reviews.apply,
    ),
    route({
      method: 'POST',
      path: '/access-reviews/{id}/cancel',
      tag,
      summary: 'Cancel a scheduled or active access review',
      description: 'Nothing is applied. A recurring review does not repeat any more unless it had started.',
      access: writers('security_admin'),
      params,
      body: fields({ reason: Type.Optional(decisionInput.justification) }),
      result: AccessReview,
      status: 200,
      errors: ['ERR_FORBIDDEN', 'ERR_CONFLICT', 'ERR_STALE'],
      audit: ['access_review.cancel'],
      handle: async (request) => {
        const { id } = request.params
        const { reason } = request.body
        const { version } = await reviews.cancel(id, reason, request.caller.roles, actorOf(request))
        return { body: toReview(await readBack(read(id), version)) }
      },
    }),
    route({
      method: 'GET',
      path: '/access-reviews/{id}/items',
      tag,
      summary: 'List the items of an access review',
      access: readers,
      params,
      query: listQuery({ ...itemFilters, reviewerId: Type.Optional(idOf('user')) }),
      result: Type.Array(AccessReviewItem),
      status: 200,
      errors: [],
      handle: async ({ params: { id }, query, http }) => {
        await existing(read(id))
        return itemsPage(id, query, http)
      },
    }),
    route({
      method: 'POST',
      path: '/access-reviews/{id}/items/decide',
      tag,
      summary: 'Decide several items of an access review',
      description: 'All or none. Only by a reviewer of each of them, and never about their own access.',
      access: person,
      params,
      body: fields(bulkDecisionInput),
      status: 204,
      errors: ['ERR_SELF_APPROVAL', 'ERR_FORBIDDEN', 'ERR_CONFLICT'],
      audit: ['access_review.decide'],
      handle: async (request) => {
        const { itemIds, ...decision } = sent(request.body)
        await reviews.decide(request.params.id, itemIds, decision, request.caller, actorOf(request))
        return done
      },
    }),
    route({
      method: 'POST',
      path: '/access-reviews/{id}/items/{itemId}/decide',
      tag,
      summary: 'Decide an item of an access review',
      description:
        'Only by one of its reviewers, and never about their own access. While the review is active, a decision can be changed.',
      access: person,
      params: itemParams,
      body: fields(decisionInput),
      status: 204,
      errors: ['ERR_SELF_APPROVAL', 'ERR_FORBIDDEN', 'ERR_CONFLICT'],
      audit: ['access_review.decide'],
      handle: async (request) => {
        const { id, itemId } = request.params
        await reviews.decide(id, [itemId], sent(request.body), request.caller, actorOf(request))
        return done
      },
    }),
    route({
      method: 'POST',
      path: '/access-reviews/{id}/items/{itemId}/reassign',
      tag,
      summary: 'Let another user review an item',
      description:
        'A reviewer passes on their part. A security administrator replaces all reviewers, but not of their own access.',
      access: person,
      params: itemParams,
      body: fields({ reviewerId: idOf('user') }),
      status: 204,
      errors: ['ERR_SELF_APPROVAL', 'ERR_FORBIDDEN', 'ERR_CONFLICT'],
      audit: ['access_review.reassign'],
      handle: async (request) => {
        const { id, itemId } = request.params
        await reviews.reassign(id, itemId, request.body.reviewerId, request.caller, actorOf(request))
        return done
      },
    }),
    route({
      method: 'GET',
      path: '/me/reviews',
      tag: 'Account',
      summary: 'List the active access reviews with items that you can decide, newest first',
      access: person,
      query: listQuery({}),
      result: Type.Array(
        Type.Object(
          { ...AccessReview.properties, itemsToDecide: Type.Integer() },
          { title: 'ReviewToDecide' },
        ),
      ),
      status: 200,
      errors: [],
      handle: async ({ query, caller, http }) => {
        const { limit, after, toCursor } = positionAfter(query)
        const { userId } = caller
        const rows = await listAccessReviews(pool, { reviewerId: userId }, limit + 1, after)
        const counted = await Promise.all(
          rows.map(async (row) => ({
            ...row,
            itemsToDecide: await countItemsToDecide(pool, row.id, userId),
          })),
        )
        return listReply(listPage(counted, limit, toCursor, http.url), ({ itemsToDecide, ...row }) => ({
          ...toReview(row),
          itemsToDecide,
        }))
      },
    }),
    route({
      method: 'GET',
      path: '/me/reviews/{id}/items',
      tag: 'Account',
      summary: 'List your items of an access review',
      access: person,
      params,
      query: listQuery(itemFilters),
      result: Type.Array(AccessReviewItem),
      status: 200,
      errors: [],
      handle: async ({ params: { id }, query, caller, http }) => {
        await existing(read(id))
        return itemsPage(id, { ...query, reviewerId: caller.userId }, http)
      },
    }),
  ]
}
