import { useState } from 'react'
import { useCommand, useRecord } from '../api.ts'
import { Badge } from '../kit/badge.tsx'
import { Breakable } from '../kit/breakable.tsx'
import { Button } from '../kit/button.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Copy } from '../kit/copy.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { RecordList, type Column } from '../kit/list.tsx'
import { Problem } from '../kit/problem.tsx'
import { Facts, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { useToast } from '../kit/toast.tsx'
import type { DeliveryRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { webhooksTexts } from './webhooks-texts.ts'

/** A test event cannot be delivered again; another one can be sent. */
const TEST_TYPE = 'webhook.test'

const statuses = ['queued', 'retrying', 'delivered', 'failed'] as const

const tones = { queued: 'neutral', retrying: 'warn', delivered: 'good', failed: 'bad' } as const

export const WebhookDeliveries = ({
  webhookId,
  mayWrite,
}: {
  readonly webhookId: string
  readonly mayWrite: boolean
}) => {
  const text = useTexts(webhooksTexts)
  const [shownId, setShownId] = useState<string | null>(null)
  const path = `/webhooks/${webhookId}/deliveries`
  const deliveries = useRecord<readonly DeliveryRecord[]>(path)
  const shown = deliveries.data?.find(({ id }) => id === shownId)
  const columns: readonly Column<DeliveryRecord>[] = [
    {
      name: 'created',
      label: text.when,
      cell: ({ createdAt }) => <Time value={createdAt} />,
      text: ({ createdAt }) => createdAt,
    },
    {
      name: 'event',
      label: text.event,
      cell: ({ eventType }) => (
        <code>
          <Breakable>{eventType}</Breakable>
        </code>
      ),
      text: ({ eventType }) => eventType,
    },
    {
      name: 'status',
      label: text.status,
      cell: ({ status }) => <Badge tone={tones[status]}>{text[status]}</Badge>,
      text: ({ status }) => status,
    },
    {
      name: 'response',
      label: text.response,
      cell: ({ httpStatus, errorText }) => [httpStatus, errorText].filter(Boolean).join(': '),
      text: ({ httpStatus, error }) => [httpStatus, error].filter(Boolean).join(' '),
    },
    {
      name: 'attempts',
      label: text.attempts,
      cell: ({ attempts }) => attempts,
      text: ({ attempts }) => String(attempts),
    },
    {
      name: 'details',
      label: text.details,
      cell: ({ id, eventType }) => (
        <Button small look="quiet" onClick={() => setShownId(id)}>
          {text.details}
          <span className="visually-hidden"> {eventType}</span>
        </Button>
      ),
    },
  ]
  return (
    <Section title={text.deliveries} hint={text.deliveriesHint}>
      <RecordList<DeliveryRecord>
        path={path}
        label={text.deliveries}
        columns={columns}
        keyOf={({ id }) => id}
        nameOf={({ eventType }) => eventType}
        empty={text.noDeliveries}
        filters={[
          {
            name: 'status',
            label: text.status,
            options: statuses.map((value) => ({ value, label: text[value] })),
            matches: ({ status }, value) => status === value,
          },
        ]}
      />
      {shown !== undefined && (
        <DeliveryDialog delivery={shown} path={path} mayWrite={mayWrite} onClose={() => setShownId(null)} />
      )}
    </Section>
  )
}

const DeliveryDialog = ({
  delivery,
  path,
  mayWrite,
  onClose,
}: {
  readonly delivery: DeliveryRecord
  readonly path: string
  readonly mayWrite: boolean
  readonly onClose: () => void
}) => {
  const text = useTexts(webhooksTexts)
  const common = useTexts(commonTexts)
  const toast = useToast()
  const { mutate, isPending, error } = useCommand()
  const { id, eventId, eventType, status, httpStatus, errorText, durationMs, attempts, body } = delivery
  const { firstAttemptAt, lastAttemptAt, nextAttemptAt } = delivery
  const mayRedeliver = mayWrite && status === 'failed' && body !== null && eventType !== TEST_TYPE
  return (
    <Dialog title={eventType} onClose={onClose}>
      <Facts
        facts={[
          [
            text.status,
            <Badge key="status" tone={tones[status]}>
              {text[status]}
            </Badge>,
          ],
          [text.response, [httpStatus, errorText].filter(Boolean).join(': ')],
          [text.duration, durationMs === null ? null : text.milliseconds(durationMs)],
          [text.attempts, attempts],
          [text.first, firstAttemptAt && <Time value={firstAttemptAt} />],
          [text.last, lastAttemptAt && <Time value={lastAttemptAt} />],
          [text.next, nextAttemptAt && <Time value={nextAttemptAt} />],
          [text.eventId, <code key="event">{eventId}</code>],
        ]}
      />
      {body === null ? <p className="hint">{text.noBody}</p> : <Copy label={text.body} value={body} />}
      {error !== null && <Problem error={error} />}
      <div className="actions">
        {mayRedeliver && (
          <Button
            busy={isPending}
            onClick={() =>
              mutate(
                { method: 'POST', path: `${path}/${id}/redeliver` },
                { onSuccess: () => toast(text.redelivered) },
              )
            }
          >
            {text.redeliver}
          </Button>
        )}
        <Button look="primary" onClick={onClose}>
          {common.close}
        </Button>
      </div>
    </Dialog>
  )
}
