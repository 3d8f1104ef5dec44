import {
  accessReviewDecider,
  accessReviewStream,
  type AccessReviewCommand,
} from '../../../domain/access-review/decider.ts'
import type { AccessReviewFields, ItemDecision } from '../../../domain/access-review/events.ts'
import { reviewItemDecider, reviewItemStream } from '../../../domain/access-review/item.ts'
import { DomainError } from '../../../domain/errors.ts'
import type { Id } from '../../../domain/ids.ts'
import { allows, type Role } from '../../../domain/roles.ts'
import {
  findAccessReview,
  reviewItemsById,
  type AccessReviewItemRow,
  type AccessReviewRow,
} from '../../../read-models/queries/access-reviews.ts'
import { activeUsers } from '../../../read-models/queries/access-requests.ts'
import { missingPackages } from '../../../read-models/queries/access-packages.ts'
import { missingApplications, missingGroups, missingUsers } from '../../../read-models/queries/existence.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Actor } from '../services/handle.ts'
import type { Services } from '../services/services.ts'
import { mustBeReviewers } from './references.ts'

/** Held while items are decided and while the review closes, so that no decision comes after the end. */
export const reviewUse = (reviewId: string): string => `access-review:${reviewId}`

/** How many times the usual wait a bulk decision may take until it is in effect. */
const ROUNDS = 5

const READY = 'The review is not active: its items can be decided from its start to its end.'

/** Who decides */
interface Reviewer {
  readonly userId: string
  readonly roles: readonly Role[]
}

/** The facts that decisions about an item need */
export const subjectOf = ({ reviewId, id, userId, resource, recordedReviewers }: AccessReviewItemRow) => ({
  reviewId,
  itemId: id,
  userId,
  resource,
  reviewers: recordedReviewers,
})

/** The state of an item whose stream this read model has seen to its end. */
export const presumedItem = (item: AccessReviewItemRow) => ({
  state: {
    stage: item.stage,
    reviewerIds: item.reviewers.map(({ id }) => id),
    decision: item.decision === 'pending' ? (item.decisions.at(-1)?.decision ?? 'pending') : item.decision,
    isFinal: item.decision !== 'pending',
    applied: item.applyStatus === 'none' || item.applyStatus === 'pending' ? null : item.applyStatus,
  } as const,
  revision: item.version - 1,
})

/** Commands on access reviews and their items. */
export const accessReviewCommands = ({
  handle,
  handleMany,
  locks,
  pool,
  clock,
}: Pick<Services, 'handle' | 'handleMany' | 'locks' | 'pool' | 'clock'>) => {
  const send = (command: AccessReviewCommand, actor: Actor) =>
    handle(accessReviewDecider, accessReviewStream(command.reviewId), command, actor)

  const refuseMissing = (missing: readonly string[], field: string): void => {
    const [first] = missing
    if (first !== undefined)
      throw new DomainError('ERR_INVALID', `${field}: ${first} does not exist`, `/${field}`)
  }

  const mustExist = async ({ scope, stages = [] }: Partial<AccessReviewFields>): Promise<void> => {
    if (scope !== undefined) {
      const { type, ids } = scope
      if (type === 'application') refuseMissing(await missingApplications(pool, ids), 'scope/ids')
      if (type === 'group') refuseMissing(await missingGroups(pool, ids), 'scope/ids')
      if (type === 'package') refuseMissing(await missingPackages(pool, ids), 'scope/ids')
      if (type === 'user') refuseMissing(await missingUsers(pool, ids), 'scope/ids')
      refuseMissing(await missingGroups(pool, scope.userFilter?.groupIds ?? []), 'scope/userFilter/groupIds')
    }
    for (const [at, stage] of stages.entries()) await mustBeReviewers(pool, stage, `stages/${String(at)}`)
  }

  /** Removing a role is for global administrators, and so is a review that does. */
  const mustBeAllowed = (scope: AccessReviewFields['scope'] | undefined, by: readonly Role[]): void => {
    if (scope === undefined || (scope.type !== 'role' && scope.type !== 'service_account')) return
    if (!allows(by, ['global_admin']))
      throw new DomainError('ERR_FORBIDDEN', 'Only a global administrator can review roles.')
  }

  /** @throws DomainError ERR_NOT_FOUND */
  const current = async (reviewId: string): Promise<AccessReviewRow> => {
    const found = await findAccessReview(pool, reviewId)
    if (found === null) throw new DomainError('ERR_NOT_FOUND')
    return found
  }

  const allowed = async (reviewId: string, by: readonly Role[]): Promise<AccessReviewRow> => {
    const review = await current(reviewId)
    mustBeAllowed(review.scope, by)
    return review
  }

  /** @throws DomainError ERR_NOT_FOUND for an item that does not belong to the review */
  const itemsOf = async (
    reviewId: string,
    ids: readonly string[],
  ): Promise<readonly AccessReviewItemRow[]> => {
    const items = await reviewItemsById(pool, reviewId, ids)
    if (items.length < new Set(ids).size) throw new DomainError('ERR_NOT_FOUND')
    return items
  }

  const mustBeOpen = ({ status, openedAt, endsAt }: AccessReviewRow): void => {
    if (status !== 'active' || openedAt === null || (endsAt !== null && endsAt <= clock.now()))
      throw new DomainError('ERR_CONFLICT', READY)
  }

  return {
    /** @throws DomainError ERR_INVALID for wrong settings and ids that do not exist, ERR_FORBIDDEN for roles */
    create: async (fields: AccessReviewFields, by: readonly Role[], actor: Actor) => {
      mustBeAllowed(fields.scope, by)
      await mustExist(fields)
      const reviewId: Id<'accessReview'> = idsFor(actor.idempotencyKey).newId('accessReview')
      const { version } = await send({ type: 'create', reviewId, fields, authorId: actor.actorId }, actor)
      return { reviewId, version }
    },

    /** @throws DomainError as `create` does, ERR_NOT_FOUND, ERR_CONFLICT once it has started */
    update: async (
      reviewId: string,
      fields: Readonly<Record<string, unknown>>,
      by: readonly Role[],
      actor: Actor,
    ) => {
      await allowed(reviewId, by)
      const sent = fields as Partial<AccessReviewFields>
      mustBeAllowed(sent.scope, by)
      await mustExist(sent)
      return send({ type: 'update', reviewId, fields }, actor)
    },

    /**
     * Fixes the population at the position that the read models have reached. Its items follow within seconds.
     * @throws DomainError ERR_NOT_FOUND, ERR_FORBIDDEN, ERR_CONFLICT unless it is scheduled
     */
    start: async (reviewId: string, position: string, by: readonly Role[], actor: Actor) => {
      await allowed(reviewId, by)
      return send({ type: 'start', reviewId, position, now: clock.now() }, actor)
    },

    /** @throws DomainError ERR_NOT_FOUND, ERR_FORBIDDEN, ERR_CONFLICT unless it is active */
    close: async (reviewId: string, by: readonly Role[], actor: Actor) => {
      await allowed(reviewId, by)
      return locks.alone(reviewUse(reviewId), () =>
        send({ type: 'close', reviewId, reason: 'by_administrator' }, actor),
      )
    },

    /** @throws DomainError ERR_NOT_FOUND, ERR_FORBIDDEN, ERR_CONFLICT unless it is closed */
    apply: async (reviewId: string, by: readonly Role[], actor: Actor) => {
      const { counts } = await allowed(reviewId, by)
      if (counts.pending > 0)
        throw new DomainError('ERR_CONFLICT', 'Items without a decision are being closed. Retry in a moment.')
      return send({ type: 'apply', reviewId }, actor)
    },

    /** @throws DomainError ERR_NOT_FOUND, ERR_FORBIDDEN, ERR_CONFLICT once it is closed */
    cancel: async (reviewId: string, reason: string | undefined, by: readonly Role[], actor: Actor) => {
      await allowed(reviewId, by)
      return send({ type: 'cancel', reviewId, ...(reason === undefined ? {} : { reason }) }, actor)
    },

    /** @throws DomainError ERR_NOT_FOUND, ERR_FORBIDDEN, ERR_CONFLICT once it has started */
    delete: async (reviewId: string, by: readonly Role[], actor: Actor) => {
      await allowed(reviewId, by)
      return send({ type: 'delete', reviewId }, actor)
    },

    /**
     * Decides items; all or none.
     * @throws DomainError ERR_NOT_FOUND, ERR_CONFLICT while the review is not open, ERR_SELF_APPROVAL, ERR_FORBIDDEN for
     * an item of other reviewers, ERR_INVALID for a missing justification
     */
    decide: async (
      reviewId: string,
      itemIds: readonly string[],
      { decision, justification }: { readonly decision: ItemDecision; readonly justification?: string },
      by: Reviewer,
      actor: Actor,
    ) => {
      await locks.alone(reviewUse(reviewId), async () => {
        const review = await current(reviewId)
        mustBeOpen(review)
        const { settings } = review
        if (itemIds.length > 1 && !settings.bulkDecisions)
          throw new DomainError('ERR_CONFLICT', 'In this review, each item is decided by itself.')
        const items = await itemsOf(reviewId, itemIds)
        const commands = items.map((item) => ({
          stream: reviewItemStream(item.id),
          command: {
            ...{ type: 'decide' as const, ...subjectOf(item), byUserId: by.userId, decision, settings },
            ...(justification === undefined ? {} : { justification }),
          },
          presumed: presumedItem(item),
        }))
        await handleMany(reviewItemDecider, commands, actor, ROUNDS)
      })
    },

    /**
     * Lets another user decide an item: a reviewer passes on their part, an administrator replaces all reviewers.
     * @throws DomainError as `decide` does, ERR_INVALID for a user who is not active
     */
    reassign: async (reviewId: string, itemId: string, reviewerId: string, by: Reviewer, actor: Actor) => {
      const review = await current(reviewId)
      mustBeOpen(review)
      const [item] = await itemsOf(reviewId, [itemId])
      if (item === undefined) throw new DomainError('ERR_NOT_FOUND')
      if ((await activeUsers(pool, [reviewerId])).length === 0)
        throw new DomainError('ERR_INVALID', 'reviewerId: expected the id of an active user', '/reviewerId')
      const isRoles = review.scope.type === 'role' || review.scope.type === 'service_account'
      await handle(
        reviewItemDecider,
        reviewItemStream(itemId),
        {
          ...{ type: 'reassign', ...subjectOf(item), byUserId: by.userId, reviewerId },
          isAdministrator: allows(by.roles, [isRoles ? 'global_admin' : 'security_admin']),
          selfReview: review.settings.selfReview,
        },
        actor,
      )
    },
  }
}
