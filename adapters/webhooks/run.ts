/** Looks for events, sends them and tidies up, until told to stop. On one instance at a time. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Services } from '../commands/deps.ts'
import { webhookCommands } from '../commands/webhooks.ts'
import { newId } from '../ids.ts'
import { deliveryStore, type Now } from './deliveries.ts'
import { TIMEOUT_SECONDS } from './post.ts'
import { eventQueue } from './queue.ts'
import { deliveryWorker } from './worker.ts'

export interface WebhookTiming {
  /** Seconds between two looks for new events. */
  readonly lookEvery: number
  /** Seconds that an event has to be old to be sent. */
  readonly minimumAge: number
  /** Seconds between two looks for deliveries whose time has come. */
  readonly deliverEvery: number
  /** Seconds for an attempt. */
  readonly timeout: number
  /** What stands in for the database's time, in tests. */
  readonly now: Now
}

export const webhookTiming: WebhookTiming = {
  lookEvery: 10,
  minimumAge: 5,
  deliverEvery: 0.5,
  timeout: TIMEOUT_SECONDS,
  now: () => null,
}

const SWEEP_SECONDS = 60
const REPORT_SECONDS = 5

interface Task {
  readonly name: string
  readonly every: number
  readonly run: () => Promise<void>
  due: number
}

/** @returns what does the work until the signal aborts, and then resolves once nothing is under way */
export const webhookWork = (
  services: Services,
  timing: WebhookTiming,
  log: { warn(fields: object, message: string): void },
) => {
  const { pool, vault, egress, outbound } = services
  const { now, lookEvery, minimumAge, deliverEvery, timeout } = timing
  const store = deliveryStore(pool, now)
  const queue = eventQueue({ pool, source: outbound, vault, newId, now, minimumAge })
  const { reportFailures } = webhookCommands(services)

  const heldUp =
    (task: string) =>
    (error: unknown): void => {
      log.warn(
        { task, reason: error instanceof Error ? error.message : String(error) },
        'webhooks are held up',
      )
    }

  return async (signal: AbortSignal): Promise<void> => {
    const worker = deliveryWorker({ store, egress, vault, timeout, log })
    const tasks: readonly Task[] = [
      { name: 'looking for events', every: lookEvery, run: () => queue.look(signal), due: 0 },
      { name: 'delivering', every: deliverEvery, run: () => worker.deliver(signal), due: 0 },
      { name: 'telling of failures', every: REPORT_SECONDS, run: () => reportFailures(store), due: 0 },
      { name: 'tidying up', every: SWEEP_SECONDS, run: () => store.sweep(), due: 0 },
    ]
    try {
      await store.releaseAll()
      while (!signal.aborted) {
        for (const task of tasks)
          if (performance.now() >= task.due) {
            await task.run().catch(heldUp(task.name))
            task.due = performance.now() + task.every * 1000
          }
        const rest = Math.max(1, Math.min(...tasks.map(({ due }) => due)) - performance.now())
        await delay(rest, undefined, { signal }).catch(() => undefined)
      }
    } finally {
      await worker.idle()
    }
  }
}
