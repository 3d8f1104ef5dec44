/** Readers at the same log position share one query and its result. */
import type { Position } from '../event-log.ts'
import type { WakeUp } from '../../../kernel/wake-up.ts'
import type { LogPage } from './subscription.ts'

export type ReadLogPage = (after: Position, limit: number) => Promise<LogPage>

interface Look {
  readonly after: Position
  readonly limit: number
  /** The number of the last notification when the query started */
  readonly mark: number
  readonly page: Promise<LogPage>
}

/**
 * Returns a reader whose queries are shared until a new notification arrives. An empty page is returned again during
 * that time.
 */
export const sharedLogPages = (read: ReadLogPage, wakeUp: Pick<WakeUp, 'now'>): ReadLogPage => {
  let last: Look | null = null
  return (after, limit) => {
    const mark = wakeUp.now()
    if (last?.after === after && last.limit === limit && last.mark === mark) return last.page
    const forget = (): void => {
      if (last === look) last = null
    }
    const page = read(after, limit)
    const look: Look = { after, limit, mark, page }
    last = look
    page.then(({ events }) => {
      if (events.length === 0) forget()
    }, forget)
    return page
  }
}
