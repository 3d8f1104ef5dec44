/**
 * Delivers what is queued. Each endpoint has lanes of its own: one that is slow or dead holds up nobody else, and there
 * are few enough endpoints that their lanes bound the whole. First attempts go one after the other, in the order of the
 * events; only while an endpoint fails do a few of them go at the same time, or each would wait for the last to time out.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Egress } from '../egress/client.ts'
import { SealBroken } from '../vault/aead.ts'
import type { Vault } from '../vault/vault.ts'
import { BODY_PURPOSE, type ClaimedDelivery, type DeliveryStore, type Lane } from './deliveries.ts'
import { postEvent, unreadable, type DeliveryError, type Outcome } from './post.ts'

/** Purpose under which signing secrets are sealed; the endpoint's id is the associated data. */
export const SECRET_PURPOSE = 'webhook-secret'

/** At the same time, at one endpoint. Retries are more: each event that an endpoint does not take comes to seven of them. */
const WHILE_FAILING = 4
const RETRIES = 16

/** Milliseconds after which a claim is not used any more: this process may have slept through its turn. */
const FRESH_MS = 5000

/** Tries to write an outcome down, a second apart, while the database is away. */
const SETTLE_TRIES = 30

/** `held_up` for what went wrong here and not at the endpoint: the attempt is made again. */
export type AttemptEnd = 'delivered' | DeliveryError | 'held_up'

interface Lanes {
  first: number
  retry: number
  failing: boolean
}

export const deliveryWorker = (deps: {
  readonly store: DeliveryStore
  readonly egress: Pick<Egress, 'post'>
  readonly vault: Pick<Vault, 'open'>
  /** Seconds for an attempt. */
  readonly timeout: number
  /** Told of how each attempt ended. */
  readonly ended: (how: AttemptEnd) => void
  readonly log: { warn(fields: object, message: string): void }
}) => {
  const { store, egress, vault, timeout, ended, log } = deps
  const endpoints = new Map<string, Lanes>()
  const running = new Set<Promise<void>>()

  const lanesOf = (webhookId: string): Lanes => {
    const lanes = endpoints.get(webhookId) ?? { first: 0, retry: 0, failing: false }
    endpoints.set(webhookId, lanes)
    return lanes
  }

  /** @returns null for what does not open */
  const opened = (delivery: ClaimedDelivery): { readonly secret: string; readonly body: string } | null => {
    try {
      return {
        secret: vault.open(SECRET_PURPOSE, delivery.sealedSecret, delivery.webhookId).toString(),
        body: vault.open(BODY_PURPOSE, delivery.body, delivery.id).toString(),
      }
    } catch (error) {
      if (error instanceof SealBroken) return null
      throw error
    }
  }

  const attempt = async (delivery: ClaimedDelivery): Promise<Outcome> => {
    const { url, at } = delivery
    const readable = opened(delivery)
    return readable === null ? unreadable : postEvent(egress, { url, at, ...readable }, timeout)
  }

  const settle = async (delivery: ClaimedDelivery, outcome: Outcome): Promise<void> => {
    for (let tries = 1; ; tries++)
      try {
        await store.settle(delivery, outcome)
        return
      } catch (error) {
        if (tries === SETTLE_TRIES) throw error
        await delay(1000)
      }
  }

  const runLane = async (webhookId: string, lane: Lane, signal: AbortSignal): Promise<void> => {
    const lanes = lanesOf(webhookId)
    while (!signal.aborted) {
      const began = performance.now()
      const delivery = await store.claim(webhookId, lane)
      if (delivery === null) return
      if (signal.aborted || performance.now() - began > FRESH_MS) {
        await store.release(delivery)
        return
      }
      const outcome = await attempt(delivery)
      await settle(delivery, outcome)
      ended(outcome.error ?? 'delivered')
      lanes.failing = outcome.error !== null
      if (lane === 'first' && !lanes.failing && lanes.first > 1) return
    }
  }

  const start = (webhookId: string, lane: Lane, signal: AbortSignal): void => {
    const lanes = lanesOf(webhookId)
    lanes[lane]++
    const run = runLane(webhookId, lane, signal)
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error)
        ended('held_up')
        log.warn({ webhookId, reason }, 'webhook deliveries are held up')
      })
      .then(() => {
        lanes[lane]--
        running.delete(run)
      })
    running.add(run)
  }

  return {
    /** Starts whatever can be sent now, without waiting for it. */
    deliver: async (signal: AbortSignal): Promise<void> => {
      for (const { webhookId, ...waiting } of await store.waiting()) {
        if (signal.aborted) return
        const lanes = lanesOf(webhookId)
        const widest = { first: lanes.failing ? WHILE_FAILING : 1, retry: RETRIES }
        for (const lane of ['first', 'retry'] as const)
          if (waiting[lane] && lanes[lane] < widest[lane]) start(webhookId, lane, signal)
      }
    },
    /** Resolves when no attempt is under way. */
    idle: async (): Promise<void> => {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
