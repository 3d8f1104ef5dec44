/**
 * Runs work on one instance at a time, as long as the instance holds a lease. Guarantees:
 * - Work starts only with the lease, and each run ends before the next one starts.
 * - The signal for the work aborts when the lease is lost and when the loop stops.
 * - Every lease is released, whether the work succeeded or failed.
 * - While another instance has the lease, the loop tries every `pollMs` to take it. Each failure increases the pause;
 *   a successful run, or another instance's lease, resets it.
 * - `stop` starts nothing more, cuts a pause short, and resolves once no work runs.
 * - A permanent failure ends the loop.
 */
import { backOff } from '../adapters/kernel/back-off.ts'
import type { Lease } from './lease.ts'

export interface LeasedLoop {
  start(): void
  /** Resolves once the current work has ended. */
  stop(): Promise<void>
}

export interface LeasedLoopOptions {
  /** Takes the lease; returns null while another instance holds it. */
  readonly take: () => Promise<Lease | null>
  /** @param signal aborts when the lease is lost or the loop stops */
  readonly work: (signal: AbortSignal, lease: Lease) => Promise<void>
  /** Called when another instance has the lease. */
  readonly waiting?: () => void
  /** Called on failure. @returns `end` if a retry cannot succeed */
  readonly failed: (error: unknown) => 'retry' | 'end'
  /** Milliseconds between two attempts to take the lease */
  readonly pollMs: number
  /** Milliseconds before the first retry, and the maximum */
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
