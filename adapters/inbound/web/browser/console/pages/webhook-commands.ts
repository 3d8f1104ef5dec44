/** Pausing and resuming a webhook, alone or with others. */
import type { RecordAction } from '../kit/record-action.ts'
import type { WebhookRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { webhooksTexts } from './webhooks-texts.ts'

export const useWebhookActions = (): Readonly<Record<'pause' | 'resume', RecordAction<WebhookRecord>>> => {
  const text = useTexts(webhooksTexts)
  const of = (name: 'pause' | 'resume'): RecordAction<WebhookRecord> => ({
    label: text[name],
    roles: ['security_admin'],
    applies: ({ status }) => status === (name === 'pause' ? 'active' : 'paused'),
    dangerous: name === 'pause',
    effect: name === 'pause' ? text.pauseEffect : text.resumeEffect,
    command: ({ id }) => ({ method: 'POST', path: `/webhooks/${id}/${name}` }),
  })
  return { pause: of('pause'), resume: of('resume') }
}
