import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Services } from '../adapters/commands/deps.ts'
import {
  webhookTiming,
  webhookWork,
  type WebhookStatus,
  type WebhookTiming,
} from '../adapters/webhooks/run.ts'
import { tryLease, type Lease } from '../projections/lease.ts'
import type { Log } from './log.ts'

const LEASE = 'webhooks'

/** Milliseconds after which whoever waits for its turn, or failed at it, looks again. */
const POLL_MS = 500

export interface Webhooks {
  readonly status: () => WebhookStatus
  start(): void
  /** Resolves once no attempt is under way. */
  stop(): Promise<void>
}

/** Sends webhooks while no other instance does. */
export const webhookSender = (
  services: Services,
  log: Log,
  timing: Partial<WebhookTiming> = {},
): Webhooks => {
  const stopping = new AbortController()
  const holder = randomUUID()
  const { work, status } = webhookWork(services, { ...webhookTiming, ...timing }, log)

  const turn = async (): Promise<void> => {
    let lease: Lease | null = null
    try {
      lease = await tryLease(services.pool, LEASE, holder)
      if (lease !== null) await work(AbortSignal.any([lease.signal, stopping.signal]))
    } catch (error) {
      log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'webhooks are held up')
    } finally {
      await lease?.release().catch(() => undefined)
    }
  }

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await turn()
      await delay(POLL_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  let running: Promise<void> | null = null
  return {
    status,
    start: () => {
      running ??= run()
    },
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
