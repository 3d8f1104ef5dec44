/**
 * Work that one instance at a time does, for as long as it holds a lease. What always holds:
 *  - Work begins only with the lease, and one run of it has ended before the next begins.
 *  - The signal that work is given aborts when the lease is lost and when the loop stops.
 *  - Every lease that was taken is released, however the work ended.
 *  - While another instance has the lease the loop looks again every `pollMs`. A failure makes it wait longer each
 *    time; a run that ended well, or another instance's lease, starts that over.
 *  - Told to stop, it begins nothing more, cuts a rest short, and `stop` resolves once nothing is under way.
 *  - A failure that trying again cannot mend ends it for good.
 */
import { backOff } from '../adapters/kernel/back-off.ts'
import type { Lease } from './lease.ts'

export interface LeasedLoop {
  start(): void
  /** Resolves once the current work has ended. */
  stop(): Promise<void>
}

export interface LeasedLoopOptions {
  /** @returns null while another instance holds the lease */
  readonly take: () => Promise<Lease | null>
  /** @param signal aborts when the lease is lost or the loop is to stop */
  readonly work: (signal: AbortSignal, lease: Lease) => Promise<void>
  /** Called when another instance has the lease. */
  readonly waiting?: () => void
  /** Called on failure. @returns `end` if a retry cannot succeed */
  readonly failed: (error: unknown) => 'retry' | 'end'
  /** Milliseconds between two looks for the lease. */
  readonly pollMs: number
  /** Milliseconds before the second try, and at most. */
  readonly retryMs: { readonly first: number; readonly most: number }
  /** Resolves after the given milliseconds, or when the signal aborts. */
  readonly rest: (ms: number, signal: AbortSignal) => Promise<void>
  readonly random: () => number
}

export const leasedLoop = (options: LeasedLoopOptions): LeasedLoop => {
  const { take, work, waiting, failed, pollMs, retryMs, rest, random } = options
  const stopping = new AbortController()

  const turn = async (): Promise<void> => {
    const lease = await take()
    if (lease === null) {
      waiting?.()
      return
    }
    try {
      if (!stopping.signal.aborted) await work(AbortSignal.any([lease.signal, stopping.signal]), lease)
    } finally {
      // If the database is unavailable, the lease expires.
      await lease.release().catch(() => undefined)
    }
  }

  const run = async (): Promise<void> => {
    let failures = 0
    while (!stopping.signal.aborted) {
      let pause = pollMs
      try {
        await turn()
        failures = 0
      } catch (error) {
        if (stopping.signal.aborted) return
        if (failed(error) === 'end') return
        pause = backOff(failures++, retryMs.first, retryMs.most, random)
      }
      if (!stopping.signal.aborted) await rest(pause, stopping.signal)
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
