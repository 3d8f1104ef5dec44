import { useState } from 'react'
import { useLocation } from 'wouter'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Copy } from '../kit/copy.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { PageLink } from '../kit/link.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { PageHead } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useMoment } from '../moment.tsx'
import type { CreatedWebhookRecord, WebhookRecord } from '../records.ts'
import { useMay } from '../session.tsx'
import { useTexts } from '../text.tsx'
import { linesOf } from '../kit/lines.ts'
import { WebhookFields } from './webhook-fields.tsx'
import { useWebhookActions } from './webhook-commands.ts'
import { webhooksTexts } from './webhooks-texts.ts'

export const WebhookStatus = ({ status, failingSince }: Pick<WebhookRecord, 'status' | 'failingSince'>) => {
  const text = useTexts(webhooksTexts)
  if (status === 'paused') return <Badge tone="warn">{text.paused}</Badge>
  return failingSince === null ? (
    <Badge tone="good">{text.active}</Badge>
  ) : (
    <Badge tone="bad">{text.failing}</Badge>
  )
}

export const WebhooksPage = () => {
  const text = useTexts(webhooksTexts)
  const common = useTexts(commonTexts)
  const { at } = useMoment()
  const mayWrite = useMay('security_admin') && at === null
  const actions = useWebhookActions()
  const [creating, setCreating] = useState(false)
  const columns: readonly Column<WebhookRecord>[] = [
    {
      name: 'url',
      label: text.url,
      cell: ({ id, url }) => <PageLink to={`/console/webhooks/${id}`}>{url}</PageLink>,
      text: ({ url }) => url,
    },
    {
      name: 'description',
      label: text.description,
      cell: ({ description }) => description ?? '',
      text: ({ description }) => description ?? '',
    },
    {
      name: 'events',
      label: text.events,
      cell: ({ events }) => text.eventNames(events),
      text: ({ events }) => events.join(' '),
    },
    {
      name: 'status',
      label: text.status,
      cell: (webhook) => <WebhookStatus {...webhook} />,
      text: ({ status }) => status,
    },
    {
      name: 'last',
      label: text.lastDelivery,
      cell: ({ lastDeliveryAt }) =>
        lastDeliveryAt === null ? common.never : <Time value={lastDeliveryAt} relative />,
      text: ({ lastDeliveryAt }) => lastDeliveryAt ?? '',
    },
  ]
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
      <RecordList<WebhookRecord>
        path="/webhooks"
        label={text.title}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ url }) => url}
        bulk={{ counted: text.counted, actions: Object.values(actions) }}
        empty={text.empty}
      />
      {creating && <CreateWebhook onClose={() => setCreating(false)} />}
    </>
  )
}

const CreateWebhook = ({ onClose }: { readonly onClose: () => void }) => {
  const text = useTexts(webhooksTexts)
  const common = useTexts(commonTexts)
  const [, setLocation] = useLocation()
  const [values, setValues] = useState({ url: '', description: '', events: '' })
  const [created, setCreated] = useState<CreatedWebhookRecord | null>(null)
  if (created !== null) {
    const show = (): void => setLocation(`/console/webhooks/${created.id}`)
    return (
      <Dialog title={text.secretTitle} onClose={show}>
        <p>{text.secretHint}</p>
        <Copy label={text.secret} value={created.secret} once />
        <div className="actions">
          <Button look="primary" onClick={show}>
            {common.close}
          </Button>
        </div>
      </Dialog>
    )
  }
  return (
    <CommandDialog<CreatedWebhookRecord>
      title={text.createTitle}
      intro={<p>{text.createIntro}</p>}
      confirm={text.create}
      done={text.created}
      command={() => ({
        method: 'POST',
        path: '/webhooks',
        body: {
          url: values.url.trim(),
          events: linesOf(values.events),
          ...(values.description.trim() === '' ? {} : { description: values.description.trim() }),
        },
      })}
      onClose={onClose}
      onDone={setCreated}
      names={['url', 'description', 'events']}
      fields={(errorOf) => <WebhookFields values={values} onChange={setValues} errorOf={errorOf} />}
    />
  )
}
