/** One of several logs in a store that others use too: the names of our streams begin with a prefix. */
import { map, type Observable } from 'rxjs'
import type { Batch, EventLog, Position, RecordedEvent, SubscribeOptions } from './event-log.ts'

/** Minimum size of a page of the store: it may contain few events with our prefix. */
const LEAST_PAGE = 500

/**
 * Returns the log of the streams with a prefix. Callers do not see the prefix; positions are those of the store.
 * Events of other owners are read and skipped, so a large shared store is slow to read.
 */
export const prefixedLog = (log: EventLog, prefix: string): EventLog => {
  const ours = (events: readonly RecordedEvent[]): readonly RecordedEvent[] =>
    events
      .filter(({ stream }) => stream.startsWith(prefix))
      .map((event) => ({ ...event, stream: event.stream.slice(prefix.length) }))
  const ofBatch = (batch: Batch): Batch => ({ ...batch, events: ours(batch.events) })

  const { setRetention } = log
  return {
    ...log,
    ...(setRetention === undefined
      ? {}
      : { setRetention: (streams) => setRetention(streams.map((stream) => prefix + stream)) }),
    append: (stream, expected, events) => log.append(prefix + stream, expected, events),
    appendMany: (appends) =>
      log.appendMany(appends.map((append) => ({ ...append, stream: prefix + append.stream }))),
    readStream: async (stream, options) => ours(await log.readStream(prefix + stream, options)),
    readAll: async (after: Position, limit: number) => {
      const collected: RecordedEvent[] = []
      const page = Math.max(limit, LEAST_PAGE)
      for (let from = after; collected.length < limit;) {
        const events = await log.readAll(from, page)
        collected.push(...ours(events))
        const last = events.at(-1)
        if (last === undefined || events.length < page) break
        from = last.position
      }
      return collected.slice(0, limit)
    },
    subscribe: (after: Position, { handle, ...options }: SubscribeOptions = {}): Observable<Batch> =>
      log
        .subscribe(after, {
          ...options,
          ...(handle === undefined ? {} : { handle: (batch) => handle(ofBatch(batch)) }),
        })
        .pipe(map(ofBatch)),
  }
}
