import type { Row } from '../rows.ts'
import { change, type Table } from '../table.ts'

const self = (event: { data: { itemId: string } }) => ({ id: event.data.itemId })

/** Parts have one size, so that an item has a number without counting those before. */
const PART = 1_000

interface Decision {
  readonly justification: string | null
}

const decisionsOf = (row: Row): readonly Decision[] => row['decisions'] as readonly Decision[]

/** The items of access reviews, with their decisions. */
export const accessReviewItems: Table = {
  name: 'access_review_items',
  key: ['id'],
  on: {
    'access_review.items_recorded': {
      apply: ({ data }, rows) => {
        for (const [at, item] of data.items.entries())
          rows.put({
            id: item.itemId,
            review_id: data.reviewId,
            number: data.part * PART + at,
            user_id: item.userId,
            resource_type: item.resource.type,
            resource_id: item.resource.id,
            resource_name: item.resource.name,
            paths: item.paths,
            last_used_at: item.lastUsedAt ?? null,
            recommendation: item.recommendation,
            reason: item.reason,
            reviewers: item.reviewers,
            stage: 1,
            reviewer_ids: item.reviewers[0] ?? [],
            decision: 'pending',
            decisions: [],
            decided_at: null,
            apply_status: 'none',
            apply_error: null,
            version: 0,
          })
      },
    },
    'access_review.item_decided': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        const { stage, decision, final, reviewerId, justification = null } = event.data
        const at = event.metadata.time
        for (const row of rows.find(self(event))) {
          const reviewers = row['reviewers'] as readonly (readonly string[])[]
          rows.put({
            ...row,
            decisions: [...decisionsOf(row), { reviewerId, decision, justification, at, stage }],
            ...(final
              ? { decision, decided_at: at, apply_status: decision === 'revoked' ? 'pending' : 'none' }
              : { stage: stage + 1, reviewer_ids: reviewers[stage] ?? [] }),
            version: event.revision + 1,
          })
        }
      },
    },
    'access_review.item_reassigned': change(self, (event) => ({
      reviewer_ids: event.data.reviewerIds,
      version: event.revision + 1,
    })),
    'access_review.item_applied': change(self, (event) => ({
      apply_status: event.data.status,
      apply_error: event.data.error ?? null,
      version: event.revision + 1,
    })),
    // Keeps what a replay produces without the key.
    'user.erased': {
      reads: ({ data }) => [{ user_id: data.userId }],
      apply: (event, rows) => {
        for (const row of rows.find({ user_id: event.data.userId }))
          rows.put({
            ...row,
            decisions: decisionsOf(row).map((decision) => ({ ...decision, justification: null })),
          })
      },
    },
  },
}
