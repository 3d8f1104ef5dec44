/**
 * Checks that the events of a completed review tell one complete story: every item of the population has a decision by
 * somebody who was asked, and what was applied is what was decided. The events come in the order of their streams: the
 * review, its population, then each item.
 */
import type { AccessReviewEvent, ReviewCounts, ReviewItem } from './events.ts'
import { accessReviewStream } from './decider.ts'
import { reviewItemDecider, reviewItemStream, type ReviewItemState } from './item.ts'
import { populationStream } from './population.ts'

export const EVIDENCE_FORMAT = 'svc-review-evidence/1'

/** The first line of the file. */
export interface EvidenceHeader {
  readonly format: typeof EVIDENCE_FORMAT
  /** Identifies the log; the name of the key */
  readonly origin: string
  readonly reviewId: string
  /** Size of the tree, as in the note */
  readonly size: number
  /** Signed head of the tree (C2SP tlog-checkpoint) */
  readonly note: string
}

/** An event as the log stores it */
export interface EvidenceEvent {
  readonly stream: string
  readonly revision: number
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

interface KnownItem {
  readonly item: ReviewItem
  readonly state: ReviewItemState
  readonly revision: number
}

const parse = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null

/** The header, or what is wrong with it. */
export const parseEvidenceHeader = (value: unknown): EvidenceHeader | string => {
  const { format, origin, reviewId, size, note } = parse(value) ?? {}
  if (format !== EVIDENCE_FORMAT) return `format: expected ${EVIDENCE_FORMAT}`
  if (typeof origin !== 'string' || typeof note !== 'string' || typeof reviewId !== 'string')
    return 'origin, reviewId and note: expected text'
  if (!Number.isSafeInteger(size)) return 'size: expected a whole number'
  return value as EvidenceHeader
}

/** Collects what contradicts the story. */
export const reviewStory = (reviewId: string, contradicts: (what: string, stream: string) => void) => {
  const items = new Map<string, KnownItem>()
  const review = {
    revision: -1,
    parts: 0,
    selfReview: false,
    position: '',
    counts: null as ReviewCounts | null,
  }
  let opened: { readonly parts: number; readonly items: number } | null = null

  const ofReview = ({ stream, revision, type, data }: EvidenceEvent): void => {
    if (revision !== review.revision + 1) contradicts('an event of the review is missing', stream)
    review.revision = revision
    const event = { type, data } as unknown as AccessReviewEvent
    if (event.type === 'access_review.created') review.selfReview = event.data.settings.selfReview
    if (event.type === 'access_review.started') review.position = event.data.position
    if (event.type === 'access_review.opened') opened = event.data
    if (event.type === 'access_review.completed') review.counts = event.data.counts
  }

  const ofPopulation = ({ stream, revision, data }: EvidenceEvent): void => {
    const { part, items: added } = data as { readonly part?: unknown; readonly items?: readonly ReviewItem[] }
    if (revision !== review.parts || part !== review.parts)
      contradicts('a part of the population is missing', stream)
    review.parts++
    for (const item of added ?? []) {
      if (items.has(item.itemId)) contradicts(`the item ${item.itemId} is in the population twice`, stream)
      items.set(item.itemId, { item, state: reviewItemDecider.initial, revision: -1 })
    }
  }

  const ofItem = (known: KnownItem, { stream, revision, type, data }: EvidenceEvent): void => {
    const { item, state } = known
    if (revision !== known.revision + 1) contradicts('a decision is missing', stream)
    const event = { type, data } as unknown as Parameters<typeof reviewItemDecider.evolve>[1]
    if (event.data.userId !== item.userId || event.data.resource.id !== item.resource.id)
      contradicts('the event is about another item', stream)
    if (event.type === 'access_review.item_decided' && event.data.reviewerId !== null) {
      const { reviewerId } = event.data
      if (!(state.reviewerIds ?? item.reviewers[state.stage - 1] ?? []).includes(reviewerId))
        contradicts(`${reviewerId} decided without having been asked`, stream)
      if (reviewerId === item.userId && !review.selfReview)
        contradicts('the user decided about their own access', stream)
    }
    if (event.type === 'access_review.item_applied' && !(state.isFinal && state.decision === 'revoked'))
      contradicts('something was applied that was not decided', stream)
    items.set(item.itemId, { item, state: reviewItemDecider.evolve(state, event), revision })
  }

  /** Counts what was decided and applied. */
  const counted = (): ReviewCounts => {
    const states = [...items.values()].map(({ state }) => state)
    const decided = (decision: string): number =>
      states.filter((state) => state.isFinal && state.decision === decision).length
    const applied = (status: string): number => states.filter((state) => state.applied === status).length
    return {
      total: states.length,
      ...{ approved: decided('approved'), revoked: decided('revoked'), abstained: decided('abstained') },
      ...{ applied: applied('applied'), failed: applied('failed'), manual: applied('manual') },
    }
  }

  return {
    add: (event: EvidenceEvent): void => {
      const { stream, data } = event
      if (stream === accessReviewStream(reviewId)) return ofReview(event)
      if (stream === populationStream(reviewId)) return ofPopulation(event)
      const known = items.get(String(data['itemId']))
      if (known === undefined || stream !== reviewItemStream(known.item.itemId))
        return contradicts('the event belongs to no item of the population', stream)
      return ofItem(known, event)
    },
    /** Checks what only the end can tell. */
    end: (): ReviewCounts => {
      const stream = accessReviewStream(reviewId)
      const counts = counted()
      if (opened?.parts !== review.parts || opened.items !== counts.total)
        contradicts('the population is not complete', stream)
      const { counts: recorded } = review
      if (recorded === null) contradicts('the review is not completed', stream)
      else
        for (const [name, count] of Object.entries(counts))
          if (recorded[name as keyof ReviewCounts] !== count)
            contradicts(
              `${name}: the review counted ${String(recorded[name as keyof ReviewCounts])}, the events say ${String(count)}`,
              stream,
            )
      return counts
    },
  }
}
