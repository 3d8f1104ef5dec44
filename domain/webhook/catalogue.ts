import { nobody, type Rows } from '../catalogue-row.ts'
import type { WebhookEvent } from './events.ts'

const target = ({ webhookId }: { webhookId: string }) => ({ type: 'webhook', id: webhookId })
const common = { schema: 1, target, personal: [], subject: nobody } as const

export const webhookEvents: Rows<WebhookEvent> = {
  'webhook.created': {
    ...common,
    audit: 'webhook.create',
    summary: ({ url }) => `Created the webhook endpoint ${url}`,
  },
  'webhook.updated': {
    ...common,
    audit: 'webhook.update',
    summary: (_, { target: name }) => `Updated the webhook endpoint ${name}`,
  },
  'webhook.paused': {
    ...common,
    audit: 'webhook.pause',
    summary: (_, { target: name }) => `Paused the webhook endpoint ${name}`,
  },
  'webhook.resumed': {
    ...common,
    audit: 'webhook.resume',
    summary: (_, { target: name }) => `Resumed the webhook endpoint ${name}`,
  },
  'webhook.deleted': {
    ...common,
    audit: 'webhook.delete',
    summary: (_, { target: name }) => `Deleted the webhook endpoint ${name} and its delivery log`,
  },
  'webhook.tested': {
    ...common,
    audit: 'webhook.test',
    summary: (_, { target: name }) => `Sent a test event to the webhook endpoint ${name}`,
  },
  'webhook.delivery_failed': {
    ...common,
    audit: 'webhook.delivery.fail',
    summary: ({ eventType, attempts, error }, { target: name }) =>
      `Gave up delivering ${eventType} to the webhook endpoint ${name} after ${String(attempts)} ${attempts === 1 ? 'attempt' : 'attempts'} (${error.replaceAll('_', ' ')})`,
  },
  'webhook.delivery_retried': {
    ...common,
    audit: 'webhook.delivery.retry',
    summary: ({ eventType }, { target: name }) =>
      `Queued ${eventType} again for the webhook endpoint ${name}`,
  },
}
