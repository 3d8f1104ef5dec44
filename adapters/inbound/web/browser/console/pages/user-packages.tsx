/** The access packages that a user has, had or will have. */
import { Badge } from '../kit/badge.tsx'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { Time } from '../kit/time.tsx'
import type { PackageAssignmentRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { assignmentStatusNames, assignmentViaNames, usePackageTexts } from './access-packages-texts.ts'

export const UserPackages = ({ userId }: { readonly userId: string }) => {
  const text = usePackageTexts()
  const statuses = useTexts(assignmentStatusNames)
  const vias = useTexts(assignmentViaNames)
  const columns: readonly Column<PackageAssignmentRecord>[] = [
    {
      name: 'package',
      label: text.name,
      cell: ({ packageId, packageName }) => (
        <PageLink to={`/console/access-packages/${packageId}`}>{packageName}</PageLink>
      ),
      text: ({ packageName }) => packageName,
    },
    {
      name: 'status',
      label: text.state,
      cell: ({ status }) => <Badge tone={status === 'active' ? 'good' : 'neutral'}>{statuses[status]}</Badge>,
      text: ({ status }) => statuses[status],
    },
    {
      name: 'via',
      label: text.via,
      cell: ({ via, requestId }) =>
        requestId === null ? (
          vias[via]
        ) : (
          <PageLink to={`/console/access-requests/${requestId}`}>{vias[via]}</PageLink>
        ),
      text: ({ via }) => vias[via],
    },
    {
      name: 'from',
      label: text.from,
      cell: ({ startsAt }) => <Time value={startsAt} />,
      text: ({ startsAt }) => startsAt,
    },
    {
      name: 'until',
      label: text.until,
      cell: ({ endedAt, expiresAt }) => {
        const end = endedAt ?? expiresAt
        return end === null ? text.never : <Time value={end} />
      },
      text: ({ endedAt, expiresAt }) => endedAt ?? expiresAt ?? '',
    },
  ]
  return (
    <RecordList<PackageAssignmentRecord>
      path={`/users/${userId}/access-packages`}
      label={text.title}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ packageName }) => packageName}
      empty={text.noAssignment}
      filters={[
        {
          name: 'state',
          label: text.onlyOpen,
          options: [
            { value: 'open', label: text.open },
            { value: 'ended', label: text.past },
          ],
        },
      ]}
    />
  )
}
