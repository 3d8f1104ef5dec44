/**
 * Changes the retention of streams that exist already, in an engine that stores it with each stream. Follows the log
 * from its beginning after each change of the retention in force; the position reached survives a restart, and any
 * instance continues.
 */
import type pg from 'pg'
import { retentionOf, signInDaysAt } from '../../../domain/retention.ts'
import { START, categoryOf, type EventLog, type Position } from '../../engines/event-log/event-log.ts'
import { microsecondsOf, type LogRetention } from '../../engines/event-log/retention.ts'

const PREFIX = 'stream retention, days: '
const PAGE = 1_000
/** Of one run; the next run continues. */
const PAGES = 100

/** @param workPool plain `pg` types */
export const streamRetention =
  (log: EventLog, retention: LogRetention, workPool: pg.Pool, now: () => Date) => async (): Promise<void> => {
    const { setRetention } = log
    if (setRetention === undefined) return
    const periods = await retention.refresh(log)
    const neverChanged = periods.length === 1
    if (neverChanged) return
    const name = PREFIX + String(signInDaysAt(periods, microsecondsOf(now())))
    await workPool.query('delete from work.checkpoint where starts_with(name, $1) and name <> $2', [
      PREFIX,
      name,
    ])
    const { rows } = await workPool.query<{ position: string }>(
      `insert into work.checkpoint (name, position) values ($1, $2)
       on conflict (name) do update set name = excluded.name returning position`,
      [name, START],
    )
    let position = (rows[0]?.position ?? START) as Position
    for (let page = 0; page < PAGES; page++) {
      const events = await log.readAll(position, PAGE)
      const last = events.at(-1)
      if (last === undefined) return
      const streams = events
        .map(({ stream }) => stream)
        .filter((stream) => retentionOf(categoryOf(stream)) === 'sign_in')
      await setRetention([...new Set(streams)])
      position = last.position
      await workPool.query('update work.checkpoint set position = $2 where name = $1 and position < $2', [
        name,
        position,
      ])
    }
  }
