/** Queries about the past: their times, and the log positions of the responses. */
import type pg from 'pg'
import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import type { Instant } from '../../../domain/time.ts'
import { ofThePast, type Past, type PastRecord } from '../../../read-models/queries/past.ts'
import type { IdPage } from '../../../read-models/queries/past-lists.ts'
import { rootAt } from '../../engines/audit/root-at.ts'
import { recordsThen } from '../../application/services/records-then.ts'
import type { Services } from '../../application/services/services.ts'
import { decodeCursor, DEFAULT_LIMIT, listPage, type CursorKeys } from '../http/cursor.ts'
import type { ReplyHeaders } from '../http/route.ts'
import { foreignCursor, instantOf, timeInput } from '../http/schemas.ts'

/** Headers of responses about the past, for the API document. */
export const pastHeaders = {
  'X-Log-Position': 'Position in the event log that the response is based on',
  'X-Log-Root':
    'Root of the audit tree at that position, base64 (RFC 6962); omitted until the tree reaches it',
} as const

/**
 * Returns the requested time; a future time counts as now.
 * @param field the query parameter
 */
export const timeOf = (requested: string | undefined, now: Instant, field = 'at'): Instant => {
  const wanted = requested === undefined ? now : instantOf(requested, field)
  return wanted < now ? wanted : now
}

/** Answers a query about the past, with its log position. */
export const answerOfThePast = async <const Times extends readonly Instant[], T>(
  pool: pg.Pool,
  times: Times,
  work: (client: pg.ClientBase, past: { readonly [I in keyof Times]: Past }) => Promise<T>,
): Promise<{ readonly answer: T; readonly headers: ReplyHeaders }> => {
  const { position, answer } = await ofThePast(pool, times, work)
  const root = await rootAt(pool, position)
  return {
    answer,
    headers: { 'X-Log-Position': position, ...(root === null ? {} : { 'X-Log-Root': root }) },
  }
}

/**
 * Returns a record at a past time, from its own events and related state at that time.
 * @throws DomainError ERR_NOT_FOUND if it did not exist
 */
export const recordOfThePast = async <Row>(
  { pool, clock, pastRecord }: Pick<Services, 'pool' | 'clock' | 'pastRecord'>,
  stream: string,
  at: string,
  read: (client: pg.ClientBase, past: Past, record: PastRecord) => Promise<readonly Row[]>,
): Promise<{ readonly row: Row; readonly headers: ReplyHeaders }> => {
  const { answer, headers } = await answerOfThePast(pool, [timeOf(at, clock.now())], async (client, [past]) =>
    read(client, past, await pastRecord(stream, past.cut)),
  )
  const [row] = answer
  if (row === undefined) throw new DomainError('ERR_NOT_FOUND')
  return { row, headers }
}

/** What a list of records at a past time consists of. */
interface PastList<Row> {
  /** The ids of a page. */
  readonly ids: (client: pg.ClientBase, past: Past, page: IdPage) => Promise<readonly string[]>
  readonly stream: (id: string) => string
  readonly read: (client: pg.ClientBase, past: Past, record: PastRecord) => Promise<readonly Row[]>
}

/**
 * A page of records at a past time, in order of ids. The cursor carries the log position of the first page, and the next
 * link its time, so that all pages are of one state.
 * @param now filters that only lists of the present have
 * @throws DomainError ERR_INVALID for one of those, or a cursor that this list did not give
 */
export const listOfThePast = async <Row>(
  { pool, clock, pastRecord }: Pick<Services, 'pool' | 'clock' | 'pastRecord'>,
  query: { at: string; limit?: number | undefined; cursor?: string | undefined },
  url: URL,
  now: Readonly<Record<string, unknown>>,
  { ids, stream, read }: PastList<Row>,
): Promise<{ readonly rows: readonly Row[]; readonly headers: ReplyHeaders }> => {
  for (const [name, value] of Object.entries(now))
    if (value !== undefined)
      throw new DomainError('ERR_INVALID', `${name}: cannot be combined with at`, `/${name}`)
  const { limit, after } = listPageById(query, 2)
  const time = timeOf(query.at, clock.now())
  const { answer, headers } = await answerOfThePast(pool, [time], async (client, [{ cut: found }]) => {
    const [lastId, cut = found] = after ?? []
    const past = { at: time, cut }
    const page = await ids(client, past, { limit: limit + 1, after: lastId })
    const records = await recordsThen(pastRecord, page.slice(0, limit).map(stream), cut)
    return { page, cut, rows: await read(client, past, records) }
  })
  const pinned = new URL(url)
  pinned.searchParams.set('at', time)
  const { headers: paging } = listPage(answer.page, limit, (id) => [id, answer.cut], pinned)
  return { rows: answer.rows, headers: { ...paging, ...headers } }
}

/** The query parameters for changes between two times. */
export const between = {
  from: timeInput('The state at this time'),
  to: Type.Optional(timeInput('The second time; default: now')),
}

/** @throws DomainError ERR_INVALID unless the first time is before the second */
export const timesOf = (query: { from: string; to?: string | undefined }, now: Instant) => {
  const [from, to] = [timeOf(query.from, now, 'from'), timeOf(query.to, now, 'to')]
  if (from >= to && query.from !== query.to)
    throw new DomainError('ERR_INVALID', 'from: expected a time before to', '/from')
  return [from, to] as const
}

/**
 * Returns the page of a list that is ordered by id.
 * @param length how many keys the list sorts by
 * @throws DomainError ERR_INVALID for a cursor that this list did not return
 */
export const listPageById = (
  query: { limit?: number | undefined; cursor?: string | undefined },
  length = 1,
): { readonly limit: number; readonly after: readonly string[] | undefined } => {
  const keys: CursorKeys | undefined = decodeCursor(query.cursor, length)
  if (keys?.some((key) => typeof key !== 'string') === true) throw foreignCursor()
  return { limit: query.limit ?? DEFAULT_LIMIT, after: keys as readonly string[] | undefined }
}
