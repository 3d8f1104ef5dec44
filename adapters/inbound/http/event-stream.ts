/**
 * Lists as event streams (Server-Sent Events, HTML Standard §9.2): new rows are sent as they are recorded, until the
 * client leaves, its access ends or the service stops. A client that reconnects with `Last-Event-ID` misses nothing.
 */
import { Readable } from 'node:stream'
import { rest } from '../../kernel/rest.ts'
import type { WakeUp } from '../../kernel/wake-up.ts'
import { credentialOf, type Caller } from './caller.ts'
import { ApiError, isOutage } from './errors.ts'
import type { Content, StreamContext } from './route.ts'

export const EVENT_STREAM = 'text/event-stream'

/** Proxies would otherwise collect the events; a kept connection would delay the stop of the service. */
export const STREAM_HEADERS = { 'X-Accel-Buffering': 'no', Connection: 'close' } as const

const RECONNECT_MS = 2_000
const ROWS = 100
const RETRY_AFTER_SECONDS = '30'

const defaults = {
  /** Open streams */
  perCredential: 6,
  all: 200,
  /** Proxies close connections that are silent for about a minute. */
  heartbeatMs: 15_000,
  /** Between two reads of a stream: a busy service sends several events together. */
  paceMs: 200,
}

interface Row {
  readonly position: string
}

export interface EventSourceOf<R extends Row> {
  /** Position to start after; '' is the beginning */
  readonly first: string
  /** Returns the rows after a position, oldest first, up to a limit. */
  readonly read: (after: string, limit: number) => Promise<readonly R[]>
  /** Returns what is sent for each row, with the id that `Last-Event-ID` will name. */
  readonly write: (rows: readonly R[]) => Promise<readonly { readonly id: string }[]>
}

export interface EventStreams {
  /** @throws ApiError ERR_RATE_LIMITED if the credential, or the instance, has too many open streams */
  readonly open: <R extends Row>(caller: Caller, context: StreamContext, source: EventSourceOf<R>) => Content
}

/**
 * The open streams of one list.
 * @param news wakes when there may be new rows
 */
export const eventStreams = (
  news: Pick<WakeUp, 'now' | 'after'>,
  { perCredential, all: most, heartbeatMs, paceMs } = defaults,
): EventStreams => {
  const open = new Map<string, number>()
  let all = 0

  const admit = (caller: Caller): (() => void) => {
    const key = JSON.stringify(credentialOf(caller))
    const its = open.get(key) ?? 0
    if (its >= perCredential || all >= most)
      throw new ApiError('ERR_RATE_LIMITED', 'Too many event streams are open. Close one, or retry later.', {
        headers: { 'Retry-After': RETRY_AFTER_SECONDS },
      })
    open.set(key, its + 1)
    all++
    return () => {
      all--
      const left = (open.get(key) ?? 1) - 1
      if (left === 0) open.delete(key)
      else open.set(key, left)
    }
  }

  return {
    open: (caller, { stillAllowed, ending }, { first, read, write }) => {
      const leave = admit(caller)
      const closed = new AbortController()
      const ended = AbortSignal.any([closed.signal, ending])
      const events = async function* (): AsyncGenerator<string> {
        yield `retry: ${String(RECONNECT_MS)}\n\n`
        let after = first
        let sentAt = performance.now()
        while (!ended.aborted) {
          const mark = news.now()
          const rows = await read(after, ROWS)
          // Checked after reading: nothing that was recorded since the access ended is sent.
          if (!(await stillAllowed())) return
          if (rows.length > 0) {
            const sent = await write(rows)
            yield sent.map((entry) => `id: ${entry.id}\ndata: ${JSON.stringify(entry)}\n\n`).join('')
            after = rows.at(-1)?.position ?? after
            sentAt = performance.now()
          }
          if (rows.length === ROWS) continue
          await news.after(mark, heartbeatMs, ended)
          if (mark !== news.now()) await rest(paceMs, ended)
          if (ended.aborted) return
          // Also while news arrive that the filters leave out.
          if (performance.now() - sentAt >= heartbeatMs) {
            yield ':\n\n'
            sentAt = performance.now()
          }
        }
      }
      const iterator = events()
      const data: Readable = new Readable({
        read: () => {
          iterator.next().then(
            ({ done, value }) => data.push(done === true ? null : value),
            // During an outage the client reconnects; every other error is logged.
            (error: unknown) => (isOutage(error) ? data.push(null) : data.destroy(error as Error)),
          )
        },
        destroy: (error, done) => {
          closed.abort()
          leave()
          done(error)
        },
      })
      return { type: EVENT_STREAM, data }
    },
  }
}
