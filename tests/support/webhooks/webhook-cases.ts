import type { WebhookEvent } from '../../../domain/webhook/events.ts'
import { at, id } from '../fixed.ts'
import type { TableCase } from '../sign-in/people-cases.ts'
import { position } from '../event-log/projection.ts'

const webhookId = id('webhook')
const url = 'https://hooks.example.com'
const created: WebhookEvent = {
  type: 'webhook.created',
  data: { webhookId, url, events: ['user.*'], sealedSecret: 'sealed' },
}
const updated: WebhookEvent = {
  type: 'webhook.updated',
  data: {
    webhookId,
    changes: [
      { field: 'url', from: url, to: `${url}/v2` },
      { field: 'events', from: ['user.*'], to: ['*'] },
      { field: 'description', from: null, to: 'Tickets' },
    ],
  },
}
const paused: WebhookEvent = { type: 'webhook.paused', data: { webhookId } }
const resumed: WebhookEvent = { type: 'webhook.resumed', data: { webhookId } }
const deleted: WebhookEvent = { type: 'webhook.deleted', data: { webhookId } }
const delivery = {
  webhookId,
  deliveryId: id('delivery'),
  eventId: id('auditEvent'),
  eventType: 'user.invite',
}

/** The state of webhook endpoints after these events, and what they should have received. */
export const webhookCases: readonly TableCase[] = [
  [
    'webhooks',
    'a change, a test, deliveries',
    [
      created,
      updated,
      { type: 'webhook.tested', data: { webhookId } },
      { type: 'webhook.delivery_failed', data: { ...delivery, attempts: 8, error: 'timeout' } },
      { type: 'webhook.delivery_retried', data: delivery },
    ],
    [
      {
        id: webhookId,
        status: 'active',
        url: `${url}/v2`,
        description: 'Tickets',
        events: ['*'],
        sealed_secret: 'sealed',
        created_at: at(1),
        created_by: id('user', 99),
        updated_at: at(2),
        version: 5,
      },
    ],
  ],
  ['webhooks', 'a pause', [created, paused], [{ status: 'paused', updated_at: at(2) }]],
  ['webhooks', 'resumption', [created, paused, resumed], [{ status: 'active', updated_at: at(3) }]],
  ['webhooks', 'deletion', [created, deleted], [{ status: 'deleted', version: 2 }]],
  [
    'webhook_periods',
    'a change, a pause, its end, and deletion',
    [created, updated, paused, resumed, deleted],
    [
      { from_position: position(1), to_position: position(2), active: true, events: ['user.*'] },
      { from_position: position(2), to_position: position(3), active: true, events: ['*'] },
      { from_position: position(3), to_position: position(4), active: false, events: ['*'] },
      { from_position: position(4), to_position: position(5), active: true, created_position: position(1) },
    ],
  ],
  [
    'webhook_periods',
    'a change of nothing but the address',
    [
      created,
      {
        type: 'webhook.updated',
        data: { webhookId, changes: [{ field: 'url', from: url, to: `${url}/v2` }] },
      },
    ],
    [{ from_position: position(1), to_position: null }],
  ],
]
