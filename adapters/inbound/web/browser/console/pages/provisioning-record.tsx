import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ApiError, useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { Facts, LoadedPage, PageHead, Section, Tabs } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { ApplicationRecord, ProvisionedUserRecord, ProvisioningRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { ProvisioningDialog, ProvisioningSettings, type ProvisioningAction } from './provisioning-dialogs.tsx'
import { provisioningTexts, pushedTexts } from './provisioning-texts.ts'
import { ProvisioningStatus } from './provisioning.tsx'

const DURING_RUN_MS = 1_000
const OTHERWISE_MS = 5_000

const isNotSetUp = (error: Error | null): boolean =>
  error instanceof ApiError && error.code === 'ERR_NOT_CONFIGURED'

type Asked =
  | { readonly action: 'setUp'; readonly application: ApplicationRecord }
  | { readonly action: ProvisioningAction; readonly provisioning: ProvisioningRecord }

type Ask = (asked: Asked) => void

/** The dialogs are here, so that they stay until their command has ended when what is below them is replaced. */
export const ProvisioningRecordPage = ({ id }: { readonly id: string }) => {
  const provisioning = useRecord<ProvisioningRecord>(`/provisioning/applications/${id}`, false, ({ run }) =>
    run === null ? OTHERWISE_MS : DURING_RUN_MS,
  )
  const [asked, setAsked] = useState<Asked | null>(null)
  const close = (): void => setAsked(null)
  return (
    <>
      {isNotSetUp(provisioning.error) ? (
        <NotSetUp applicationId={id} ask={setAsked} />
      ) : (
        <LoadedPage query={provisioning}>
          {(data) => <LoadedProvisioning provisioning={data} ask={setAsked} />}
        </LoadedPage>
      )}
      {asked?.action === 'setUp' && (
        <ProvisioningSettings
          applicationId={id}
          name={asked.application.name}
          current={null}
          onClose={close}
        />
      )}
      {asked !== null && asked.action !== 'setUp' && (
        <ProvisioningDialog action={asked.action} provisioning={asked.provisioning} onClose={close} />
      )}
    </>
  )
}

const NotSetUp = ({ applicationId, ask }: { readonly applicationId: string; readonly ask: Ask }) => {
  const text = useTexts(provisioningTexts)
  const { at } = useMoment()
  const mayWrite = useMay('app_admin') && at === null
  const query = useRecord<ApplicationRecord>(`/applications/${applicationId}`)
  return (
    <LoadedPage query={query}>
      {(application) => (
        <PageHead
          title={application.name}
          lead={text.notSetUp}
          actions={
            mayWrite &&
            !application.builtIn && (
              <Button look="primary" onClick={() => ask({ action: 'setUp', application })}>
                {text.setUp}
              </Button>
            )
          }
        />
      )}
    </LoadedPage>
  )
}

const offeredFor = ({
  enabled,
  tokenReadable,
  status,
}: ProvisioningRecord): readonly ProvisioningAction[] => [
  ...(status === 'paused' ? (['resume'] as const) : []),
  ...(tokenReadable ? (['test'] as const) : []),
  ...(enabled && tokenReadable && status !== 'paused' ? (['sync'] as const) : []),
  'edit',
  'remove',
]

const LoadedProvisioning = ({
  provisioning,
  ask,
}: {
  readonly provisioning: ProvisioningRecord
  readonly ask: Ask
}) => {
  const text = useTexts(provisioningTexts)
  const { at } = useMoment()
  const mayWrite = useMay('app_admin') && at === null
  const { applicationId, applicationName, tokenReadable, status, pausedOver, lastError } = provisioning
  const notice =
    (!tokenReadable && text.unreadableHint) ||
    (status === 'paused' && text.pausedHint(pausedOver ?? 0)) ||
    (lastError !== null && text.failingHint(lastError))
  return (
    <>
      <PageHead
        title={applicationName}
        badge={<ProvisioningStatus provisioning={provisioning} />}
        lead={provisioning.baseUrl}
        actions={
          mayWrite &&
          offeredFor(provisioning).map((name) => (
            <Button
              key={name}
              small
              look={name === 'remove' ? 'danger' : 'plain'}
              onClick={() => ask({ action: name, provisioning })}
            >
              {text[name]}
            </Button>
          ))
        }
      />
      {notice !== false && (
        <div className="notice notice-problem">
          <p>{notice}</p>
        </div>
      )}
      <State provisioning={provisioning} />
      <Tabs
        label={applicationName}
        path={`/console/provisioning/${applicationId}`}
        tabs={[
          { name: 'users', label: text.users, body: () => <Users provisioning={provisioning} /> },
          {
            name: 'settings',
            label: text.settings,
            body: () => <Settings provisioning={provisioning} />,
          },
          {
            name: 'history',
            label: text.history,
            body: () => (
              <AuditTable path="/audit" fixed={{ targetType: 'provisioning', targetId: applicationId }} />
            ),
          },
        ]}
      />
    </>
  )
}

const State = ({
  provisioning: { counts, lastSyncAt, run },
}: {
  readonly provisioning: ProvisioningRecord
}) => {
  const text = useTexts(provisioningTexts)
  const common = useTexts(commonTexts)
  return (
    <Section title={text.state}>
      <Facts
        facts={[
          [text.linked, counts.linked],
          [text.pendingCreate, counts.pendingCreate],
          [text.errors, counts.errors],
          [
            text.lastSync,
            lastSyncAt === null ? common.never : <Time key="lastSync" value={lastSyncAt} relative />,
          ],
        ]}
      />
      {run !== null && (
        <p role="status">
          {text.running}{' '}
          {run.total !== null && (
            <>
              <progress max={run.total} value={run.done} aria-label={text.running} />{' '}
              {text.progress(run.done, run.total)}
            </>
          )}
        </p>
      )}
    </Section>
  )
}

const tones = { linked: 'good', pending: 'neutral', deactivated: 'neutral', error: 'bad' } as const

const Users = ({
  provisioning: { applicationId, counts, lastSyncAt, run },
}: {
  readonly provisioning: ProvisioningRecord
}) => {
  const text = useTexts(provisioningTexts)
  const client = useQueryClient()
  const path = `/provisioning/applications/${applicationId}/users`
  // The list is read again whenever the figures above it changed.
  const figures = JSON.stringify([counts, lastSyncAt, run?.done])
  useEffect(() => {
    void client.invalidateQueries({ queryKey: ['list', path] })
  }, [client, path, figures])
  const states: Readonly<Record<ProvisionedUserRecord['state'], string>> = {
    linked: text.linkedAccount,
    pending: text.pending,
    deactivated: text.deactivated,
    error: text.problem,
  }
  const columns: readonly Column<ProvisionedUserRecord>[] = [
    {
      name: 'name',
      label: text.user,
      cell: ({ userId, name }) => <PageLink to={`/console/users/${userId}`}>{name}</PageLink>,
      text: ({ name }) => name,
    },
    { name: 'email', label: text.userEmail, cell: ({ email }) => email, text: ({ email }) => email },
    {
      name: 'state',
      label: text.account,
      cell: ({ state }) => <Badge tone={tones[state]}>{states[state]}</Badge>,
      text: ({ state }) => state,
    },
    {
      name: 'error',
      label: text.problem,
      cell: ({ error }) => error ?? '',
      text: ({ error }) => error ?? '',
    },
    {
      name: 'next',
      label: text.nextAttempt,
      cell: ({ nextAttemptAt }) => nextAttemptAt !== null && <Time value={nextAttemptAt} relative />,
      text: ({ nextAttemptAt }) => nextAttemptAt ?? '',
    },
    {
      name: 'pushed',
      label: text.lastPushed,
      cell: ({ lastPushedAt }) => lastPushedAt !== null && <Time value={lastPushedAt} relative />,
      text: ({ lastPushedAt }) => lastPushedAt ?? '',
    },
    {
      name: 'remote',
      label: text.remoteId,
      cell: ({ remoteId }) => remoteId !== null && <code>{remoteId}</code>,
      text: ({ remoteId }) => remoteId ?? '',
    },
  ]
  return (
    <Section title={text.users} hint={text.usersHint}>
      <RecordList<ProvisionedUserRecord>
        path={path}
        label={text.users}
        columns={columns}
        keyOf={({ userId }) => userId}
        nameOf={({ name }) => name}
        empty={text.noUsers}
      />
    </Section>
  )
}

const Settings = ({ provisioning }: { readonly provisioning: ProvisioningRecord }) => {
  const text = useTexts(provisioningTexts)
  const common = useTexts(commonTexts)
  const pushed = useTexts(pushedTexts)
  const { applicationId, applicationName, attributes } = provisioning
  const sent = Object.entries(pushed).filter(([name]) =>
    Object.entries(attributes).some(([attribute, isSent]) => attribute === name && isSent),
  )
  return (
    <Section title={text.settings}>
      <Facts
        facts={[
          [
            text.application,
            <PageLink key="application" to={`/console/applications/${applicationId}`}>
              {applicationName}
            </PageLink>,
          ],
          [text.baseUrl, provisioning.baseUrl],
          [text.enabled, provisioning.enabled ? common.yes : common.no],
          [text.userName, text[provisioning.userNameAttribute]],
          [text.sent, sent.map(([, label]) => label).join(', ') || common.none],
          [text.createdAt, <Time key="created" value={provisioning.createdAt} />],
          [text.updatedAt, <Time key="updated" value={provisioning.updatedAt} />],
        ]}
      />
    </Section>
  )
}
