import type { Change } from '../changes.ts'

/** What of an endpoint may be changed. */
export interface WebhookFields {
  /** As it was given; what is sent goes to this very address. */
  readonly url: string
  readonly description?: string
  /** Which events it gets: exact types, families (`user.*`) or `*`. */
  readonly events: readonly string[]
}

/** A delivery, as the audit trail names it. */
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
        /** The signing secret, sealed under the service's key; never changes. */
        sealedSecret: string
      }
    }
  | { type: 'webhook.updated'; data: { webhookId: string; changes: readonly Change[] } }
  | { type: 'webhook.paused'; data: { webhookId: string } }
  | { type: 'webhook.resumed'; data: { webhookId: string } }
  | { type: 'webhook.deleted'; data: { webhookId: string } }
  | { type: 'webhook.tested'; data: { webhookId: string } }
  /** A delivery was given up; the first since the endpoint last took one. */
  | {
      type: 'webhook.delivery_failed'
      data: DeliveryName & { webhookId: string; attempts: number; error: string }
    }
  | { type: 'webhook.delivery_retried'; data: DeliveryName & { webhookId: string } }
