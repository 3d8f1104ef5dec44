/** One item of a review: who decides it, what they decided, and whether that was applied. */
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import type {
  AccessReviewEvent,
  ApplyStatus,
  ItemDecision,
  ReviewedResource,
  ReviewSettings,
} from './events.ts'

type ItemEvent = Extract<
  AccessReviewEvent,
  { type: 'access_review.item_decided' | 'access_review.item_reassigned' | 'access_review.item_applied' }
>

export interface ReviewItemState {
  /** The stage that decides, from 1 */
  readonly stage: number
  /** Who decides the stage, if not those of the population */
  readonly reviewerIds: readonly string[] | null
  /** Of the last decided stage */
  readonly decision: 'pending' | ItemDecision
  readonly isFinal: boolean
  readonly applied: ApplyStatus | null
}

interface Subject {
  readonly reviewId: string
  readonly itemId: string
  readonly userId: string
  readonly resource: ReviewedResource
  /** The reviewers of each stage, as recorded in the population */
  readonly reviewers: readonly (readonly string[])[]
}

export type ReviewItemCommand = Subject &
  (
    | {
        type: 'decide'
        byUserId: string
        decision: ItemDecision
        justification?: string
        settings: Pick<ReviewSettings, 'selfReview' | 'justificationRequired'>
      }
    /** Nobody decided in time. A decision of an earlier stage counts; otherwise this one. */
    | { type: 'decide_unanswered'; decision: ItemDecision }
    | {
        type: 'reassign'
        byUserId: string
        isAdministrator: boolean
        reviewerId: string
        selfReview: boolean
      }
    /** @param expected the decision that was applied */
    | { type: 'record_applied'; expected: ItemDecision; status: ApplyStatus; error?: string }
  )

const initial: ReviewItemState = {
  stage: 1,
  reviewerIds: null,
  decision: 'pending',
  isFinal: false,
  applied: null,
}

const evolve = (state: ReviewItemState, { type, data }: ItemEvent): ReviewItemState => {
  switch (type) {
    case 'access_review.item_decided':
      return {
        ...state,
        decision: data.decision,
        isFinal: data.final,
        ...(data.final ? {} : { stage: data.stage + 1, reviewerIds: null }),
      }
    case 'access_review.item_reassigned':
      return { ...state, reviewerIds: data.reviewerIds }
    case 'access_review.item_applied':
      return { ...state, applied: data.status }
  }
}

const needsReason = (decision: ItemDecision, required: ReviewSettings['justificationRequired']): boolean =>
  required === 'always' || (required === 'on_revoke' && decision === 'revoked')

const SELF = 'You cannot review your own access.'

const decide = (command: ReviewItemCommand, state: ReviewItemState): Decision<ItemEvent> => {
  const { reviewId, itemId, userId, resource, reviewers } = command
  const subject = { reviewId, itemId, userId, resource }
  const { stage, decision: current, isFinal, applied } = state
  const reviewerIds = state.reviewerIds ?? reviewers[stage - 1] ?? []
  switch (command.type) {
    case 'decide': {
      const { byUserId, decision, justification, settings } = command
      if (byUserId === userId && !settings.selfReview) return refuse('ERR_SELF_APPROVAL', SELF)
      if (!reviewerIds.includes(byUserId))
        return refuse('ERR_FORBIDDEN', 'You are not a reviewer of this item.')
      if (applied !== null) return refuse('ERR_CONFLICT', 'This decision was already applied.')
      if (needsReason(decision, settings.justificationRequired) && (justification ?? '').trim() === '')
        return refuse(
          'ERR_INVALID',
          'justification: is missing; this review requires a reason',
          '/justification',
        )
      return accept({
        type: 'access_review.item_decided',
        data: {
          ...subject,
          ...{ stage, decision, final: stage >= reviewers.length, reviewerId: byUserId },
          ...(justification === undefined ? {} : { justification }),
        },
      })
    }
    case 'decide_unanswered':
      return isFinal
        ? accept()
        : accept({
            type: 'access_review.item_decided',
            data: {
              ...subject,
              ...{ stage, final: true, reviewerId: null },
              decision: current === 'pending' ? command.decision : current,
            },
          })
    case 'reassign': {
      const { byUserId, isAdministrator, reviewerId, selfReview } = command
      if (reviewerId === userId && !selfReview)
        return refuse('ERR_SELF_APPROVAL', 'The user cannot review their own access.')
      if (byUserId === userId) return refuse('ERR_SELF_APPROVAL', SELF)
      if (!isAdministrator && !reviewerIds.includes(byUserId))
        return refuse('ERR_FORBIDDEN', 'You are not a reviewer of this item.')
      if (isFinal) return refuse('ERR_CONFLICT', 'This item is decided.')
      const others = isAdministrator ? [] : reviewerIds.filter((id) => id !== byUserId)
      const next = [...new Set([...others, reviewerId])].sort()
      if (next.length === reviewerIds.length && next.every((id) => reviewerIds.includes(id))) return accept()
      return accept({
        type: 'access_review.item_reassigned',
        data: { ...subject, stage, reviewerIds: next, previousReviewerIds: reviewerIds },
      })
    }
    case 'record_applied': {
      const { expected, status, error } = command
      if (applied === 'applied' || applied === status) return accept()
      if (!isFinal || current !== expected) return refuse('ERR_CONFLICT', 'This item was decided again.')
      return accept({
        type: 'access_review.item_applied',
        data: { ...subject, status, ...(error === undefined ? {} : { error }) },
      })
    }
  }
}

export const reviewItemDecider: Decider<ReviewItemState, ReviewItemCommand, ItemEvent> = {
  initial,
  evolve,
  decide,
}

export const reviewItemStream = (itemId: string): string => `access_review_item-${itemId}`
