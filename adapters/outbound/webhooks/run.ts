/** Collects events, sends them and deletes old deliveries, until stopped. On one instance at a time. */
import type { Services } from '../../application/services/services.ts'
import { webhookCommands } from './commands.ts'
import { newId } from '../../kernel/ids.ts'
import { repeatTasks, type RepeatedTask } from '../../kernel/repeated-tasks.ts'
import { rest } from '../../kernel/rest.ts'
import { checkpointTeller } from './checkpoint.ts'
import { deliveryStore } from './deliveries.ts'
import type { Now } from './now.ts'
import { TIMEOUT_SECONDS } from './post.ts'
import { eventQueue } from './queue.ts'
import { MAX_WAITING, tidyUp } from './tidy.ts'
import { deliveryWorker, type AttemptEnd } from './worker.ts'

export interface WebhookTiming {
  /** Seconds between two queries for new events */
  readonly lookEvery: number
  /** Minimum age in seconds of an event to send */
  readonly minimumAge: number
  /** Seconds between two queries for due deliveries */
  readonly deliverEvery: number
  /** Seconds for an attempt */
  readonly timeout: number
  /** Seconds between two audit checkpoints; infinite disables them */
  readonly checkpointEvery: number
  /** Replaces the database's time in tests */
  readonly now: Now
}

export const webhookTiming: WebhookTiming = {
  lookEvery: 10,
  minimumAge: 5,
  deliverEvery: 0.5,
  timeout: TIMEOUT_SECONDS,
  checkpointEvery: 3600,
  now: () => null,
}

const SWEEP_SECONDS = 60
const REPORT_SECONDS = 5

/** The status of the work, for readiness and metrics. */
export interface WebhookStatus {
  /** Whether this instance sends */
  readonly running: boolean
  /** Attempts of this instance by outcome */
  readonly attempts: ReadonlyMap<AttemptEnd, number>
  /** Tasks that keep failing, and for how many seconds */
  readonly heldUp: readonly { readonly task: string; readonly seconds: number }[]
}

/** `work` gets the SQL condition under which it may send, and resolves after the signal once nothing is being sent. */
export const webhookWork = (
  services: Pick<
    Services,
    'handle' | 'pool' | 'locks' | 'vault' | 'clock' | 'random' | 'egress' | 'outbound' | 'publicUrl'
  >,
  timing: WebhookTiming,
  log: { warn(fields: object, message: string): void },
) => {
  const { pool, vault, egress, outbound } = services
  const { now, lookEvery, minimumAge, deliverEvery, timeout, checkpointEvery } = timing
  const store = deliveryStore(pool, now)
  const queue = eventQueue({ pool, source: outbound, vault, newId, now, minimumAge })
  const checkpoints = checkpointTeller({ ...services, newId, now, every: checkpointEvery })
  const { reportFailures } = webhookCommands(services)
  const attempts = new Map<AttemptEnd, number>()
  /** Start of the failure by the monotonic clock, in milliseconds. */
  const heldUp = new Map<string, number>()
  let running = false

  const ended = (how: AttemptEnd): void => {
    attempts.set(how, (attempts.get(how) ?? 0) + 1)
  }

  const failed = (task: string, error: unknown): undefined => {
    if (!heldUp.has(task)) heldUp.set(task, performance.now())
    const reason = error instanceof Error ? error.message : String(error)
    log.warn({ task, reason }, 'webhooks are failing')
  }

  const work = async (signal: AbortSignal, held: string): Promise<void> => {
    const worker = deliveryWorker({ store, egress, vault, held, timeout, ended, log })
    const tasks: readonly RepeatedTask[] = [
      { name: 'looking for events', every: lookEvery, run: () => queue.look(signal) },
      { name: 'delivering', every: deliverEvery, run: () => worker.deliver(signal) },
      { name: 'reporting failures', every: REPORT_SECONDS, run: () => reportFailures(store) },
      {
        name: 'deleting old deliveries',
        every: SWEEP_SECONDS,
        run: () => tidyUp(pool, now, MAX_WAITING, worker.underWay()),
      },
      { name: 'sending audit checkpoints', every: lookEvery, run: () => checkpoints.tell() },
    ]
    running = true
    try {
      await repeatTasks(tasks, { signal, succeeded: (task) => heldUp.delete(task), failed, rest })
    } finally {
      await worker.idle()
      running = false
      heldUp.clear()
    }
  }

  return {
    work,
    status: (): WebhookStatus => ({
      running,
      attempts,
      heldUp: [...heldUp].map(([task, since]) => ({ task, seconds: (performance.now() - since) / 1000 })),
    }),
  }
}
