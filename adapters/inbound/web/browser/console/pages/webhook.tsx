import { useState } from 'react'
import { useRecord } from '../api.ts'
import { AuditTable } from '../audit-table.tsx'
import { Button } from '../kit/button.tsx'
import { Facts, LoadedPage, PageHead, Section, Tabs } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { WebhookRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { WebhookDialog, type WebhookAction } from './webhook-actions.tsx'
import { WebhookDeliveries } from './webhook-deliveries.tsx'
import { WebhookStatus } from './webhooks.tsx'
import { webhooksTexts } from './webhooks-texts.ts'

export const WebhookPage = ({ id }: { readonly id: string }) => {
  const webhook = useRecord<WebhookRecord>(`/webhooks/${id}`)
  return <LoadedPage query={webhook}>{(data) => <LoadedWebhook webhook={data} />}</LoadedPage>
}

const LoadedWebhook = ({ webhook }: { readonly webhook: WebhookRecord }) => {
  const text = useTexts(webhooksTexts)
  const { at } = useMoment()
  const mayWrite = useMay('security_admin') && at === null
  const [action, setAction] = useState<WebhookAction | null>(null)
  const offered: readonly WebhookAction[] = mayWrite
    ? ['test', 'edit', webhook.status === 'active' ? 'pause' : 'resume', 'delete']
    : []
  return (
    <>
      <PageHead
        title={webhook.url}
        badge={<WebhookStatus {...webhook} />}
        lead={webhook.description ?? undefined}
        actions={offered.map((name) => (
          <Button
            key={name}
            small
            look={name === 'delete' || name === 'pause' ? 'danger' : 'plain'}
            onClick={() => setAction(name)}
          >
            {text[name]}
          </Button>
        ))}
      />
      {!webhook.secretReadable && (
        <div className="notice notice-problem">
          <p>{text.unreadable}</p>
        </div>
      )}
      <Tabs
        label={webhook.url}
        path={`/console/webhooks/${webhook.id}`}
        tabs={[
          {
            name: 'deliveries',
            label: text.deliveries,
            body: () => <WebhookDeliveries webhookId={webhook.id} mayWrite={mayWrite} />,
          },
          { name: 'settings', label: text.settings, body: () => <Settings webhook={webhook} /> },
          {
            name: 'history',
            label: text.history,
            body: () => <AuditTable path="/audit" fixed={{ targetType: 'webhook', targetId: webhook.id }} />,
          },
        ]}
      />
      {action !== null && <WebhookDialog action={action} webhook={webhook} onClose={() => setAction(null)} />}
    </>
  )
}

const Settings = ({ webhook }: { readonly webhook: WebhookRecord }) => {
  const text = useTexts(webhooksTexts)
  return (
    <Section title={text.settings}>
      <Facts
        facts={[
          [text.webhookId, <code key="id">{webhook.id}</code>],
          [text.events, text.eventNames(webhook.events)],
          [text.failingSince, webhook.failingSince && <Time value={webhook.failingSince} />],
          [text.createdAt, <Time key="created" value={webhook.createdAt} />],
          [text.updatedAt, <Time key="updated" value={webhook.updatedAt} />],
        ]}
      />
    </Section>
  )
}
