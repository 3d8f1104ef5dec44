import { useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../kit/button.tsx'
import { ActionDialog } from '../kit/action-dialog.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Dialog } from '../kit/dialog.tsx'
import { Facts } from '../kit/record.tsx'
import type { WebhookRecord, WebhookTestRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { linesOf } from '../kit/lines.ts'
import { WebhookFields } from './webhook-fields.tsx'
import { useWebhookActions } from './webhook-commands.ts'
import { webhooksTexts } from './webhooks-texts.ts'

export type WebhookAction = 'test' | 'edit' | 'pause' | 'resume' | 'delete'

interface ActionProps {
  readonly webhook: WebhookRecord
  readonly onClose: () => void
}

export const WebhookDialog = ({ action, ...props }: ActionProps & { readonly action: WebhookAction }) => {
  switch (action) {
    case 'test':
      return <TestWebhook {...props} />
    case 'edit':
      return <EditWebhook {...props} />
    case 'delete':
      return <DeleteWebhook {...props} />
    default:
      return <SwitchWebhook action={action} {...props} />
  }
}

const TestWebhook = ({ webhook, onClose }: ActionProps) => {
  const text = useTexts(webhooksTexts)
  const common = useTexts(commonTexts)
  const [result, setResult] = useState<WebhookTestRecord | null>(null)
  if (result === null)
    return (
      <CommandDialog<WebhookTestRecord>
        title={text.testTitle}
        intro={<p>{webhook.url}</p>}
        confirm={text.test}
        done={text.testTitle}
        command={() => ({ method: 'POST', path: `/webhooks/${webhook.id}/test` })}
        onClose={onClose}
        onDone={setResult}
      />
    )
  return (
    <Dialog title={text.testTitle} onClose={onClose}>
      <p role="status">{result.delivered ? text.testDelivered : text.testFailed}</p>
      <Facts
        facts={[
          [text.response, [result.httpStatus, result.errorText].filter(Boolean).join(': ')],
          [text.duration, text.milliseconds(result.durationMs)],
        ]}
      />
      <div className="actions">
        <Button look="primary" onClick={onClose}>
          {common.close}
        </Button>
      </div>
    </Dialog>
  )
}

const EditWebhook = ({ webhook, onClose }: ActionProps) => {
  const text = useTexts(webhooksTexts)
  const common = useTexts(commonTexts)
  const [values, setValues] = useState({
    url: webhook.url,
    description: webhook.description ?? '',
    events: webhook.events.join('\n'),
  })
  return (
    <CommandDialog
      title={text.edit}
      confirm={common.save}
      done={text.saved}
      command={() => ({
        method: 'PATCH',
        path: `/webhooks/${webhook.id}`,
        body: {
          ...(values.url === webhook.url ? {} : { url: values.url.trim() }),
          ...(values.description === (webhook.description ?? '')
            ? {}
            : { description: values.description.trim() || null }),
          ...(values.events === webhook.events.join('\n') ? {} : { events: linesOf(values.events) }),
        },
      })}
      onClose={onClose}
      names={['url', 'description', 'events']}
      fields={(errorOf) => <WebhookFields values={values} onChange={setValues} errorOf={errorOf} />}
    />
  )
}

const SwitchWebhook = ({
  action,
  webhook,
  onClose,
}: ActionProps & { readonly action: 'pause' | 'resume' }) => {
  const text = useTexts(webhooksTexts)
  return (
    <ActionDialog
      action={useWebhookActions()[action]}
      item={webhook}
      title={text[action]}
      detail={<p>{webhook.url}</p>}
      done={action === 'pause' ? text.pausedDone : text.resumedDone}
      onClose={onClose}
    />
  )
}

const DeleteWebhook = ({ webhook: { id, url }, onClose }: ActionProps) => {
  const text = useTexts(webhooksTexts)
  const [, setLocation] = useLocation()
  return (
    <CommandDialog
      title={text.delete}
      intro={
        <>
          <p>{url}</p>
          <p>{text.deleteEffect}</p>
        </>
      }
      confirm={text.delete}
      dangerous
      done={text.deleted}
      command={() => ({ method: 'DELETE', path: `/webhooks/${id}` })}
      onClose={onClose}
      onDone={() => setLocation('/console/webhooks')}
    />
  )
}
