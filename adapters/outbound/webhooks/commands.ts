import { DomainError } from '../../../domain/errors.ts'
import type { Id } from '../../../domain/ids.ts'
import {
  webhookDecider,
  webhookStream,
  type WebhookCommand,
  type WebhookStatus,
} from '../../../domain/webhook/decider.ts'
import type { DeliveryName, WebhookFields } from '../../../domain/webhook/events.ts'
import { countWebhooks, findWebhook } from '../../../read-models/queries/webhooks.ts'
import type { Actor } from '../../application/services/handle.ts'
import { idsFor, newId } from '../../kernel/ids.ts'
import { SealBroken } from '../../engines/vault/aead.ts'
import { BODY_PURPOSE, deliveryStore, type DeliveryRow, type DeliveryStore } from './deliveries.ts'
import { envelopeOf } from './envelope.ts'
import { postEvent, unreadable, type Outcome } from './post.ts'
import { TEST_TYPE } from './queue.ts'
import { deleteLog } from './tidy.ts'
import { SECRET_PURPOSE } from './worker.ts'
import type { Services } from '../../application/services/services.ts'
import { secretsFor } from '../../application/commands/secrets.ts'

/** Locked while an endpoint is created, so that the maximum is never exceeded. */
const WEBHOOK_COUNT = 'webhook-count'

const nameOf = ({ id: deliveryId, eventId, eventType }: DeliveryRow): DeliveryName => ({
  deliveryId,
  eventId,
  eventType,
})

/**
 * Decrypts an endpoint's secret.
 * @returns null if it cannot be decrypted with the current key
 */
export const webhookSecret = (
  vault: Services['vault'],
  { id, sealedSecret }: { readonly id: string; readonly sealedSecret: string },
): string | null => {
  try {
    return vault.open(SECRET_PURPOSE, sealedSecret, id).toString()
  } catch (error) {
    if (error instanceof SealBroken) return null
    throw error
  }
}

export const webhookCommands = (
  services: Pick<
    Services,
    'handle' | 'pool' | 'locks' | 'vault' | 'clock' | 'random' | 'egress' | 'outbound'
  >,
) => {
  const { handle, pool, locks, vault, clock, egress, outbound } = services
  const secretOf = secretsFor(services)
  // Times of deliveries come from the database.
  const store = deliveryStore(pool, () => null)

  const send = (command: WebhookCommand, actor: Actor) =>
    handle(webhookDecider, webhookStream(command.webhookId), command, actor)

  const existing = async (webhookId: string) => {
    const row = await findWebhook(pool, webhookId)
    if (row === null) throw new DomainError('ERR_NOT_FOUND')
    return row
  }

  return {
    /** @throws DomainError ERR_INVALID for an invalid address or invalid events, ERR_CONFLICT for too many endpoints */
    create: (fields: WebhookFields, actor: Actor) =>
      locks.alone(WEBHOOK_COUNT, async () => {
        const webhookId: Id<'webhook'> = idsFor(actor.idempotencyKey).newId('webhook')
        const secret = secretOf('whsec_', webhookId, actor)
        const sealedSecret = vault.seal(SECRET_PURPOSE, secret, webhookId)
        const others = await countWebhooks(pool)
        const { version } = await send({ type: 'create', webhookId, fields, sealedSecret, others }, actor)
        return { webhookId, secret, version }
      }),

    update: (
      webhookId: string,
      fields: Readonly<Record<string, unknown>>,
      status: WebhookStatus | undefined,
      actor: Actor,
    ) => send({ type: 'update', webhookId, fields, ...(status === undefined ? {} : { status }) }, actor),

    turn: (type: 'pause' | 'resume', webhookId: string, actor: Actor) => send({ type, webhookId }, actor),

    /** Deletes an endpoint and its log. */
    delete: async (webhookId: string, actor: Actor): Promise<void> => {
      await send({ type: 'delete', webhookId }, actor)
      await deleteLog(pool, webhookId)
    },

    /** Sends a test event immediately, bypassing the queue and without retries, even if the endpoint is paused. */
    test: async (webhookId: string, actor: Actor): Promise<Outcome> => {
      const { url, sealedSecret } = await existing(webhookId)
      const { position } = await send({ type: 'test', webhookId }, actor)
      const event = position === null ? null : await outbound.one(webhookId, TEST_TYPE, position)
      if (event === null) throw new DomainError('ERR_UNAVAILABLE')
      const body = envelopeOf(event)
      const secret = webhookSecret(vault, { id: webhookId, sealedSecret })
      const at = clock.now()
      const outcome = secret === null ? unreadable : await postEvent(egress, { url, secret, body, at })
      const id = newId('delivery')
      const { id: eventId, type: eventType, position: place, subjects } = event
      const sealed = vault.seal(BODY_PURPOSE, body, id)
      await store.note({ id, webhookId, eventId, eventType, place, subjects, body: sealed }, at, outcome)
      return outcome
    },

    /**
     * Queues a failed delivery again.
     * @throws DomainError ERR_NOT_FOUND, and ERR_CONFLICT for a delivery that has not failed, can no longer be sent or
     * was a test
     */
    redeliver: async (webhookId: string, deliveryId: string, actor: Actor): Promise<DeliveryRow> => {
      await existing(webhookId)
      const delivery = await store.find(webhookId, deliveryId)
      if (delivery === null) throw new DomainError('ERR_NOT_FOUND', 'This delivery does not exist.')
      if (delivery.eventType === TEST_TYPE)
        throw new DomainError('ERR_CONFLICT', 'This was a test event. Send another test event instead.')
      if (delivery.status !== 'failed')
        throw new DomainError('ERR_CONFLICT', 'Only a failed delivery can be retried.')
      if (delivery.body === null)
        throw new DomainError(
          'ERR_CONFLICT',
          'The user whom this event was about was erased, and the event with them.',
        )
      await send({ type: 'retry_delivery', webhookId, delivery: nameOf(delivery) }, actor)
      await store.requeue(deliveryId)
      return (await store.find(webhookId, deliveryId)) ?? delivery
    },

    /**
     * Records failed deliveries in the audit trail: only the first since the last success of the endpoint,
     * because every event could fail.
     */
    reportFailures: async (failed: DeliveryStore): Promise<void> => {
      for (const delivery of await failed.unreported()) {
        const { id, webhookId, attempts, error, lastAttemptAt } = delivery
        if (!delivery.reported) {
          const actor: Actor = {
            actorId: null,
            actorType: 'system',
            credential: null,
            ip: null,
            correlationId: id,
            idempotencyKey: `webhook-delivery-failed|${id}|${String(lastAttemptAt)}`,
          }
          await send(
            {
              type: 'fail_delivery',
              webhookId,
              delivery: nameOf(delivery),
              attempts,
              error: error ?? 'connection',
            },
            actor,
          ).catch((refused: unknown) => {
            if (!(refused instanceof DomainError) || refused.code !== 'ERR_NOT_FOUND') throw refused
          })
        }
        await failed.reported(delivery)
      }
    },
  }
}
