import { useState } from 'react'
import { useLocation } from 'wouter'
import { Badge, type Tone } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { PageHead } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import type { Query } from '../api.ts'
import { useMoment } from '../moment.tsx'
import type { AccessReviewRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { noReview, reviewBody, reviewFieldNames, ReviewFields } from './access-review-fields.tsx'
import { accessReviewTexts, reviewScopeNames, reviewStatusNames } from './access-reviews-texts.ts'

const tones: Readonly<Record<AccessReviewRecord['status'], Tone>> = {
  scheduled: 'neutral',
  active: 'warn',
  closed: 'warn',
  applying: 'warn',
  completed: 'good',
  cancelled: 'neutral',
}

export const ReviewBadge = ({ status }: Pick<AccessReviewRecord, 'status'>) => {
  const names = useTexts(reviewStatusNames)
  return <Badge tone={tones[status]}>{names[status]}</Badge>
}

export const AccessReviewsPage = () => {
  const text = useTexts(accessReviewTexts)
  const { at } = useMoment()
  const mayWrite = useMay('security_admin') && at === null
  const [creating, setCreating] = useState(false)
  return (
    <>
      <PageHead
        title={text.title}
        lead={text.lead}
        actions={
          mayWrite && (
            <Button look="primary" onClick={() => setCreating(true)}>
              {text.create}
            </Button>
          )
        }
      />
      <AccessReviewTable />
      {creating && <CreateReview onClose={() => setCreating(false)} />}
    </>
  )
}

/** @param fixed `resourceId` or `userId`: only reviews with items of it */
export const AccessReviewTable = ({ fixed }: { readonly fixed?: Query }) => {
  const text = useTexts(accessReviewTexts)
  const common = useTexts(commonTexts)
  const statuses = useTexts(reviewStatusNames)
  const scopes = useTexts(reviewScopeNames)
  const progressOf = ({ counts: { total, pending } }: AccessReviewRecord): string =>
    text.ofAll(String(total - pending), String(total))
  const columns: readonly Column<AccessReviewRecord>[] = [
    {
      name: 'name',
      label: text.name,
      cell: ({ id, name, status }) => (
        <span>
          <PageLink to={`/console/access-reviews/${id}`}>{name}</PageLink> <ReviewBadge status={status} />
        </span>
      ),
      text: ({ name }) => name,
    },
    {
      name: 'scope',
      label: text.scope,
      cell: ({ scope }) => scopes[scope.type],
      text: ({ scope }) => scopes[scope.type],
    },
    { name: 'progress', label: text.progress, cell: progressOf, text: progressOf },
    {
      name: 'starts',
      label: text.starts,
      cell: ({ startedAt, schedule }) => <Time value={startedAt ?? schedule.startsAt} />,
      text: ({ startedAt, schedule }) => startedAt ?? schedule.startsAt,
    },
    {
      name: 'ends',
      label: text.ends,
      cell: ({ endsAt }) => endsAt !== null && <Time value={endsAt} />,
      text: ({ endsAt }) => endsAt ?? '',
    },
  ]
  return (
    <RecordList<AccessReviewRecord>
      path="/access-reviews"
      label={text.title}
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      empty={text.empty}
      filters={[
        { name: 'q', label: common.search },
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

const CreateReview = ({ onClose }: { readonly onClose: () => void }) => {
  const text = useTexts(accessReviewTexts)
  const [, setLocation] = useLocation()
  const [values, setValues] = useState(() => noReview(new Date()))
  return (
    <CommandDialog<AccessReviewRecord>
      title={text.create}
      confirm={text.create}
      done={text.created(values.name.trim())}
      command={() => ({ method: 'POST', path: '/access-reviews', body: reviewBody(values) })}
      onClose={onClose}
      onDone={({ id }) => setLocation(`/console/access-reviews/${id}`)}
      names={reviewFieldNames}
      fields={(errorOf) => <ReviewFields values={values} onChange={setValues} errorOf={errorOf} />}
    />
  )
}
