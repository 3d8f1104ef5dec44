import { setTimeout as delay } from 'node:timers/promises'
import { isUnavailable } from '../../adapters/inbound/http/errors.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import type { Log } from './log.ts'

const AGAIN_MS = 500

/** What is told of a store that cannot be reached; null for an error of another kind. */
export const unreachable = (what: string, error: unknown): CliError | null => {
  if (!isUnavailable(error)) return null
  const reason = error instanceof Error ? error.message : String(error)
  return new CliError(exitCodes.unreachable, `${what}: ${reason}`, { cause: error })
}

/**
 * Does what needs the stores, again while they are out of reach: a database that answered a moment ago may be starting
 * anew, and an event log beside it may take longer to start than the service.
 * @param forMs milliseconds after which it is given up
 * @param signal ends the waiting at once
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
      const told = unreachable('The service cannot start', error)
      if (told === null) throw error
      if (performance.now() > end || signal?.aborted === true) throw told
      log.warn({ reason: told.message }, 'not started yet: trying again')
      await delay(AGAIN_MS, undefined, signal === undefined ? {} : { signal }).catch(() => undefined)
    }
  }
}
