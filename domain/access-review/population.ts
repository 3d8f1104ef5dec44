/** The stream of the population of a review: its parts in order. */
import { accept, refuse, type Decider } from '../decider.ts'
import type { AccessReviewEvent, ReviewItem } from './events.ts'

type PopulationEvent = Extract<AccessReviewEvent, { type: 'access_review.items_recorded' }>

export interface PopulationState {
  readonly parts: number
  readonly items: number
  /** The last item, from which the next part continues */
  readonly last: ReviewItem | null
}

export interface RecordItems {
  readonly type: 'record'
  readonly reviewId: string
  readonly part: number
  readonly items: readonly ReviewItem[]
}

export const populationDecider: Decider<PopulationState, RecordItems, PopulationEvent> = {
  initial: { parts: 0, items: 0, last: null },
  evolve: (state, { data }) => ({
    parts: state.parts + 1,
    items: state.items + data.items.length,
    last: data.items.at(-1) ?? state.last,
  }),
  decide: ({ reviewId, part, items }, state) => {
    // Another instance has recorded it.
    if (part < state.parts) return accept()
    if (part > state.parts) return refuse('ERR_CONFLICT')
    return accept({ type: 'access_review.items_recorded', data: { reviewId, part, items } })
  },
}

export const populationStream = (reviewId: string): string => `access_review_items-${reviewId}`
