/**
 * Sends the queued deliveries. Each endpoint has its own lanes: a slow or failing one does not delay others, and the
 * limited number of endpoints limits the total. First attempts are sequential, in the order of the events. While an
 * endpoint fails, a few of them run in parallel, because otherwise each would wait for the previous one to time out.
 * An attempt does not wait until the previous outcome is stored, but the number of unstored outcomes is limited.
 */
import type { Egress } from '../../engines/egress/client.ts'
import { SealBroken } from '../../engines/vault/aead.ts'
import type { Vault } from '../../engines/vault/vault.ts'
import type { Instant } from '../../../domain/time.ts'
import { BODY_PURPOSE, type DeliveryStore, type Lane, type TakenDelivery } from './deliveries.ts'
import { sendingLane, type SendingLane } from './lane.ts'
import { outcomeWriter } from './outcomes.ts'
import { postEvent, unreadable, type DeliveryError, type Outcome } from './post.ts'

/** Purpose of the encryption of signing secrets; the endpoint's id is the associated data. */
export const SECRET_PURPOSE = 'webhook-secret'

/** Parallel attempts at one endpoint. Retries get more, because each failing event has seven of them. */
const WHILE_FAILING = 4
const RETRIES = 16

/** Attempts at one endpoint whose results are not stored yet: after a crash, at most this many are repeated. */
const UNWRITTEN = 16

/** `held_up`: the failure was here and not at the endpoint, and the attempt is repeated. */
export type AttemptEnd = 'delivered' | DeliveryError | 'held_up'

interface Endpoint {
  readonly first: SendingLane
  readonly retry: SendingLane
  readonly inHand: Set<string>
  readonly unwritten: Set<Promise<void>>
  failing: boolean
}

const later = (at: Instant, milliseconds: number): Instant =>
  new Date(Date.parse(at) + milliseconds).toISOString()

export const deliveryWorker = (deps: {
  readonly store: DeliveryStore
  readonly egress: Pick<Egress, 'post'>
  readonly vault: Pick<Vault, 'open'>
  /** SQL condition that this instance still holds the lease */
  readonly held: string
  /** Seconds for an attempt */
  readonly timeout: number
  /** Called with the result of each attempt. */
  readonly ended: (how: AttemptEnd) => void
  readonly log: { warn(fields: object, message: string): void }
}) => {
  const { store, egress, vault, held, timeout, ended, log } = deps
  const endpoints = new Map<string, Endpoint>()
  const running = new Set<Promise<void>>()
  const outcomes = outcomeWriter(store, (webhookId) => {
    const endpoint = endpoints.get(webhookId)
    endpoint?.first.drop()
    endpoint?.retry.drop()
  })

  const endpointOf = (webhookId: string): Endpoint => {
    const known = endpoints.get(webhookId)
    if (known !== undefined) return known
    const inHand = new Set<string>()
    const lane = (kind: Lane): SendingLane =>
      sendingLane((limit) => store.take(webhookId, kind, { limit, except: [...inHand], held }), inHand)
    const endpoint: Endpoint = {
      first: lane('first'),
      retry: lane('retry'),
      inHand,
      unwritten: new Set(),
      failing: false,
    }
    endpoints.set(webhookId, endpoint)
    return endpoint
  }

  /** Returns null if it cannot be decrypted. */
  const opened = (delivery: TakenDelivery): { readonly secret: string; readonly body: string } | null => {
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

  const attempt = async (delivery: TakenDelivery, at: Instant): Promise<Outcome> => {
    const readable = opened(delivery)
    return readable === null ? unreadable : postEvent(egress, { url: delivery.url, at, ...readable }, timeout)
  }

  const heldUp = (webhookId: string, error: unknown): void => {
    const reason = error instanceof Error ? error.message : String(error)
    ended('held_up')
    log.warn({ webhookId, reason }, 'webhook deliveries are failing')
  }

  const writeDown = (endpoint: Endpoint, delivery: TakenDelivery, at: Instant, outcome: Outcome): void => {
    const written = outcomes
      .add({ delivery, at, outcome })
      .then(() => {
        ended(outcome.error ?? 'delivered')
      })
      .catch((error: unknown) => {
        heldUp(delivery.webhookId, error)
      })
      .finally(() => {
        endpoint.inHand.delete(delivery.id)
        endpoint.unwritten.delete(written)
        running.delete(written)
      })
    endpoint.unwritten.add(written)
    running.add(written)
  }

  const send = async (endpoint: Endpoint, kind: Lane, signal: AbortSignal): Promise<void> => {
    const lane = endpoint[kind]
    while (!signal.aborted) {
      const taken = await lane.next()
      if (taken === null) return
      const { delivery, age } = taken
      if (signal.aborted) {
        endpoint.inHand.delete(delivery.id)
        break
      }
      const began = performance.now()
      const at = later(delivery.at, age)
      try {
        const outcome = await attempt(delivery, at)
        endpoint.failing = outcome.error !== null
        writeDown(endpoint, delivery, at, outcome)
      } catch (error) {
        endpoint.inHand.delete(delivery.id)
        throw error
      }
      lane.lasted(performance.now() - began)
      if (kind === 'first' && !endpoint.failing && lane.running > 1) return
      while (endpoint.unwritten.size >= UNWRITTEN) {
        outcomes.hurry()
        await Promise.race(endpoint.unwritten)
      }
    }
    lane.drop()
  }

  const start = (webhookId: string, kind: Lane, signal: AbortSignal): void => {
    const endpoint = endpointOf(webhookId)
    endpoint[kind].running++
    const run = send(endpoint, kind, signal)
      .catch((error: unknown) => {
        heldUp(webhookId, error)
      })
      .finally(() => {
        endpoint[kind].running--
        running.delete(run)
      })
    running.add(run)
  }

  return {
    /** Starts all due attempts, without waiting for them. */
    deliver: async (signal: AbortSignal): Promise<void> => {
      for (const { webhookId, ...waiting } of await store.waiting()) {
        if (signal.aborted) return
        const endpoint = endpointOf(webhookId)
        const widest = { first: endpoint.failing ? WHILE_FAILING : 1, retry: RETRIES }
        for (const kind of ['first', 'retry'] as const)
          if (waiting[kind])
            for (let n = endpoint[kind].running; n < widest[kind]; n++) start(webhookId, kind, signal)
      }
    },
    /** Returns the ids of deliveries that are being attempted, or soon will be. */
    underWay: (): readonly string[] => [...endpoints.values()].flatMap(({ inHand }) => [...inHand]),
    /** Resolves when no attempt is in progress and every result is stored. */
    idle: async (): Promise<void> => {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
