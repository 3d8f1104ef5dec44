import { useState } from 'react'
import { useRecord } from '../api.ts'
import { AccessChanges } from '../access-changes.tsx'
import { AuditTable } from '../audit-table.tsx'
import { Button } from '../kit/button.tsx'
import { ActionDialog } from '../kit/action-dialog.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { LoadedPage, PageHead, Section, Tabs, type Tab } from '../kit/record.tsx'
import { useLocation } from 'wouter'
import { useMoment } from '../moment.tsx'
import type { ApplicationRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { AccessReviewTable } from './access-reviews.tsx'
import { accessReviewTexts } from './access-reviews-texts.ts'
import { ApplicationAccessTab } from './application-access.tsx'
import { ApplicationApis } from './application-apis.tsx'
import { ApplicationMark } from './application-logo.tsx'
import { ConnectApplication } from './application-connect.tsx'
import { ApplicationSecrets } from './application-secrets.tsx'
import { ApplicationSettings } from './application-settings.tsx'
import { useApplicationActions } from './application-commands.ts'
import { applicationTexts } from './application-texts.ts'
import { applicationStatusTexts } from './applications-texts.ts'
import { ApplicationTest } from './application-test.tsx'
import { ApplicationStatus } from './applications.tsx'

export const ApplicationPage = ({ id }: { readonly id: string }) => {
  const application = useRecord<ApplicationRecord>(`/applications/${id}`, true)
  return <LoadedPage query={application}>{(data) => <LoadedApplication application={data} />}</LoadedPage>
}

type Action = 'enable' | 'disable' | 'delete'

const LoadedApplication = ({ application }: { readonly application: ApplicationRecord }) => {
  const text = useTexts(applicationTexts)
  const { title: reviews } = useTexts(accessReviewTexts)
  const { at } = useMoment()
  const mayWrite = useMay('app_admin') && at === null
  const words = useTexts(applicationStatusTexts)
  const [action, setAction] = useState<Action | null>(null)
  const close = (): void => setAction(null)
  const { id, name, status, builtIn, description, uploadedLogoUrl } = application
  const hasSecrets = application.protocol === 'oidc' && application.tokenEndpointAuthMethod !== 'none'
  const offered: readonly Action[] =
    mayWrite && !builtIn ? [status === 'active' ? 'disable' : 'enable', 'delete'] : []
  const signsUsersIn = application.protocol === 'saml' || application.type !== 'service'
  const now: readonly Tab[] = [
    ...(signsUsersIn && mayWrite && status === 'active'
      ? [{ name: 'test', label: text.test, body: () => <ApplicationTest application={application} /> }]
      : []),
    ...(application.protocol === 'oidc'
      ? [
          {
            name: 'apis',
            label: text.apis,
            body: () => <ApplicationApis application={application} mayWrite={mayWrite} />,
          },
        ]
      : []),
    ...(hasSecrets
      ? [
          {
            name: 'secrets',
            label: text.secrets,
            body: () => <ApplicationSecrets applicationId={id} mayWrite={mayWrite} />,
          },
        ]
      : []),
    { name: 'reviews', label: reviews, body: () => <AccessReviewTable fixed={{ resourceId: id }} /> },
    {
      name: 'changes',
      label: text.changes,
      body: () => (
        <Section title={text.changes} hint={text.changesHint}>
          <AccessChanges path={`/applications/${id}/access/diff`} />
        </Section>
      ),
    },
    {
      name: 'history',
      label: text.history,
      body: () => <AuditTable path="/audit" fixed={{ targetType: 'application', targetId: id }} />,
    },
  ]
  return (
    <>
      <PageHead
        title={name}
        mark={<ApplicationMark uploadedLogoUrl={uploadedLogoUrl} />}
        badge={<ApplicationStatus status={status} />}
        lead={description ?? undefined}
        actions={offered.map((one) => (
          <Button key={one} small look={one === 'enable' ? 'plain' : 'danger'} onClick={() => setAction(one)}>
            {one === 'delete' ? text.delete : words[one]}
          </Button>
        ))}
      />
      <Tabs
        label={name}
        path={`/console/applications/${id}`}
        tabs={[
          {
            name: 'connect',
            label: text.connect,
            body: () => <ConnectApplication application={application} />,
          },
          {
            name: 'settings',
            label: text.settings,
            body: () => <ApplicationSettings application={application} mayWrite={mayWrite} />,
          },
          {
            name: 'access',
            label: text.access,
            body: () => <ApplicationAccessTab application={application} mayWrite={mayWrite} />,
          },
          ...(at === null ? now : []),
        ]}
      />
      {action === 'delete' && <DeleteDialog application={application} onClose={close} />}
      {action !== null && action !== 'delete' && (
        <SwitchDialog action={action} application={application} onClose={close} />
      )}
    </>
  )
}

interface DialogProps {
  readonly application: ApplicationRecord
  readonly onClose: () => void
}

const SwitchDialog = ({
  action,
  application,
  onClose,
}: DialogProps & { readonly action: 'enable' | 'disable' }) => {
  const text = useTexts(applicationStatusTexts)
  const { name } = application
  return (
    <ActionDialog
      action={useApplicationActions()[action]}
      item={application}
      title={`${text[action]}: ${name}`}
      done={action === 'enable' ? text.enabledDone(name) : text.disabledDone(name)}
      onClose={onClose}
    />
  )
}

const DeleteDialog = ({ application: { id, name }, onClose }: DialogProps) => {
  const text = useTexts(applicationTexts)
  const [, setLocation] = useLocation()
  return (
    <CommandDialog
      title={`${text.delete}: ${name}`}
      intro={<p>{text.deleteEffect}</p>}
      confirm={text.delete}
      dangerous
      done={text.deleted(name)}
      command={() => ({ method: 'DELETE', path: `/applications/${id}` })}
      onClose={onClose}
      onDone={() => setLocation('/console/applications')}
    />
  )
}
