/** Checks the tables that the log in Postgres has besides the events. */
import type pg from 'pg'
import { retentionOf } from '../../../../domain/retention.ts'
import { padPosition } from '../../event-log/postgres/writer.ts'
import { MOST_LISTED, type Findings } from './findings.ts'

/**
 *
 * @param client sees the same snapshot as the reader of the events
 * @param last position of the last leaf, or '' if the log is shared
 */
export const checkLogTables = async (
  client: pg.ClientBase,
  { last, prefix }: { readonly last: string; readonly prefix: string },
  findings: Findings,
): Promise<void> => {
  const { rows: heads } = await client.query<{ head: string | null; last: string | null }>(
    `select (select position::text from log.head) as head, (select max(position)::text from log.event) as last`,
  )
  const head = heads[0]?.head ?? '0'
  const reached = [padPosition(heads[0]?.last ?? '0'), last].sort().at(-1) ?? ''
  if (prefix === '' && padPosition(head) !== reached)
    findings.add(
      padPosition(head) > reached ? 'completeness' : 'integrity',
      'log.head',
      `the log assigned positions up to ${head}, but its last event is at ${String(BigInt(reached))}`,
      { position: padPosition(head) },
    )
  const { rows: strays } = await client.query<{ position: string; stream: string; id: string }>(
    `select position::text, stream, id from log.event
     where position < 1 or position > $1 order by position limit ${String(MOST_LISTED)}`,
    [head],
  )
  for (const { position, stream, id } of strays)
    findings.add('integrity', 'log.event', `the log never assigned position ${position}`, {
      position: padPosition(position),
      stream: stream.slice(prefix.length),
      eventId: id,
    })

  const { rows: categories } = await client.query<{ category: string }>(
    `select distinct split_part(name, '-', 1) as category from log.stream`,
  )
  const passing = categories
    .map(({ category }) => category)
    .filter((category) => retentionOf(category.slice(prefix.length)) !== 'permanent')
  const { rows: wrong } = await client.query<{
    name: string
    known: string | null
    reached: string | null
  }>(
    `select coalesce(s.name, e.stream) as name, s.revision::text as known, e.revision::text as reached
     from log.stream s
     full join (select stream, max(revision) as revision from log.event group by stream) e on e.stream = s.name
     where s.revision is distinct from e.revision and starts_with(coalesce(s.name, e.stream), $1)
       and (s.name is null or e.stream is not null or split_part(s.name, '-', 1) <> all ($2))
     order by 1 limit $3`,
    [prefix, passing, MOST_LISTED],
  )
  for (const { name, known, reached: newest } of wrong)
    findings.add(
      newest === null ? 'completeness' : 'integrity',
      'log.stream',
      `revision is ${known ?? 'missing'}, but the stream's last event has ${newest ?? 'none'}`,
      { stream: name.slice(prefix.length) },
    )
}
