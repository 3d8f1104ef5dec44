/** API keys: those of one service account, or all. */
import { useState } from 'react'
import { apiKeyScopes } from '../../../../../../domain/api-key/decider.ts'
import { useRecord } from '../api.ts'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { ApiKeyRecord, ServiceAccountRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { RevokeApiKey, useRevokeApiKey } from './api-key-actions.tsx'
import { apiKeysTexts } from './api-keys-texts.ts'
import { ServiceAccountLink, useManagesKeys, useMayManage } from './service-account-parts.tsx'

const statuses = ['active', 'expired', 'revoked'] as const

const tones = { active: 'good', expired: 'neutral', revoked: 'bad' } as const

export const ApiKeyStatus = ({ status }: Pick<ApiKeyRecord, 'status'>) => {
  const text = useTexts(apiKeysTexts)
  return <Badge tone={tones[status]}>{text[status]}</Badge>
}

export const RevokeButton = ({
  apiKey,
  onClick,
}: {
  readonly apiKey: ApiKeyRecord
  readonly onClick: () => void
}) => {
  const text = useTexts(apiKeysTexts)
  const { data: account } = useRecord<ServiceAccountRecord>(`/service-accounts/${apiKey.serviceAccountId}`)
  const mayManage = useMayManage(account)
  const { applies } = useRevokeApiKey()
  if (!mayManage || !applies(apiKey)) return null
  return (
    <Button small look="danger" onClick={onClick}>
      {text.revoke}
      <span className="visually-hidden"> {apiKey.name}</span>
    </Button>
  )
}

export const ApiKeyTable = ({
  path,
  account,
}: {
  /** Of the route */
  readonly path: string
  /** Whose keys these are; default: all */
  readonly account?: ServiceAccountRecord
}) => {
  const text = useTexts(apiKeysTexts)
  const common = useTexts(commonTexts)
  const { at } = useMoment()
  const mayWrite = useMay('user_admin') && at === null
  const revoke = useRevokeApiKey()
  const manages = useManagesKeys(account)
  const [revoking, setRevoking] = useState<ApiKeyRecord | null>(null)
  const columns: readonly Column<ApiKeyRecord>[] = [
    {
      name: 'name',
      label: text.name,
      sort: 'name',
      cell: ({ id, name, prefix }) => (
        <span>
          <PageLink to={`/console/api-keys/${id}`}>{name}</PageLink> <code>{prefix}</code>
        </span>
      ),
      text: ({ name }) => name,
    },
    ...(account !== undefined
      ? []
      : [
          {
            name: 'account',
            label: text.account,
            cell: ({ serviceAccountId }: ApiKeyRecord) => <ServiceAccountLink id={serviceAccountId} />,
            text: ({ serviceAccountId }: ApiKeyRecord) => serviceAccountId,
          },
        ]),
    {
      name: 'status',
      label: text.status,
      cell: ({ status }) => <ApiKeyStatus status={status} />,
      text: ({ status }) => status,
    },
    {
      name: 'scopes',
      label: text.scopes,
      cell: ({ scopes }) => scopes.map((scope) => text[scope]).join(', '),
      text: ({ scopes }) => scopes.join(' '),
    },
    {
      name: 'used',
      label: text.lastUsed,
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? common.never : <Time value={lastUsedAt} relative />),
      text: ({ lastUsedAt }) => lastUsedAt ?? '',
    },
    {
      name: 'expires',
      label: text.expires,
      cell: ({ expiresAt }) => <Time value={expiresAt} />,
      text: ({ expiresAt }) => expiresAt,
    },
    ...(mayWrite
      ? [
          {
            name: 'revoke',
            label: text.revoke,
            cell: (apiKey: ApiKeyRecord) => (
              <RevokeButton apiKey={apiKey} onClick={() => setRevoking(apiKey)} />
            ),
          },
        ]
      : []),
  ]
  return (
    <>
      <RecordList<ApiKeyRecord>
        path={path}
        label={text.title}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        sort="-createdAt"
        bulk={{
          counted: text.counted,
          actions: [{ ...revoke, applies: (key) => revoke.applies(key) && manages(key) }],
        }}
        empty={text.empty}
        filters={[
          { name: 'q', label: common.search },
          {
            name: 'status',
            label: text.status,
            options: statuses.map((value) => ({ value, label: text[value] })),
          },
          {
            name: 'scope',
            label: text.scope,
            options: apiKeyScopes.map((value) => ({ value, label: text[value] })),
          },
        ]}
      />
      {revoking !== null && <RevokeApiKey apiKey={revoking} onClose={() => setRevoking(null)} />}
    </>
  )
}
