import pg from 'pg'

/** `2026-01-02 03:04:05.12+00` → `2026-01-02T03:04:05.120000Z`; microseconds would not survive a Date. */
const instantOf = (text: string): string => {
  const end = text.length - 3
  if (text[10] !== ' ' || !text.endsWith('+00') || end > 26) return text
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, end).padEnd(6, '0')}Z`
}

type TypeId = Parameters<typeof pg.types.getTypeParser>[0]

/** Object ids of Postgres' own types (pg_type). */
const TEXT_ARRAY: number = 1009
const TIMESTAMPTZ = pg.types.builtins.TIMESTAMPTZ
const INT8 = pg.types.builtins.INT8

// oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- the enum lacks the ids of arrays
const anyTextArray = pg.types.getTypeParser(TEXT_ARRAY) as (value: string) => readonly (string | null)[]

/** The parser of pg-types reads character by character; most arrays need no more than a split. */
const textArrayOf = (text: string): readonly (string | null)[] => {
  if (text === '{}') return []
  return /^\{[^{}"\\]+\}$/.test(text) && !text.includes('NULL')
    ? text.slice(1, -1).split(',')
    : anyTextArray(text)
}

const parsers = new Map<number, (text: string) => unknown>([
  [TIMESTAMPTZ, instantOf],
  [INT8, Number],
  [TEXT_ARRAY, textArrayOf],
])

const types = {
  getTypeParser: (oid: TypeId, format?: 'text' | 'binary') =>
    parsers.get(oid) ?? (pg.types.getTypeParser(oid, format) as (value: string) => unknown),
}

export interface PoolOptions {
  readonly max?: number
  readonly applicationName?: string
  /** Milliseconds for getting a connection; default 2000 */
  readonly connectTimeout?: number
  /** Milliseconds until a statement times out. */
  readonly statementTimeout?: number
  /** Milliseconds that a transaction may be idle before the database aborts it and releases its locks. */
  readonly idleTransactionTimeout?: number
  /**
   * For named statements that look up rows by index. They are planned once per connection, because planning each call
   * costs more than running it, and never as a scan, which would only be cheap while the table is small.
   */
  readonly lookups?: boolean
  readonly onError?: (error: Error) => void
}

/**
 * Returns connections with a default schema, times as RFC 3339 with microseconds and bigints as numbers, and timeouts
 * for a database that does not respond.
 */
export const openPool = (connectionString: string, schema: string, options: PoolOptions = {}): pg.Pool => {
  const pool = new pg.Pool({
    connectionString,
    types,
    max: options.max ?? 10,
    application_name: options.applicationName ?? 'svc',
    connectionTimeoutMillis: options.connectTimeout ?? 2000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    query_timeout: (options.statementTimeout ?? 5000) + 1000,
    options: Object.entries({
      search_path: schema,
      timezone: 'UTC',
      statement_timeout: options.statementTimeout ?? 5000,
      // An instance that is paused in a transaction must not block the others while it is paused.
      idle_in_transaction_session_timeout: options.idleTransactionTimeout ?? 10_000,
      ...(options.lookups === true ? { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' } : {}),
    })
      .map(([name, value]) => `-c ${name}=${String(value)}`)
      .join(' '),
  })
  return outlivesConnections(pool, options.onError)
}

/**
 * Prevents broken connections from ending the process. Idle ones are replaced at their next use. The pool does not
 * notice a connection that breaks between two statements of a user; the next statement fails.
 */
export const outlivesConnections = (pool: pg.Pool, onError?: (error: Error) => void): pg.Pool =>
  pool
    .on('error', (error) => {
      if (!pool.ending) onError?.(error)
    })
    .on('connect', (client) => {
      client.on('error', () => undefined)
    })
