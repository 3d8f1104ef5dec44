import { useState } from 'react'
import { roles } from '../../../../../../domain/roles.ts'
import { useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { ActionButtons } from '../kit/action-buttons.tsx'
import { Button } from '../kit/button.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Facts, LoadedPage, PageHead, Section, Tabs } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import { UserLink } from '../record-links.tsx'
import type { ServiceAccountRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { AccessReviewTable } from './access-reviews.tsx'
import { accessReviewTexts } from './access-reviews-texts.ts'
import { CreateApiKey } from './api-key-actions.tsx'
import { ApiKeyTable } from './api-key-table.tsx'
import { apiKeysTexts } from './api-keys-texts.ts'
import { ServiceAccountDialog, type ServiceAccountAction } from './service-account-actions.tsx'
import { ServiceAccountStatus, useMayManage } from './service-account-parts.tsx'
import { serviceAccountsTexts } from './service-accounts-texts.ts'

export const ServiceAccountPage = ({ id }: { readonly id: string }) => {
  const account = useRecord<ServiceAccountRecord>(`/service-accounts/${id}`)
  return <LoadedPage query={account}>{(data) => <LoadedServiceAccount account={data} />}</LoadedPage>
}

const LoadedServiceAccount = ({ account }: { readonly account: ServiceAccountRecord }) => {
  const text = useTexts(serviceAccountsTexts)
  const { title: reviews } = useTexts(accessReviewTexts)
  const { at } = useMoment()
  const mayManage = useMayManage(account)
  const mayRule = useMay() && at === null && account.status !== 'deleted'
  const mayName = useMay('security_admin') && at === null && account.status !== 'deleted'
  const [action, setAction] = useState<ServiceAccountAction | null>(null)
  const offered: readonly ServiceAccountAction[] = [
    ...(mayManage ? (['edit'] as const) : []),
    ...(mayRule ? (['changeRoles'] as const) : []),
    ...(mayManage ? ([account.status === 'active' ? 'disable' : 'enable'] as const) : []),
    ...(mayName ? (['changeHostNames'] as const) : []),
    ...(mayManage ? (['delete'] as const) : []),
  ]
  return (
    <>
      <PageHead
        title={account.name}
        badge={<ServiceAccountStatus status={account.status} />}
        lead={account.description ?? undefined}
        actions={
          <ActionButtons
            actions={offered.map((name) => ({
              name,
              label: text[name],
              dangerous: name === 'disable' || name === 'delete',
            }))}
            onAction={setAction}
          />
        }
      />
      <Tabs
        label={account.name}
        path={`/console/service-accounts/${account.id}`}
        tabs={[
          { name: 'keys', label: text.keys, body: () => <Keys account={account} mayManage={mayManage} /> },
          { name: 'details', label: text.details, body: () => <Details account={account} /> },
          {
            name: 'reviews',
            label: reviews,
            body: () => <AccessReviewTable fixed={{ userId: account.id }} />,
          },
          {
            name: 'history',
            label: text.history,
            body: () => (
              <AuditTable path="/audit" fixed={{ targetType: 'service_account', targetId: account.id }} />
            ),
          },
        ]}
      />
      {action !== null && (
        <ServiceAccountDialog action={action} account={account} onClose={() => setAction(null)} />
      )}
    </>
  )
}

const Keys = ({
  account,
  mayManage,
}: {
  readonly account: ServiceAccountRecord
  readonly mayManage: boolean
}) => {
  const text = useTexts(serviceAccountsTexts)
  const { create } = useTexts(apiKeysTexts)
  const [creating, setCreating] = useState(false)
  return (
    <Section
      title={text.keys}
      hint={text.keysHint}
      actions={
        mayManage &&
        account.status === 'active' && <Button onClick={() => setCreating(true)}>{create}</Button>
      }
    >
      {account.status === 'disabled' && (
        <div className="notice">
          <p>{text.keysDisabled}</p>
        </div>
      )}
      <ApiKeyTable path={`/service-accounts/${account.id}/keys`} account={account} />
      {creating && <CreateApiKey account={account} onClose={() => setCreating(false)} />}
    </Section>
  )
}

const Details = ({ account }: { readonly account: ServiceAccountRecord }) => {
  const text = useTexts(serviceAccountsTexts)
  const common = useTexts(commonTexts)
  return (
    <Section title={text.details}>
      <Facts
        facts={[
          [text.accountId, <code key="id">{account.id}</code>],
          [
            text.roles,
            account.roles.length === 0 ? common.none : account.roles.map((role) => roles[role]).join(', '),
          ],
          [text.sshHostNames, account.sshHostNames.join(', ') || common.none],
          [text.owner, account.ownerId && <UserLink id={account.ownerId} />],
          [text.activeKeys, account.keyCount],
          [text.lastUsed, account.lastUsedAt === null ? common.never : <Time value={account.lastUsedAt} />],
          [text.createdBy, account.createdBy && <UserLink id={account.createdBy} />],
          [text.createdAt, <Time key="created" value={account.createdAt} />],
          [text.updatedAt, <Time key="updated" value={account.updatedAt} />],
        ]}
      />
    </Section>
  )
}
