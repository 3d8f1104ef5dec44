import { Badge, type Tone } from '../kit/badge.tsx'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { PageHead } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import type { Query } from '../api.ts'
import type { AccessRequestRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { useDecisions } from './access-request-commands.ts'
import { accessRequestTexts, requestStatusNames, requestTypeNames } from './access-requests-texts.ts'

const tones: Readonly<Record<AccessRequestRecord['status'], Tone>> = {
  pending: 'warn',
  approved: 'good',
  scheduled: 'good',
  delivered: 'good',
  failed: 'bad',
  denied: 'bad',
  cancelled: 'neutral',
  expired: 'neutral',
}

export const RequestBadge = ({ status }: Pick<AccessRequestRecord, 'status'>) => {
  const names = useTexts(requestStatusNames)
  return <Badge tone={tones[status]}>{names[status]}</Badge>
}

export const AccessRequestsPage = () => {
  const text = useTexts(accessRequestTexts)
  return (
    <>
      <PageHead title={text.title} lead={text.lead} />
      <AccessRequestTable />
    </>
  )
}

const approversOf = ({ eligibleApprovers }: AccessRequestRecord): string =>
  eligibleApprovers.map(({ name }) => name).join(', ')

export const AccessRequestTable = ({ fixed }: { readonly fixed?: Query }) => {
  const text = useTexts(accessRequestTexts)
  const statuses = useTexts(requestStatusNames)
  const types = useTexts(requestTypeNames)
  const decisions = useDecisions()
  const columns: readonly Column<AccessRequestRecord>[] = [
    {
      name: 'request',
      label: text.request,
      cell: ({ id, packageName, type }) => (
        <span>
          <PageLink to={`/console/access-requests/${id}`}>{packageName}</PageLink>{' '}
          {type !== 'grant' && <Badge>{types[type]}</Badge>}
        </span>
      ),
      text: ({ packageName }) => packageName,
    },
    {
      name: 'for',
      label: text.forUser,
      cell: ({ forUser: { id, name } }) => <PageLink to={`/console/users/${id}`}>{name}</PageLink>,
      text: ({ forUser }) => forUser.name,
    },
    {
      name: 'status',
      label: text.state,
      cell: ({ status }) => <RequestBadge status={status} />,
      text: ({ status }) => statuses[status],
    },
    { name: 'approvers', label: text.approvers, cell: approversOf, text: approversOf },
    {
      name: 'time',
      label: text.time,
      cell: ({ createdAt }) => <Time value={createdAt} relative />,
      text: ({ createdAt }) => createdAt,
    },
  ]
  return (
    <RecordList<AccessRequestRecord>
      path="/access-requests"
      label={text.title}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ packageName, forUser }) => text.titleOf(packageName, forUser.name)}
      empty={text.empty}
      bulk={{ counted: text.counted, actions: Object.values(decisions) }}
      filters={[
        {
          name: 'status',
          label: text.state,
          options: Object.entries(statuses).map(([value, label]) => ({ value, label })),
        },
      ]}
      {...(fixed === undefined ? {} : { fixed })}
    />
  )
}
