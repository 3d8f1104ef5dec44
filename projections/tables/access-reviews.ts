import type { AccessReviewEvent } from '../../domain/access-review/events.ts'
import { applyChanges } from '../../domain/changes.ts'
import type { Recorded } from '../../domain/catalogue.ts'
import { change, type Table } from '../table.ts'

type ReviewEvent = Recorded<AccessReviewEvent>

const self = (event: { data: { reviewId: string } }) => ({ id: event.data.reviewId })
const stamp = (event: ReviewEvent) => ({ updated_at: event.metadata.time, version: event.revision + 1 })

interface Settings {
  readonly name: string
  readonly description?: string | null
  readonly schedule: { readonly startsAt: string }
}

const columnsOf = <Fields extends Settings>(fields: Fields) => ({
  ...fields,
  description: fields.description ?? null,
  starts_at: fields.schedule.startsAt,
})

/** Access reviews: their settings and states. */
export const accessReviews: Table = {
  name: 'access_reviews',
  key: ['id'],
  on: {
    'access_review.created': {
      apply: (event, rows) => {
        const { data, metadata, position } = event
        const {
          name,
          description,
          scope,
          stages,
          schedule,
          settings,
          previousReviewId = null,
          seriesStartsAt = null,
        } = data
        rows.put({
          ...self(event),
          ...columnsOf({ name, ...(description === undefined ? {} : { description }), schedule }),
          ...{ scope, stages, settings, status: 'scheduled', position: null, started_at: null },
          ...{ ends_at: null, opened_at: null, closed_at: null, close_reason: null, completed_at: null },
          reminded: [],
          previous_review_id: previousReviewId,
          series_starts_at: seriesStartsAt,
          author_id: data.authorId,
          created_at: metadata.time,
          created_position: position,
          ...stamp(event),
        })
      },
    },
    'access_review.updated': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        for (const row of rows.find(self(event))) {
          const { name, description, scope, stages, schedule, settings } = row
          const next = applyChanges(
            { name, description, scope, stages, schedule, settings },
            event.data.changes,
          ) as Settings
          rows.put({
            ...row,
            ...columnsOf(next),
            author_id: event.metadata.actorId ?? row['author_id'],
            ...stamp(event),
          })
        }
      },
    },
    'access_review.started': change(self, (event) => ({
      status: 'active',
      position: event.data.position,
      started_at: event.data.startedAt,
      ends_at: event.data.endsAt,
      ...stamp(event),
    })),
    'access_review.opened': change(self, (event) => ({ opened_at: event.metadata.time, ...stamp(event) })),
    'access_review.reminded': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        for (const row of rows.find(self(event)))
          rows.put({
            ...row,
            reminded: [...(row['reminded'] as readonly number[]), event.data.daysLeft],
            ...stamp(event),
          })
      },
    },
    'access_review.closed': change(self, (event) => ({
      status: 'closed',
      closed_at: event.metadata.time,
      close_reason: event.data.reason,
      ...stamp(event),
    })),
    'access_review.applying': change(self, (event) => ({
      status: 'applying',
      ...(event.metadata.actorId === null ? {} : { author_id: event.metadata.actorId }),
      ...stamp(event),
    })),
    'access_review.completed': change(self, (event) => ({
      status: 'completed',
      completed_at: event.metadata.time,
      ...stamp(event),
    })),
    'access_review.cancelled': change(self, (event) => ({ status: 'cancelled', ...stamp(event) })),
    'access_review.deleted': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        for (const row of rows.find(self(event))) rows.delete(row)
      },
    },
  },
}
