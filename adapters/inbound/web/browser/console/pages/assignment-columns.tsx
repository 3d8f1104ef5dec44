import { Badge } from '../kit/badge.tsx'
import { PageLink } from '../kit/link.tsx'
import type { Column } from '../kit/list.tsx'
import { Time } from '../kit/time.tsx'
import type { PackageAssignmentRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { assignmentStatusNames, assignmentViaNames, usePackageTexts } from './access-packages-texts.ts'

/** What lists of assignments show besides the user or the package: the status, who gave it, from when and until when. */
export const useAssignmentColumns = (): readonly Column<PackageAssignmentRecord>[] => {
  const text = usePackageTexts()
  const statuses = useTexts(assignmentStatusNames)
  const vias = useTexts(assignmentViaNames)
  return [
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
}
