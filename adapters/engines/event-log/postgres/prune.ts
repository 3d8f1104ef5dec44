/** Deletes events whose retention has ended. The stream's revision stays in `log.stream`. */
import type pg from 'pg'
import type { RetentionPolicy } from '../event-log.ts'

const CHUNK = 5_000

// Skips from one category to the next in the index instead of reading every event.
const CATEGORIES = `
with recursive c (category) as (
  (select split_part(stream, '-', 1) from log.event order by 1 limit 1)
  union all
  select (select split_part(stream, '-', 1) from log.event where split_part(stream, '-', 1) > c.category order by 1 limit 1)
  from c where c.category is not null
)
select category from c where category is not null`

const EXPIRED = `
delete from log.event where position in (
  select position from log.event where split_part(stream, '-', 1) = $1 and recorded < $2 order by recorded limit $3
)`

/** Deletes in chunks, each with its own commit, so that no lock or large transaction blocks other work. */
export const pruneExpired = async (pool: pg.Pool, retention: RetentionPolicy, now: Date): Promise<void> => {
  const { rows } = await pool.query<{ category: string }>(CATEGORIES)
  for (const { category } of rows) {
    const seconds = retention(category)
    if (seconds === null) continue
    const before = new Date(now.getTime() - seconds * 1_000)
    for (let deleted = CHUNK; deleted === CHUNK;) {
      deleted = (await pool.query(EXPIRED, [category, before, CHUNK])).rowCount ?? 0
    }
  }
}
