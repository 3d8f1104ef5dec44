/** Runs one command for each of many records, a few at a time, at the pace that the service allows. */
import { ApiError, type ApiErrorCode } from '../../lib/api.ts'

/** Requests at a time */
const AT_ONCE = 4
/** How often one command is repeated while the service asks to wait */
const MOST_REPEATS = 20
const LONGEST_WAIT_S = 120

/** Errors that every further command would have too, until the user signs in again. */
const ENDS_ALL: readonly ApiErrorCode[] = [
  'ERR_UNAUTHENTICATED',
  'ERR_REAUTH_REQUIRED',
  'ERR_STRONGER_AUTH_REQUIRED',
]
const ASKS_TO_WAIT: readonly ApiErrorCode[] = ['ERR_RATE_LIMITED', 'ERR_UNAVAILABLE']

export interface BulkFailure<Item> {
  readonly item: Item
  readonly error: Error
}

export interface BulkResult<Item> {
  readonly done: readonly Item[]
  readonly failed: readonly BulkFailure<Item>[]
  /** Not sent, because it was stopped or needs a sign-in first */
  readonly left: readonly Item[]
  /** Why all further commands would fail; null if they would not */
  readonly ending: ApiError | null
}

interface BulkRun<Item> {
  readonly items: readonly Item[]
  readonly send: (item: Item) => Promise<unknown>
  /** Waits; returns early once the signal is aborted */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** Stops between commands: those that were sent are waited for */
  readonly signal: AbortSignal
  /** @param waiting seconds that the service asked to wait; null while commands run */
  readonly onProgress: (finished: number, waiting: number | null) => void
}

/** Returns after the given time, or as soon as the signal is aborted. */
export const pauseFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

const waitOf = (error: unknown, repeats: number): number | null => {
  if (!(error instanceof ApiError) || !ASKS_TO_WAIT.includes(error.code) || repeats >= MOST_REPEATS)
    return null
  return Math.min(error.retryAfterSeconds ?? 2 ** Math.min(repeats, 5), LONGEST_WAIT_S)
}

export const runBulk = async <Item>({
  items,
  send,
  pause,
  signal,
  onProgress,
}: BulkRun<Item>): Promise<BulkResult<Item>> => {
  const queue = [...items]
  const done: Item[] = []
  const failed: BulkFailure<Item>[] = []
  let ending: ApiError | null = null
  /** While one waits, the others wait with it. */
  let waiting: Promise<void> = Promise.resolve()
  /** What the service asked for, while one waits */
  let seconds: number | null = null
  const isOver = (): boolean => signal.aborted || ending !== null
  const report = (): void => onProgress(done.length + failed.length, seconds)

  const attempt = async (item: Item, repeats: number): Promise<void> => {
    try {
      await send(item)
      done.push(item)
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      const asked = waitOf(error, repeats)
      if (error instanceof ApiError && ENDS_ALL.includes(error.code)) {
        ending = error
        queue.push(item)
        return
      }
      if (asked === null) failed.push({ item, error })
      else {
        seconds = asked
        report()
        const pausing = pause(asked * 1000, signal)
        waiting = pausing
        await pausing
        if (waiting === pausing) seconds = null
        if (isOver()) queue.push(item)
        else return attempt(item, repeats + 1)
        return
      }
    }
    report()
  }
  const work = async (): Promise<void> => {
    while (queue.length > 0) {
      await waiting
      const item = isOver() ? undefined : queue.shift()
      if (item === undefined) return
      await attempt(item, 0)
    }
  }
  report()
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, work))
  return { done, failed, left: queue, ending }
}
