import { useState } from 'react'
import { durationText } from '../../../../../../domain/duration-text.ts'
import { useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { Button } from '../kit/button.tsx'
import { ActionDialog } from '../kit/action-dialog.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { PageLink } from '../kit/link.tsx'
import { Picker } from '../kit/picker.tsx'
import { Facts, LoadedPage, PageHead, Section, Tabs } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { AccessRequestRecord, ListedUserRecord } from '../records.ts'
import { useMay, useSession } from '../session.tsx'
import { useReader, useTexts } from '../text.tsx'
import { ApprovalStages } from './access-package-stages.tsx'
import { useDecisions } from './access-request-commands.ts'
import { RequestBadge } from './access-requests.tsx'
import { accessRequestTexts, requestTypeNames } from './access-requests-texts.ts'

export const AccessRequestPage = ({ id }: { readonly id: string }) => {
  const found = useRecord<AccessRequestRecord>(`/access-requests/${id}`)
  return <LoadedPage query={found}>{(data) => <LoadedRequest request={data} />}</LoadedPage>
}

type Action = 'approve' | 'deny' | 'reassign' | 'cancel' | 'retry'

const LoadedRequest = ({ request }: { readonly request: AccessRequestRecord }) => {
  const text = useTexts(accessRequestTexts)
  const { at } = useMoment()
  const mayWrite = useMay('user_admin') && at === null
  const { id: ownId } = useSession()
  const [action, setAction] = useState<Action | null>(null)
  const { id, packageName, forUser, requester, status } = request
  const close = (): void => setAction(null)
  const isPending = status === 'pending' && at === null
  const decisions = useDecisions()
  const decides = at === null && decisions.approve.applies(request)
  const isOwn = requester.id === ownId || forUser.id === ownId
  return (
    <>
      <PageHead
        title={text.titleOf(packageName, forUser.name)}
        badge={<RequestBadge status={status} />}
        actions={
          <>
            {decides && (
              <>
                <Button small look="primary" onClick={() => setAction('approve')}>
                  {text.approve}
                </Button>
                <Button small look="danger" onClick={() => setAction('deny')}>
                  {text.deny}
                </Button>
              </>
            )}
            {isPending && (decides || mayWrite) && !isOwn && (
              <Button small onClick={() => setAction('reassign')}>
                {text.reassign}
              </Button>
            )}
            {isPending && mayWrite && (
              <Button small onClick={() => setAction('cancel')}>
                {text.cancel}
              </Button>
            )}
            {status === 'failed' && mayWrite && (
              <Button small look="primary" onClick={() => setAction('retry')}>
                {text.retry}
              </Button>
            )}
          </>
        }
      />
      <Tabs
        label={text.titleOf(packageName, forUser.name)}
        path={`/console/access-requests/${id}`}
        tabs={[
          { name: 'overview', label: text.overview, body: () => <Story request={request} /> },
          {
            name: 'history',
            label: text.history,
            body: () => <AuditTable path="/audit" fixed={{ targetType: 'access_request', targetId: id }} />,
          },
        ]}
      />
      {(action === 'approve' || action === 'deny') && (
        <ActionDialog
          action={decisions[action]}
          item={request}
          title={`${text[action]}: ${text.titleOf(packageName, forUser.name)}`}
          done={action === 'approve' ? text.approved : text.denied}
          onClose={close}
        />
      )}
      {action === 'reassign' && (
        <Picker<ListedUserRecord>
          title={text.reassign}
          intro={text.reassignIntro}
          path="/users"
          query={{ status: 'active' }}
          detail={({ email }) => email}
          empty={text.noUsers}
          pick={text.pick}
          command={(user) => ({
            method: 'POST',
            path: `/access-requests/${id}/reassign`,
            body: { approverId: user.id },
          })}
          done={({ name }) => text.reassigned(name)}
          onClose={close}
        />
      )}
      {(action === 'cancel' || action === 'retry') && (
        <CommandDialog
          title={text[action]}
          confirm={text[action]}
          done={action === 'cancel' ? text.cancelled : text.retried}
          command={() => ({ method: 'POST', path: `/access-requests/${id}/${action}` })}
          onClose={close}
        />
      )}
    </>
  )
}

const Story = ({ request }: { readonly request: AccessRequestRecord }) => {
  const text = useTexts(accessRequestTexts)
  const types = useTexts(requestTypeNames)
  const { locale } = useReader()
  const { packageId, packageName, forUser, requester, answers, requestedDuration, startsAt } = request
  const answered = Object.entries(answers)
  return (
    <>
      <Section title={text.overview}>
        <Facts
          facts={[
            [
              text.package,
              <PageLink key="package" to={`/console/access-packages/${packageId}`}>
                {packageName}
              </PageLink>,
            ],
            [text.kind, types[request.type]],
            [
              text.forUser,
              <PageLink key="for" to={`/console/users/${forUser.id}`}>
                {forUser.name}
              </PageLink>,
            ],
            [
              text.requester,
              <PageLink key="by" to={`/console/users/${requester.id}`}>
                {requester.name}
              </PageLink>,
            ],
            [text.time, <Time key="time" value={request.createdAt} />],
            [text.reason, request.justification],
            [
              text.answers,
              answered.length === 0 ? null : (
                <ul key="answers">
                  {answered.map(([question, answer]) => (
                    <li key={question}>
                      {question}: {String(answer)}
                    </li>
                  ))}
                </ul>
              ),
            ],
            [text.duration, requestedDuration === null ? null : durationText(requestedDuration, locale)],
            [text.starts, startsAt === null ? null : <Time key="starts" value={startsAt} />],
            [
              text.approvers,
              request.eligibleApprovers.length === 0 ? null : (
                <ul key="approvers">
                  {request.eligibleApprovers.map(({ id, name }) => (
                    <li key={id}>
                      <PageLink to={`/console/users/${id}`}>{name}</PageLink>
                    </li>
                  ))}
                </ul>
              ),
            ],
            [
              text.deadline,
              request.status !== 'pending' || request.expiresAt === null ? null : (
                <Time key="deadline" value={request.expiresAt} />
              ),
            ],
            [text.error, request.error],
          ]}
        />
      </Section>
      {request.stages.length > 0 && (
        <Section title={text.way}>
          <ApprovalStages
            stages={request.stages}
            current={request.status === 'pending' ? request.stage : null}
          />
        </Section>
      )}
      {request.decisions.length > 0 && (
        <Section title={text.story}>
          <Decisions request={request} />
        </Section>
      )}
    </>
  )
}

const Decisions = ({ request: { decisions } }: { readonly request: AccessRequestRecord }) => {
  const text = useTexts(accessRequestTexts)
  return (
    <ol>
      {decisions.map(({ approverId, approverName, decision, comment, at, stage }) => {
        const name = approverName ?? text.former
        const what = decision === 'approve' ? text.approvedBy(name) : text.deniedBy(name)
        return (
          <li key={`${at} ${approverId ?? ''}`}>
            {approverId === null ? text.noDecision : `${what} (${text.stage(String(stage))})`}{' '}
            <Time value={at} />
            {comment !== null && <blockquote>{comment}</blockquote>}
          </li>
        )
      })}
    </ol>
  )
}
