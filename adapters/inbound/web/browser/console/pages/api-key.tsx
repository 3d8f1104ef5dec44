import { useState } from 'react'
import { useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Facts, LoadedPage, PageHead, Section, Tabs } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { UserLink } from '../record-links.tsx'
import type { ApiKeyRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { RevokeApiKey } from './api-key-actions.tsx'
import { ApiKeyStatus, RevokeButton } from './api-key-table.tsx'
import { apiKeysTexts } from './api-keys-texts.ts'
import { ServiceAccountLink } from './service-account-parts.tsx'

export const ApiKeyPage = ({ id }: { readonly id: string }) => {
  const apiKey = useRecord<ApiKeyRecord>(`/api-keys/${id}`)
  return <LoadedPage query={apiKey}>{(data) => <LoadedApiKey apiKey={data} />}</LoadedPage>
}

const LoadedApiKey = ({ apiKey }: { readonly apiKey: ApiKeyRecord }) => {
  const text = useTexts(apiKeysTexts)
  const [revoking, setRevoking] = useState(false)
  return (
    <>
      <PageHead
        title={apiKey.name}
        badge={<ApiKeyStatus status={apiKey.status} />}
        actions={<RevokeButton apiKey={apiKey} onClick={() => setRevoking(true)} />}
      />
      <Tabs
        label={apiKey.name}
        path={`/console/api-keys/${apiKey.id}`}
        tabs={[
          { name: 'details', label: text.details, body: () => <Details apiKey={apiKey} /> },
          {
            name: 'history',
            label: text.history,
            body: () => <AuditTable path="/audit" fixed={{ targetType: 'api_key', targetId: apiKey.id }} />,
          },
        ]}
      />
      {revoking && <RevokeApiKey apiKey={apiKey} onClose={() => setRevoking(false)} />}
    </>
  )
}

const Details = ({ apiKey }: { readonly apiKey: ApiKeyRecord }) => {
  const text = useTexts(apiKeysTexts)
  const common = useTexts(commonTexts)
  return (
    <Section title={text.details}>
      <Facts
        facts={[
          [text.account, <ServiceAccountLink key="account" id={apiKey.serviceAccountId} />],
          [text.scopes, apiKey.scopes.map((scope) => text[scope]).join(', ')],
          [text.prefix, <code key="prefix">{apiKey.prefix}</code>],
          [text.expires, <Time key="expires" value={apiKey.expiresAt} />],
          [
            text.addresses,
            apiKey.allowedCidrs.length === 0 ? text.anyAddress : apiKey.allowedCidrs.join(', '),
          ],
          [text.lastUsed, apiKey.lastUsedAt === null ? common.never : <Time value={apiKey.lastUsedAt} />],
          [text.lastUsedFrom, apiKey.lastUsedIp],
          [text.revokedAt, apiKey.revokedAt && <Time value={apiKey.revokedAt} />],
          [text.createdBy, apiKey.createdBy && <UserLink id={apiKey.createdBy} />],
          [text.createdAt, <Time key="created" value={apiKey.createdAt} />],
          [text.keyId, <code key="id">{apiKey.id}</code>],
        ]}
      />
    </Section>
  )
}
