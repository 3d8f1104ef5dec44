import type { AccessPackageEvent, PackageGrant, PackageReview } from '../../domain/access-package/events.ts'
import type { Recorded } from '../../domain/catalogue.ts'
import { secondsAfter, type Instant } from '../../domain/time.ts'
import { change, type Table } from '../table.ts'

const self = (event: { data: { packageId: string } }) => ({ id: event.data.packageId })
const stamp = (event: Recorded<AccessPackageEvent>) => ({
  updated_at: event.metadata.time,
  version: event.revision + 1,
})

const groupIds = (grants: readonly PackageGrant[]) => grants.map(({ groupId }) => groupId)

const DAY = 86_400

/** When the next review of everybody with the package starts; null for never. */
const reviewDueAfter = (time: Instant, review: unknown): Instant | null =>
  review === null ? null : secondsAfter(time, (review as PackageReview).everyDays * DAY)

const columnOf: Readonly<Record<string, string>> = {
  name: 'name',
  description: 'description',
  requestable: 'requestable',
  requesters: 'requesters',
  approval: 'approval',
  requesterJustificationRequired: 'requester_justification_required',
  duration: 'duration',
  incompatiblePackageIds: 'incompatible_package_ids',
  ownerIds: 'owner_ids',
  questions: 'questions',
  review: 'review',
}

/** Access packages with their current settings. */
export const accessPackages: Table = {
  name: 'access_packages',
  key: ['id'],
  on: {
    'access_package.created': {
      apply: (event, rows) => {
        const { data, metadata } = event
        rows.put({
          ...self(event),
          status: 'draft',
          name: data.name,
          name_key: data.name.toLowerCase(),
          description: data.description ?? null,
          group_ids: groupIds(data.grants),
          requestable: data.requestable,
          requesters: data.requesters,
          approval: data.approval,
          requester_justification_required: data.requesterJustificationRequired,
          duration: data.duration ?? null,
          incompatible_package_ids: data.incompatiblePackageIds,
          owner_ids: data.ownerIds,
          questions: data.questions,
          review: data.review ?? null,
          // A draft has no users.
          review_due_at: null,
          created_at: metadata.time,
          ...stamp(event),
        })
      },
    },
    'access_package.updated': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        for (const row of rows.find(self(event))) {
          const next: Record<string, unknown> = { ...row, ...stamp(event) }
          for (const { field, to } of event.data.changes) {
            const column = columnOf[field]
            if (column !== undefined) next[column] = to
            if (field === 'name') next['name_key'] = String(to).toLowerCase()
            if (field === 'grants') next['group_ids'] = groupIds(to as readonly PackageGrant[])
          }
          const [before, review] = [row['review'], next['review']] as (PackageReview | null)[]
          if (row['status'] !== 'draft' && before?.everyDays !== review?.everyDays)
            next['review_due_at'] = reviewDueAfter(event.metadata.time, review)
          rows.put(next)
        }
      },
    },
    'access_package.published': {
      reads: (event) => [self(event)],
      apply: (event, rows) => {
        for (const row of rows.find(self(event)))
          rows.put({
            ...row,
            status: 'published',
            review_due_at: row['review_due_at'] ?? reviewDueAfter(event.metadata.time, row['review']),
            ...stamp(event),
          })
      },
    },
    'access_package.archived': change(self, (event) => ({ status: 'archived', ...stamp(event) })),
    'access_package.deleted': change(self, (event) => ({
      status: 'deleted',
      name_key: null,
      review_due_at: null,
      ...stamp(event),
    })),
    'access_review.created': {
      reads: ({ data }) => (data.ofPackageId === undefined ? [] : [{ id: data.ofPackageId }]),
      apply: ({ data }, rows) => {
        if (data.ofPackageId === undefined) return
        for (const row of rows.find({ id: data.ofPackageId }))
          rows.put({ ...row, review_due_at: reviewDueAfter(data.schedule.startsAt, row['review']) })
      },
    },
  },
}
