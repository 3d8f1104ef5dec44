import type { LoggedRequests } from '../../adapters/inbound/http/current-request.ts'
import { exitCodes, type ExitCode } from './exit-codes.ts'
import type { Log } from './log.ts'

/** Milliseconds within which running work must end. */
const END_WITHIN_MS = 10_000

/** The part of `process` that reports uncaught errors. */
export interface UncaughtErrors {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown
}

export interface UnexpectedOptions {
  readonly process: UncaughtErrors
  readonly log: Pick<Log, 'error'>
  /** The request that the failed work belonged to, or those that it may have belonged to */
  readonly requests: () => LoggedRequests
  readonly exit: (code: ExitCode) => void
  /** Milliseconds */
  readonly endWithin?: number
}

export interface UnexpectedPolicy {
  /** @param stop accepts no more requests, waits for work in progress, and closes everything */
  readonly attach: (stop: () => Promise<void>) => void
}

/**
 * Handles an uncaught error: logs it with its request, stops accepting requests, finishes work in progress, and exits
 * with a separate code. After such an error the state of the process is unknown, so its supervisor must start another.
 */
export const endOnUnexpected = ({
  process,
  log,
  requests,
  exit,
  endWithin = END_WITHIN_MS,
}: UnexpectedOptions): UnexpectedPolicy => {
  let stop: (() => Promise<void>) | undefined
  let ending = false

  const end = async (): Promise<void> => {
    let timer: NodeJS.Timeout | undefined
    const outOfTime = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        log.error({ milliseconds: endWithin }, 'work in progress did not finish in time')
        resolve()
      }, endWithin)
    })
    const stopped = stop?.().catch((error: unknown) => {
      log.error({ err: error }, 'the service did not shut down cleanly')
    })
    await Promise.race([stopped, outOfTime])
    clearTimeout(timer)
    exit(exitCodes.unexpected)
  }

  const on = (kind: 'uncaughtException' | 'unhandledRejection') => (thrown: unknown) => {
    const err = thrown instanceof Error ? thrown : new Error(String(thrown))
    const fields = { err, kind, ...requests() }
    if (ending) {
      log.error(fields, 'another unexpected error during shutdown')
      return
    }
    ending = true
    log.error(fields, 'unexpected error: this instance stops accepting requests and shuts down')
    void end()
  }
  for (const kind of ['uncaughtException', 'unhandledRejection'] as const) process.on(kind, on(kind))

  return {
    attach: (shutDown) => {
      stop = shutDown
    },
  }
}
