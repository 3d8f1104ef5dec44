import { useState, type ReactNode } from 'react'
import { useLocation } from 'wouter'
import { isRole, roles } from '../../../../../../domain/roles.ts'
import { useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { PageLink } from '../kit/link.tsx'
import { Facts, LoadedPage, PageHead, Section, Tabs } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { AccessReviewRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { riskLevelTexts } from '../risk-texts.ts'
import { useTexts } from '../text.tsx'
import { reviewBody, reviewFieldNames, ReviewFields, reviewValuesOf } from './access-review-fields.tsx'
import { ReviewItems } from './access-review-items.tsx'
import {
  accessReviewTexts,
  reviewRepeatNames,
  noResponseNames,
  reviewerTypeNames,
  reviewScopeNames,
} from './access-reviews-texts.ts'
import { ReviewBadge } from './access-reviews.tsx'

const POLL_MS = 2000

/** Whether the service is working on it: its items are being collected, or its decisions applied. */
const isWorkedOn = ({ status, openedAt, settings }: AccessReviewRecord): boolean =>
  status === 'applying' ||
  (status === 'active' && openedAt === null) ||
  (status === 'closed' && settings.autoApply)

export const AccessReviewPage = ({ id }: { readonly id: string }) => {
  const found = useRecord<AccessReviewRecord>(`/access-reviews/${id}`, false, (review) =>
    isWorkedOn(review) ? POLL_MS : 0,
  )
  return <LoadedPage query={found}>{(data) => <LoadedReview review={data} />}</LoadedPage>
}

type Action = 'edit' | 'start' | 'complete' | 'apply' | 'cancel' | 'delete'

const LoadedReview = ({ review }: { readonly review: AccessReviewRecord }) => {
  const text = useTexts(accessReviewTexts)
  const { at } = useMoment()
  const isAdministrator = useMay('global_admin')
  const isSecurity = useMay('security_admin')
  const { id, name, status, scope, startedAt, openedAt } = review
  const isOfRoles = scope.type === 'role' || scope.type === 'service_account'
  const mayWrite = at === null && (isOfRoles ? isAdministrator : isSecurity)
  const [action, setAction] = useState<Action | null>(null)
  const offered: readonly Action[] = !mayWrite
    ? []
    : status === 'scheduled'
      ? ['start', 'edit', 'cancel', 'delete']
      : status === 'active'
        ? [...(openedAt === null ? [] : (['complete'] as const)), 'cancel']
        : status === 'closed'
          ? ['apply']
          : status === 'cancelled' && startedAt === null
            ? ['delete']
            : []
  return (
    <>
      <PageHead
        title={name}
        badge={<ReviewBadge status={status} />}
        actions={
          <>
            {offered.map((one) => (
              <Button key={one} small onClick={() => setAction(one)}>
                {text[one]}
              </Button>
            ))}
          </>
        }
      />
      <Tabs
        label={name}
        path={`/console/access-reviews/${id}`}
        tabs={[
          { name: 'overview', label: text.overview, body: () => <Overview review={review} /> },
          {
            name: 'items',
            label: text.items,
            body: () => <ReviewItems review={review} mayReassign={mayWrite && status === 'active'} />,
          },
          {
            name: 'history',
            label: text.history,
            body: () => <AuditTable path="/audit" fixed={{ targetType: 'access_review', targetId: id }} />,
          },
        ]}
      />
      {action === 'edit' && <EditReview review={review} onClose={() => setAction(null)} />}
      {action !== null && action !== 'edit' && (
        <Transition review={review} action={action} onClose={() => setAction(null)} />
      )}
    </>
  )
}

const recordLinks = (
  kind: string,
  ids: readonly string[],
  names: Readonly<Record<string, string>>,
): ReactNode => (
  <ul>
    {ids.map((id) => (
      <li key={id}>
        <PageLink to={`/console/${kind}/${id}`}>{names[id] ?? id}</PageLink>
      </li>
    ))}
  </ul>
)

/** The pages of what is reviewed */
const kinds: Readonly<Record<Exclude<AccessReviewRecord['scope']['type'], 'role'>, string>> = {
  application: 'applications',
  group: 'groups',
  package: 'access-packages',
  user: 'users',
  service_account: 'service-accounts',
}

const ReviewedRecords = ({ review: { scope, names } }: { readonly review: AccessReviewRecord }) =>
  scope.type === 'role'
    ? scope.ids.map((id) => (isRole(id) ? roles[id] : id)).join(', ')
    : recordLinks(kinds[scope.type], scope.ids, names)

const Reviewers = ({
  stage: { type, ids, fallbackIds },
  names,
}: {
  readonly stage: AccessReviewRecord['stages'][number]
  readonly names: Readonly<Record<string, string>>
}) => {
  const text = useTexts(accessReviewTexts)
  const types = useTexts(reviewerTypeNames)
  return (
    <>
      {types[type]}
      {ids.length > 0 && recordLinks(type === 'groups' ? 'groups' : 'users', ids, names)}
      {fallbackIds.length > 0 && (
        <>
          <p className="hint">{text.fallback}</p>
          {recordLinks('users', fallbackIds, names)}
        </>
      )}
    </>
  )
}

const Overview = ({ review }: { readonly review: AccessReviewRecord }) => {
  const risks = useTexts(riskLevelTexts)
  const text = useTexts(accessReviewTexts)
  const scopes = useTexts(reviewScopeNames)
  const repeats = useTexts(reviewRepeatNames)
  const silences = useTexts(noResponseNames)
  const { counts, schedule, settings, scope, startedAt, endsAt, previousReviewId, stages, names } = review
  return (
    <>
      <Section title={text.overview}>
        <Facts
          facts={[
            [text.description, review.description],
            [text.scope, scopes[scope.type]],
            [text.ids, <ReviewedRecords key="ids" review={review} />],
            [
              text.onlyMembers,
              scope.userFilter?.groupIds === undefined
                ? null
                : recordLinks('groups', scope.userFilter.groupIds, names),
            ],
            [text.unusedDays, scope.userFilter?.inactiveDays?.toString() ?? null],
            [
              text.riskLevel,
              scope.userFilter?.riskLevel === undefined
                ? null
                : text.atLeast(risks[scope.userFilter.riskLevel]),
            ],
            ...stages.map((stage, at): [string, ReactNode] => [
              at === 0 ? text.by : text.thenBy,
              <Reviewers key={at} stage={stage} names={names} />,
            ]),
            [text.starts, <Time key="starts" value={startedAt ?? schedule.startsAt} />],
            [text.ends, endsAt === null ? null : <Time key="ends" value={endsAt} />],
            [text.repeat, repeats[schedule.repeat]],
            [text.onNoResponse, silences[settings.onNoResponse]],
            [text.snapshot, review.snapshotAt],
            [
              text.previous,
              previousReviewId === null ? null : (
                <PageLink key="previous" to={`/console/access-reviews/${previousReviewId}`}>
                  {review.name}
                </PageLink>
              ),
            ],
          ]}
        />
      </Section>
      {review.status === 'completed' && (
        <p>
          <a href={`/api/v1/access-reviews/${review.id}/evidence`} download>
            {text.evidence}
          </a>
        </p>
      )}
      <Section title={text.progress}>
        <Facts
          facts={[
            [text.total, String(counts.total)],
            [text.pending, String(counts.pending)],
            [text.approved, String(counts.approved)],
            [text.revoked, String(counts.revoked)],
            [text.removed, String(counts.applied)],
            [text.manual, String(counts.manual)],
            [text.failed, String(counts.failed)],
          ]}
        />
      </Section>
    </>
  )
}

const EditReview = ({
  review,
  onClose,
}: {
  readonly review: AccessReviewRecord
  readonly onClose: () => void
}) => {
  const text = useTexts(accessReviewTexts)
  const [values, setValues] = useState(() => reviewValuesOf(review))
  return (
    <CommandDialog
      title={text.edit}
      confirm={text.save}
      done={text.saved}
      command={() => ({
        method: 'PATCH',
        path: `/access-reviews/${review.id}`,
        body: reviewBody(values),
        ifVersion: review.version,
      })}
      onClose={onClose}
      names={reviewFieldNames}
      fields={(errorOf) => <ReviewFields values={values} onChange={setValues} errorOf={errorOf} />}
    />
  )
}

const Transition = ({
  review: { id, counts, settings },
  action,
  onClose,
}: {
  readonly review: AccessReviewRecord
  readonly action: Exclude<Action, 'edit'>
  readonly onClose: () => void
}) => {
  const text = useTexts(accessReviewTexts)
  const [, setLocation] = useLocation()
  const silences = useTexts(noResponseNames)
  const intros = {
    start: text.startWhat,
    complete: text.completeWhat(String(counts.pending), silences[settings.onNoResponse]),
    apply: text.applyWhat(String(counts.revoked)),
    cancel: text.cancelWhat,
    delete: text.deleteWhat,
  }
  const done = {
    start: text.started,
    complete: text.completed,
    apply: text.applied,
    cancel: text.cancelled,
    delete: text.deleted,
  }
  return (
    <CommandDialog
      title={text[action]}
      intro={intros[action]}
      confirm={text[action]}
      dangerous={action !== 'start'}
      done={done[action]}
      command={() =>
        action === 'delete'
          ? { method: 'DELETE', path: `/access-reviews/${id}` }
          : {
              method: 'POST',
              path: `/access-reviews/${id}/${action}`,
              ...(action === 'cancel' ? { body: {} } : {}),
            }
      }
      onClose={onClose}
      {...(action === 'delete' ? { onDone: () => setLocation('/console/access-reviews') } : {})}
    />
  )
}
