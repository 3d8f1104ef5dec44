/** Queries over the Postgres log. */
import type pg from 'pg'
import type { JsonObject, Position, RecordedEvent } from '../event-log.ts'
import type { LogPage } from './subscription.ts'
import { padPosition } from './writer.ts'

export interface EventRow {
  position: string
  stream: string
  revision: string
  id: string
  type: string
  data: string
  metadata: string
  /** Microseconds since 1970 */
  recorded: string
}

interface LogPageRow extends EventRow {
  head: string
}

/** Maximum bytes of events in one page; a single larger event still makes a page. */
const PAGE_BYTES = 8_000_000

const numberOf = (position: Position): string => (position === '' ? '0' : BigInt(position).toString())

const eventOf = (row: EventRow): RecordedEvent => ({
  stream: row.stream,
  revision: Number(row.revision),
  position: padPosition(row.position),
  id: row.id,
  type: row.type,
  data: JSON.parse(row.data) as JsonObject,
  metadata: JSON.parse(row.metadata) as JsonObject,
  recorded: row.recorded,
})

const RECORDED = '(extract(epoch from e.recorded) * 1000000)::bigint::text as recorded'

// octet_length returns the size of a large value without fetching it; only values within the limit are fetched.
const PAGE = `
select e.position::text, e.stream, e.revision::text, e.id, e.type, e.data, e.metadata, ${RECORDED},
  (select h.position::text from log.head h) as head
from (
  select p.*, sum(octet_length(p.data) + octet_length(p.metadata)) over (order by p.position) as bytes,
    row_number() over (order by p.position) as place
  from (select * from log.event where position > $1 order by position limit $2) p
) e
where e.bytes <= $3 or e.place = 1
order by e.position`

export interface SizedLogPage extends LogPage {
  /** Characters of the events as text */
  readonly size: number
}

/** Returns the rows of the events after a position: at most `limit` of them and about `bytes` of text. */
export const readEventRows = async (
  client: pg.Pool | pg.ClientBase,
  after: Position,
  limit: number,
  bytes = PAGE_BYTES,
): Promise<readonly LogPageRow[]> => {
  const most = Number.isFinite(bytes) ? bytes : Number.MAX_SAFE_INTEGER
  const { rows } = await client.query<LogPageRow>({
    name: 'log-page',
    text: PAGE,
    values: [numberOf(after), limit, most],
  })
  return rows
}

/** Returns the events after a position: at most `limit` of them and about `bytes` of text. */
export const readLogPage = async (
  pool: pg.Pool,
  after: Position,
  limit: number,
  bytes = PAGE_BYTES,
): Promise<SizedLogPage> => {
  const rows = await readEventRows(pool, after, limit, bytes)
  const last = rows.at(-1)
  return {
    events: rows.map(eventOf),
    last: last === undefined || BigInt(last.position) >= BigInt(last.head),
    size: rows.reduce((total, { data, metadata }) => total + data.length + metadata.length, 0),
  }
}

/** Returns the rows of a stream from a revision on. */
export const readStreamRows = async (
  client: pg.Pool | pg.ClientBase,
  stream: string,
  from = 0,
  limit?: number,
): Promise<readonly EventRow[]> => {
  const { rows } = await client.query<EventRow>({
    name: 'log-stream',
    text: `select e.position::text, e.stream, e.revision::text, e.id, e.type, e.data, e.metadata, ${RECORDED}
      from log.event e where e.stream = $1 and e.revision >= $2 order by e.revision limit $3`,
    values: [stream, from, limit ?? null],
  })
  return rows
}

export const readStreamEvents = async (
  pool: pg.Pool,
  stream: string,
  from: number,
  limit: number | undefined,
): Promise<readonly RecordedEvent[]> => (await readStreamRows(pool, stream, from, limit)).map(eventOf)
