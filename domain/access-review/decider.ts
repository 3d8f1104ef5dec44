import { applyChanges, changesOf } from '../changes.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import { secondsAfter, type Instant } from '../time.ts'
import type { AccessReviewEvent, AccessReviewFields, ReviewCounts } from './events.ts'
import { reviewProblem } from './settings.ts'

export type AccessReviewStatus = 'scheduled' | 'active' | 'closed' | 'applying' | 'completed' | 'cancelled'

export interface AccessReviewState {
  readonly status: 'none' | AccessReviewStatus | 'deleted'
  readonly fields: AccessReviewFields | null
  readonly endsAt: Instant | null
  /** Whether the population is complete */
  readonly isOpen: boolean
  /** Days before the end of which reviewers were reminded */
  readonly reminded: readonly number[]
}

/** What a review that no administrator created follows: the one before it in its series, or the settings of a package. */
export type ReviewOrigin =
  | { readonly previousReviewId: string; readonly seriesStartsAt: Instant }
  | { readonly ofPackageId: string }

export type AccessReviewCommand = { reviewId: string } & (
  | {
      type: 'create'
      fields: AccessReviewFields
      authorId: string | null
      origin?: ReviewOrigin
    }
  /** Null removes an optional field. */
  | { type: 'update'; fields: Readonly<Record<string, unknown>> }
  | { type: 'start'; position: string; now: Instant }
  | { type: 'open'; parts: number; items: number }
  | { type: 'remind'; daysLeft: number }
  | { type: 'close'; reason: 'ended' | 'by_administrator' }
  | { type: 'apply' }
  | { type: 'complete'; counts: ReviewCounts }
  | { type: 'cancel'; reason?: string }
  | { type: 'delete' }
)

const DAY = 86_400

const initial: AccessReviewState = {
  status: 'none',
  fields: null,
  endsAt: null,
  isOpen: false,
  reminded: [],
}

const evolve = (state: AccessReviewState, { type, data }: AccessReviewEvent): AccessReviewState => {
  switch (type) {
    case 'access_review.created': {
      const { name, description, scope, stages, schedule, settings } = data
      const fields = { name, scope, stages, schedule, settings }
      return {
        ...initial,
        status: 'scheduled',
        fields: description === undefined ? fields : { ...fields, description },
      }
    }
    case 'access_review.updated':
      return state.fields === null ? state : { ...state, fields: applyChanges(state.fields, data.changes) }
    case 'access_review.started':
      return { ...state, status: 'active', endsAt: data.endsAt }
    case 'access_review.opened':
      return { ...state, isOpen: true }
    case 'access_review.reminded':
      return { ...state, reminded: [...state.reminded, data.daysLeft] }
    case 'access_review.closed':
      return { ...state, status: 'closed' }
    case 'access_review.applying':
      return { ...state, status: 'applying' }
    case 'access_review.completed':
      return { ...state, status: 'completed' }
    case 'access_review.cancelled':
      return { ...state, status: 'cancelled' }
    case 'access_review.deleted':
      return { ...state, status: 'deleted' }
    case 'access_review.items_recorded':
    case 'access_review.item_decided':
    case 'access_review.item_reassigned':
    case 'access_review.item_applied':
      // On streams of their own.
      return state
  }
}

const conflict = (message: string): Decision<AccessReviewEvent> => refuse('ERR_CONFLICT', message)

const decide = (
  command: AccessReviewCommand,
  { status, fields, isOpen, reminded, endsAt }: AccessReviewState,
): Decision<AccessReviewEvent> => {
  const { reviewId } = command
  if (command.type === 'create') {
    if (status !== 'none') return refuse('ERR_CONFLICT')
    const problem = reviewProblem(command.fields)
    if (problem !== null) return refuse('ERR_INVALID', problem.message, problem.field)
    const { authorId, origin = {} } = command
    return accept({
      type: 'access_review.created',
      data: { reviewId, authorId, ...origin, ...command.fields },
    })
  }
  if (status === 'none' || status === 'deleted' || fields === null) return refuse('ERR_NOT_FOUND')
  switch (command.type) {
    case 'update': {
      if (status !== 'scheduled') return conflict('This review has started: its settings cannot change.')
      const changes = changesOf(fields, command.fields)
      if (changes.length === 0) return accept()
      const problem = reviewProblem(applyChanges(fields, changes))
      if (problem !== null) return refuse('ERR_INVALID', problem.message, problem.field)
      return accept({ type: 'access_review.updated', data: { reviewId, changes } })
    }
    case 'start': {
      if (status !== 'scheduled') return conflict('This review has already started, or was cancelled.')
      const { position, now: startedAt } = command
      const endsAt = secondsAfter(startedAt, fields.schedule.durationDays * DAY)
      return accept({ type: 'access_review.started', data: { reviewId, position, startedAt, endsAt } })
    }
    case 'open': {
      if (isOpen || status === 'cancelled') return accept()
      const { parts, items } = command
      return accept({ type: 'access_review.opened', data: { reviewId, parts, items } })
    }
    case 'remind':
      return status !== 'active' || !isOpen || reminded.includes(command.daysLeft)
        ? accept()
        : accept({ type: 'access_review.reminded', data: { reviewId, daysLeft: command.daysLeft } })
    case 'close':
      if (status !== 'active') return conflict('This review is not active.')
      if (!isOpen) return conflict('The items of this review are still being collected. Retry in a moment.')
      return accept({ type: 'access_review.closed', data: { reviewId, reason: command.reason } })
    case 'apply':
      return status === 'closed'
        ? accept({ type: 'access_review.applying', data: { reviewId } })
        : conflict('Only a closed review can be applied.')
    case 'complete':
      return status === 'applying'
        ? accept({ type: 'access_review.completed', data: { reviewId, counts: command.counts } })
        : conflict('This review is not being applied.')
    case 'cancel': {
      if (status !== 'scheduled' && status !== 'active')
        return conflict('Only a scheduled or active review can be cancelled.')
      const { reason } = command
      return accept({
        type: 'access_review.cancelled',
        data: { reviewId, ...(reason === undefined ? {} : { reason }) },
      })
    }
    case 'delete':
      // Only a review that has started has an end.
      return endsAt === null
        ? accept({ type: 'access_review.deleted', data: { reviewId } })
        : conflict('This review has started, so it stays as evidence.')
  }
}

export const accessReviewDecider: Decider<AccessReviewState, AccessReviewCommand, AccessReviewEvent> = {
  initial,
  evolve,
  decide,
}

export const accessReviewStream = (reviewId: string): string => `access_review-${reviewId}`
