import type pg from 'pg'
import type { Instant } from '../../domain/time.ts'

/** How a list may be sorted: by its field, `-` for the reverse. */
export type Sort = 'name' | '-name' | 'createdAt' | '-createdAt'

/** One page of a list. Query one extra row: it shows whether there is a next page. */
export interface ListPage {
  readonly limit: number
  readonly sort: Sort
  /** The sort value and id of the last row of the previous page */
  readonly after?: readonly [string, string]
}

/** A page in log order. */
export interface ChronologicalPage {
  readonly limit: number
  readonly order: 'newest' | 'oldest'
  /** Position after which the page starts, in its order */
  readonly after?: string | undefined
  /** The last position that belongs to it */
  readonly upTo?: string | undefined
}

/** Maximum difference between the clocks of two instances. */
const SKEW = '1 minute'

/**
 * Returns where to continue after a row: its position. If the row no longer exists, returns the position of the last
 * row that is certainly older: a reader may see some rows again, but misses none. '' is the beginning.
 */
export const resumeAfter =
  (table: 'audit_events' | 'sign_ins', timeColumn: 'time' | 'created_at') =>
  async (pool: pg.Pool, id: string, time: Instant): Promise<string> => {
    const { rows } = await pool.query<{ position: string }>(
      `(select position, 0 as choice from ${table} where id = $1 and position is not null)
       union all
       (select position, 1 from ${table} where ${timeColumn} < $2::timestamptz - interval '${SKEW}' and position is not null
        order by ${timeColumn} desc limit 1)
       order by choice limit 1`,
      [id, time],
    )
    return rows[0]?.position ?? ''
  }

/** Every row of a list contains its sort key. */
export interface Sorted {
  readonly sortKey: string
}

/** Returns a pattern for `like` that matches a prefix. */
export const prefixPattern = (text: string): string => `${text.replace(/[\\%_]/g, '\\$&')}%`

const orders: Readonly<
  Record<'name' | 'createdAt', { expression: (table: string) => string; type: string }>
> = {
  name: { expression: (table) => `(lower(${table}.name) collate "C")`, type: 'text' },
  createdAt: { expression: (table) => `${table}.created_at`, type: 'timestamptz' },
}

/** Collects the parameters of a statement and returns their placeholders. */
export const parameters = () => {
  const values: unknown[] = []
  return { values, add: (value: unknown): string => `$${String(values.push(value))}` }
}
export type Parameters = ReturnType<typeof parameters>

/**
 * Returns a keyset page: a row comparison that uses the index on (sort, id), so later pages are not slower.
 * @param table the alias whose name, created_at and id are sorted by
 * @param columns the select list; `sortKey` is added
 */
export const readListPage = async <Row>(
  pool: pg.Pool,
  { limit, sort, after }: ListPage,
  table: string,
  columns: string,
  from: string,
  conditions: readonly string[],
  { add, values }: Parameters,
): Promise<readonly (Row & Sorted)[]> => {
  const descending = sort.startsWith('-')
  const order = orders[sort.replace('-', '') as 'name' | 'createdAt']
  const expression = order.expression(table)
  const all = [
    ...conditions,
    ...(after === undefined
      ? []
      : [
          `(${expression}, ${table}.id) ${descending ? '<' : '>'} (${add(after[0])}::${order.type}${order.type === 'text' ? ' collate "C"' : ''}, ${add(after[1])})`,
        ]),
  ]
  const direction = descending ? 'desc' : 'asc'
  const { rows } = await pool.query<Row & Sorted>(
    `select ${columns}, ${expression} as "sortKey" from ${from}
     ${all.length === 0 ? '' : `where ${all.join(' and ')}`}
     order by ${expression} ${direction}, ${table}.id ${direction} limit ${add(limit)}`,
    values,
  )
  return rows
}

/**
 * Returns the condition that a membership with this alias is current: open intervals have no end, which the indexes
 * use.
 */
export const inForceNow = (alias: string, now: string): string =>
  `${alias}.to_position is null and (${alias}.expires_at is null or ${alias}.expires_at > ${now})`
