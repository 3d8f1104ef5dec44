import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { tryLease, type Lease } from '../projections/lease.ts'
import type { Log } from './log.ts'

/** Milliseconds after which whoever waits for its turn, or failed at it, looks again. */
const POLL_MS = 500

export interface LeasedWork {
  start(): void
  /** Resolves once what was under way has ended. */
  stop(): Promise<void>
}

/**
 * Work that one instance at a time does, for as long as it holds the lease.
 * @param name of the lease, and of the work in the log
 * @param work ends when its signal says so; writes that must not come late go with `assertHeld`, and reads with `held`
 */
export const leasedWork = (
  pool: pg.Pool,
  name: string,
  work: (signal: AbortSignal, assertHeld: Lease['assertHeld'], held: Lease['held']) => Promise<void>,
  log: Log,
): LeasedWork => {
  const stopping = new AbortController()
  const holder = randomUUID()

  const turn = async (): Promise<void> => {
    let lease: Lease | null = null
    try {
      lease = await tryLease(pool, name, holder)
      if (lease !== null) {
        const { assertHeld, held, signal } = lease
        await work(AbortSignal.any([signal, stopping.signal]), assertHeld, held)
      }
    } catch (error) {
      log.warn(
        { work: name, reason: error instanceof Error ? error.message : String(error) },
        'work is held up',
      )
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
    start: () => {
      running ??= run()
    },
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
