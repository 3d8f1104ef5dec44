/**
 * Follows the log from a position: page by page until it has caught up, then after each notification and at a polling
 * interval.
 */
import { Observable } from 'rxjs'
import type { Batch, Position, SubscribeOptions } from '../event-log.ts'
import { backOff } from '../../../kernel/back-off.ts'
import type { WakeUp } from '../../../kernel/wake-up.ts'

export interface LogPage {
  readonly events: Batch['events']
  /** No further event existed when the page was read. */
  readonly last: boolean
}

export interface FollowOptions extends SubscribeOptions {
  readonly read: (after: Position, limit: number) => Promise<LogPage>
  readonly wakeUp: WakeUp
  /** Milliseconds between polls without a notification */
  readonly pollInterval: number
  readonly random: () => number
  readonly log: (message: string, error: unknown) => void
  readonly closing: AbortSignal
}

const RETRY_FIRST_MS = 50
const RETRY_MOST_MS = 5_000

export const follow = (after: Position, options: FollowOptions): Observable<Batch> =>
  new Observable((subscriber) => {
    const { batchSize = 500, handle, read, wakeUp, closing } = options
    const stop = new AbortController()
    const end = (): void => stop.abort()
    closing.addEventListener('abort', end)

    const run = async (): Promise<void> => {
      let position = after
      let announced = false
      let failures = 0
      while (!stop.signal.aborted) {
        const mark = wakeUp.now()
        let page: LogPage
        try {
          page = await read(position, batchSize)
          failures = 0
        } catch (error) {
          options.log('reading the event log failed, retrying', error)
          announced = false
          const wait = backOff(failures++, RETRY_FIRST_MS, RETRY_MOST_MS, options.random)
          await wakeUp.after(wakeUp.now(), wait, stop.signal)
          continue
        }
        if (stop.signal.aborted) break
        if (page.events.length > 0 || (page.last && !announced)) {
          position = page.events.at(-1)?.position ?? position
          const batch = { events: page.events, position, caughtUp: page.last }
          if (handle !== undefined) await handle(batch)
          if (stop.signal.aborted) break
          subscriber.next(batch)
          announced = page.last
        }
        if (page.last) await wakeUp.after(mark, options.pollInterval, stop.signal)
      }
    }

    if (closing.aborted) end()
    run().then(
      () => subscriber.complete(),
      (error: unknown) => subscriber.error(error),
    )
    return () => {
      closing.removeEventListener('abort', end)
      end()
    }
  })
