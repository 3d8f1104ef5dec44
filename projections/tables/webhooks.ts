import type { Recorded } from '../../domain/catalogue.ts'
import type { WebhookEvent } from '../../domain/webhook/events.ts'
import { change, type Table } from '../table.ts'

const self = (event: { data: { webhookId: string } }) => ({ id: event.data.webhookId })
const version = (event: Recorded<WebhookEvent>) => ({ version: event.revision + 1 })
const stamp = (event: Recorded<WebhookEvent>) => ({ updated_at: event.metadata.time, ...version(event) })

/** Webhook endpoints. */
export const webhooks: Table = {
  name: 'webhooks',
  key: ['id'],
  on: {
    'webhook.created': {
      apply: (event, rows) => {
        const { data, metadata } = event
        rows.put({
          id: data.webhookId,
          status: 'active',
          url: data.url,
          description: data.description ?? null,
          events: data.events,
          sealed_secret: data.sealedSecret,
          created_at: metadata.time,
          created_by: metadata.actorId,
          ...stamp(event),
        })
      },
    },
    'webhook.updated': change(self, (event) => ({
      ...Object.fromEntries(
        event.data.changes
          .filter(({ field }) => ['url', 'description', 'events'].includes(field))
          .map(({ field, to }) => [field, to]),
      ),
      ...stamp(event),
    })),
    'webhook.paused': change(self, (event) => ({ status: 'paused', ...stamp(event) })),
    'webhook.resumed': change(self, (event) => ({ status: 'active', ...stamp(event) })),
    'webhook.deleted': change(self, (event) => ({ status: 'deleted', ...stamp(event) })),
    'webhook.tested': change(self, version),
    'webhook.delivery_failed': change(self, version),
    'webhook.delivery_retried': change(self, version),
  },
}
