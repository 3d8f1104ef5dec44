import { useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../kit/button.tsx'
import { CommandDialog } from '../kit/command-dialog.tsx'
import { commonTexts } from '../kit/common-texts.ts'
import { Dialog } from '../kit/dialog.tsx'
import { Facts } from '../kit/record.tsx'
import type { WebhookRecord, WebhookTestRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { linesOf } from '../kit/lines.ts'
import { WebhookFields } from './webhook-fields.tsx'
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
    default:
      return <ChangeStatus action={action} {...props} />
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

const ChangeStatus = ({
  action,
  webhook,
  onClose,
}: ActionProps & { readonly action: 'pause' | 'resume' | 'delete' }) => {
  const text = useTexts(webhooksTexts)
  const [, setLocation] = useLocation()
  const { effect, done } = {
    pause: { effect: text.pauseEffect, done: text.pausedDone },
    resume: { effect: text.resumeEffect, done: text.resumedDone },
    delete: { effect: text.deleteEffect, done: text.deleted },
  }[action]
  return (
    <CommandDialog
      title={text[action]}
      intro={
        <>
          <p>{webhook.url}</p>
          <p>{effect}</p>
        </>
      }
      confirm={text[action]}
      dangerous={action !== 'resume'}
      done={done}
      command={() =>
        action === 'delete'
          ? { method: 'DELETE', path: `/webhooks/${webhook.id}` }
          : { method: 'POST', path: `/webhooks/${webhook.id}/${action}` }
      }
      onClose={onClose}
      onDone={() => (action === 'delete' ? setLocation('/console/webhooks') : onClose())}
    />
  )
}
