/**
 * Consumers read the end of the log at different paces. They share each query, and the events of recent ones: each event
 * is fetched and parsed once, and is the same object for all of them.
 */
import type { Position, RecordedEvent } from '../event-log.ts'
import type { WakeUp } from '../../../kernel/wake-up.ts'
import type { SizedLogPage } from './reads.ts'
import type { LogPage } from './subscription.ts'

/** Covers a second of a busy log: more than the longest pause of a consumer. */
const MAX_EVENTS = 2_000
const MAX_SIZE = 8_000_000

export type ReadLogPage = (after: Position, limit: number) => Promise<LogPage>

interface Query {
  readonly after: Position
  readonly limit: number
  /** The number of the last notification when the query started */
  readonly mark: number
  readonly page: Promise<SizedLogPage>
}

interface RecentPage {
  readonly from: Position
  readonly to: Position
  readonly events: readonly RecordedEvent[]
  readonly size: number
  /** The number of the last notification when no event followed; null if some followed already */
  readonly lastAt: number | null
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Returns a reader that keeps recent events in memory, and asks the database only for what follows them. */
export const recentEvents = (
  read: (after: Position, limit: number) => Promise<SizedLogPage>,
  wakeUp: Pick<WakeUp, 'now'>,
): ReadLogPage => {
  /** Each page begins where the one before ends. */
  let recent: readonly RecentPage[] = []
  let query: Query | null = null

  const keep = (after: Position, { events, size, last }: SizedLogPage, mark: number): void => {
    const newest = recent.at(-1)
    const to = events.at(-1)?.position
    const lastAt = last ? mark : null
    if (to === undefined) {
      if (newest?.to === after) recent = [...recent.slice(0, -1), { ...newest, lastAt }]
      return
    }
    if (newest !== undefined && newest.to >= to) return
    const page = { from: after, to, events, size, lastAt }
    const pages = newest?.to === after ? [...recent, page] : [page]
    while (
      pages.length > 1 &&
      (sum(pages.map((one) => one.events.length)) > MAX_EVENTS ||
        sum(pages.map((one) => one.size)) > MAX_SIZE)
    )
      pages.shift()
    recent = pages
  }

  /** Reads what follows a position from the database; readers that ask meanwhile share the query. */
  const ask = (after: Position, limit: number): Promise<SizedLogPage> => {
    const mark = wakeUp.now()
    if (query?.after === after && query.limit === limit && query.mark === mark) return query.page
    const page = read(after, limit).then((result) => {
      keep(after, result, mark)
      return result
    })
    const started: Query = { after, limit, mark, page }
    const end = (): void => {
      if (query === started) query = null
    }
    query = started
    page.then(end, end)
    return page
  }

  return async (after, limit) => {
    const [oldest] = recent
    const newest = recent.at(-1)
    if (oldest === undefined || newest === undefined || after < oldest.from || after >= newest.to)
      return ask(after, limit)
    const events = recent
      .filter(({ to }) => to > after)
      .flatMap((page) => page.events)
      .filter(({ position }) => position > after)
    if (events.length >= limit) return { events: events.slice(0, limit), last: false }
    if (newest.lastAt === wakeUp.now()) return { events, last: true }
    const page = await ask(newest.to, limit)
    const all = [...events, ...page.events]
    return { events: all.slice(0, limit), last: page.last && all.length <= limit }
  }
}
