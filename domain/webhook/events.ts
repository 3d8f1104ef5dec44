import type { Change } from '../changes.ts'

/** The fields of an endpoint that can change. */
export interface WebhookFields {
  /** As entered; events are sent to exactly this address. */
  readonly url: string
  readonly description?: string
  /** The selected events: exact types, families (`user.*`) or `*`. */
  readonly events: readonly string[]
}

/** The data of a delivery in the audit trail. */
export interface DeliveryName {
  readonly deliveryId: string
  readonly eventId: string
  readonly eventType: string
}

export type WebhookEvent =
  | {
      type: 'webhook.created'
      data: WebhookFields & {
        webhookId: string
        /** The signing secret, encrypted under the service's key; never changes. */
        sealedSecret: string
      }
    }
  | { type: 'webhook.updated'; data: { webhookId: string; changes: readonly Change[] } }
  | { type: 'webhook.paused'; data: { webhookId: string } }
  | { type: 'webhook.resumed'; data: { webhookId: string } }
  | { type: 'webhook.deleted'; data: { webhookId: string } }
  | { type: 'webhook.tested'; data: { webhookId: string } }
  /** A delivery failed finally; the first since the last success of the endpoint. */
  | {
      type: 'webhook.delivery_failed'
      data: DeliveryName & { webhookId: string; attempts: number; error: string }
    }
  | { type: 'webhook.delivery_retried'; data: DeliveryName & { webhookId: string } }
