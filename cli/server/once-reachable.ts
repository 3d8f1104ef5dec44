import { setTimeout as delay } from 'node:timers/promises'
import { isUnavailable } from '../../adapters/inbound/http/errors.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Log } from './log.ts'

const AGAIN_MS = 500

/** Returns the error for an unavailable store; null for any other error. */
export const unreachable = (what: string, error: unknown): CliError | null => {
  if (!isUnavailable(error)) return null
  const reason = error instanceof Error ? error.message : String(error)
  return new CliError(exitCodes.unreachable, `${what}: ${reason}`, { cause: error })
}

/**
 * Runs work that needs the stores, and retries while they are unavailable: a database may be restarting, and
 * an event log may take longer to start than the service.
 * @param forMs milliseconds until it fails
 * @param signal ends the waiting immediately
 * @throws CliError for a store that is still unavailable, or if stopped; other errors of `work`
 */
export const onceReachable = async <T>(
  work: () => Promise<T>,
  log: Log,
  { forMs = 30_000, signal }: { readonly forMs?: number; readonly signal?: AbortSignal } = {},
): Promise<T> => {
  const end = performance.now() + forMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const reported = unreachable('The service cannot start', error)
      if (reported === null) throw error
      if (performance.now() > end || signal?.aborted === true) throw reported
      log.warn({ reason: reported.message }, 'not started, will retry')
      await delay(AGAIN_MS, undefined, signal === undefined ? {} : { signal }).catch(() => undefined)
    }
  }
}
