import type { AccessPackageEvent, PackageGrant } from '../../domain/access-package/events.ts'
import type { Recorded } from '../../domain/catalogue.ts'
import { change, type Table } from '../table.ts'

const self = (event: { data: { packageId: string } }) => ({ id: event.data.packageId })
const stamp = (event: Recorded<AccessPackageEvent>) => ({
  updated_at: event.metadata.time,
  version: event.revision + 1,
})

const groupIds = (grants: readonly PackageGrant[]) => grants.map(({ groupId }) => groupId)

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
          created_at: metadata.time,
          ...stamp(event),
        })
      },
    },
    'access_package.updated': change(self, (event) => {
      const row: Record<string, unknown> = { ...stamp(event) }
      for (const { field, to } of event.data.changes) {
        const column = columnOf[field]
        if (column !== undefined) row[column] = to
        if (field === 'name') row['name_key'] = String(to).toLowerCase()
        if (field === 'grants') row['group_ids'] = groupIds(to as readonly PackageGrant[])
      }
      return row
    }),
    'access_package.published': change(self, (event) => ({ status: 'published', ...stamp(event) })),
    'access_package.archived': change(self, (event) => ({ status: 'archived', ...stamp(event) })),
    'access_package.deleted': change(self, (event) => ({
      status: 'deleted',
      name_key: null,
      ...stamp(event),
    })),
  },
}
