import { setTimeout as delay } from 'node:timers/promises'
import { isUnavailable } from '../adapters/http/errors.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Log } from './log.ts'

const AGAIN_MS = 500

/**
 * Does what needs the stores, again while they are out of reach: a database that answered a moment ago may be starting
 * anew, and an event log beside it may take longer to start than the service.
 * @param limits milliseconds after which it is given up, and what ends the waiting at once
 * @throws CliError for a store still out of reach then, or when told to stop; what `work` throws for any other reason
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
      if (!isUnavailable(error)) throw error
      const reason = error instanceof Error ? error.message : String(error)
      if (performance.now() > end || signal?.aborted === true)
        throw new CliError(exitCodes.unreachable, `The service cannot start: ${reason}`, { cause: error })
      log.warn({ reason }, 'not started yet: trying again')
      await delay(AGAIN_MS, undefined, signal === undefined ? {} : { signal }).catch(() => undefined)
    }
  }
}
