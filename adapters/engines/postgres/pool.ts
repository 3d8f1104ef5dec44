import pg from 'pg'

/** `2026-01-02 03:04:05.12+00` → `2026-01-02T03:04:05.120000Z`; microseconds would not survive a Date. */
const instantOf = (text: string): string => {
  const match = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/.exec(text)
  if (match === null) return text
  return `${match[1] ?? ''}T${match[2] ?? ''}.${(match[3] ?? '').padEnd(6, '0')}Z`
}

/** Object ids of Postgres' own types (pg_type). */
const TIMESTAMPTZ = pg.types.builtins.TIMESTAMPTZ
const INT8 = pg.types.builtins.INT8

const types = {
  getTypeParser: (oid: Parameters<typeof pg.types.getTypeParser>[0], format?: 'text' | 'binary') => {
    if (oid === TIMESTAMPTZ) return instantOf
    if (oid === INT8) return Number
    return pg.types.getTypeParser(oid, format) as (value: string) => unknown
  },
}

export interface PoolOptions {
  readonly max?: number
  readonly applicationName?: string
  /** Milliseconds for getting a connection; 2000 when left out. */
  readonly connectTimeout?: number
  /** Milliseconds until a statement times out. */
  readonly statementTimeout?: number
  /** Milliseconds that a transaction may do nothing before the database ends it, and with it the locks it holds. */
  readonly idleTransactionTimeout?: number
  /**
   * For statements with a name that look rows up by index: planned once for each connection instead of for every call,
   * which costs more than running them, and never by a scan that was cheap while a table was small.
   */
  readonly lookups?: boolean
  readonly onError?: (error: Error) => void
}

/**
 * Connections with a default schema, times as RFC 3339 with microseconds and bigints as numbers, and timeouts
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
      // An instance that is paused in a transaction must not hold up the others for as long as it sleeps.
      idle_in_transaction_session_timeout: options.idleTransactionTimeout ?? 10_000,
      ...(options.lookups === true ? { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' } : {}),
    })
      .map(([name, value]) => `-c ${name}=${String(value)}`)
      .join(' '),
  })
  return outlivesConnections(pool, options.onError)
}

/**
 * Keeps connections that break from ending the process: idle ones are replaced at their next use; those in use between
 * two statements, of which the pool does not hear, fail their next one.
 */
export const outlivesConnections = (pool: pg.Pool, onError?: (error: Error) => void): pg.Pool =>
  pool
    .on('error', (error) => {
      if (!pool.ending) onError?.(error)
    })
    .on('connect', (client) => {
      client.on('error', () => undefined)
    })
