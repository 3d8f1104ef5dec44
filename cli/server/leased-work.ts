import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { backOff } from '../../adapters/engines/event-log/wake-up.ts'
import { tryLease, type Lease } from '../../projections/lease.ts'
import type { Log } from './log.ts'

/** Milliseconds after which whoever waits for its turn looks again; after failures at most so many. */
const POLL_MS = 500
const RETRY_MOST_MS = 5_000

export interface LeasedWork {
  start(): void
  /** Resolves once what was under way has ended. */
  stop(): Promise<void>
}

/**
 * Work that one instance at a time does, for as long as it holds the lease.
 * @param name of the lease, and of the work in the log
 * @param work ends when its signal says so; writes that must not come late go with `assertHeld`, reads with `held`, and
 *   what is done elsewhere asks `surelyHeld` first
 */
export const leasedWork = (
  pool: pg.Pool,
  name: string,
  work: (signal: AbortSignal, lease: Pick<Lease, 'assertHeld' | 'held' | 'surelyHeld'>) => Promise<void>,
  log: Log,
): LeasedWork => {
  const stopping = new AbortController()
  const holder = randomUUID()

  /** @returns whether it went well, be it that another instance has the lease */
  const turn = async (): Promise<boolean> => {
    let lease: Lease | null = null
    try {
      lease = await tryLease(pool, name, holder)
      if (lease !== null) {
        await work(AbortSignal.any([lease.signal, stopping.signal]), lease)
      }
      return true
    } catch (error) {
      log.warn(
        { work: name, reason: error instanceof Error ? error.message : String(error) },
        'work is held up',
      )
      return false
    } finally {
      await lease?.release().catch(() => undefined)
    }
  }

  const run = async (): Promise<void> => {
    let failures = 0
    while (!stopping.signal.aborted) {
      failures = (await turn()) ? 0 : failures + 1
      const rest = failures === 0 ? POLL_MS : backOff(failures, POLL_MS, RETRY_MOST_MS, Math.random)
      await delay(rest, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  let running: Promise<void> | null = null
  return {
    start: () => {
      running ??= run()
    },
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
