/** The event log in Postgres: the embedded default, also suitable for a separate database server. */
import { setMaxListeners } from 'node:events'
import pg from 'pg'
import { EventLogUnavailable, START } from './event-log.ts'
import type { EventLog, Position, RecordedEvent, RetentionPolicy } from './event-log.ts'
import { checkedAppends } from './new-events.ts'
import { connect, destroy } from './postgres/connection.ts'
import { listen } from './postgres/listener.ts'
import { pruneExpired } from './postgres/prune.ts'
import { readLogPage, readStreamEvents } from './postgres/reads.ts'
import { recentEvents } from './postgres/recent-events.ts'
import { follow } from './postgres/subscription.ts'
import { createWriter, padPosition } from './postgres/writer.ts'
import { migrateOn } from '../postgres/migrate.ts'
import { createWakeUp } from '../../kernel/wake-up.ts'

export interface PostgresLogOptions {
  readonly connectionString: string
  readonly retention: RetentionPolicy
  /** Number of connections for reading; default 4. Appending and listening each use another connection. */
  readonly poolSize?: number
  /** Milliseconds between polls without a notification; default 1000. */
  readonly pollInterval?: number
  /** Milliseconds for connecting; default 1500 */
  readonly connectTimeout?: number
  /** Milliseconds after which an append fails with EventLogUnavailable; default 1800 */
  readonly appendTimeout?: number
  /** Maximum number of waiting appends in this process; further ones are rejected. Default 10000 */
  readonly maxWaiting?: number
  /** Called for failures that are retried. */
  readonly log?: (message: string, error: unknown) => void
  /** 0 to 1, for the jitter of retries */
  readonly random?: () => number
}

const CONNECT_TIMEOUT_MS = 1_500
/** Longer than usual, because no caller waits during startup. */
const PREPARE_CONNECT_TIMEOUT_MS = 10_000
const READ_TIMEOUT_MS = 10_000
const CHECK_TIMEOUT_MS = 1_500
const CLOSE_TIMEOUT_MS = 3_000

const unavailable = (error: unknown): EventLogUnavailable =>
  new EventLogUnavailable(`Postgres: ${error instanceof Error ? error.message : 'no answer'}`, {
    cause: error,
  })

/**
 * Creates or upgrades the log's schema in a database; several processes may run it at the same time.
 * @throws NewerDatabase, EventLogUnavailable
 */
export const preparePostgresLog = async (connectionString: string): Promise<void> => {
  const client = await connect(
    { connectionString, connectTimeout: PREPARE_CONNECT_TIMEOUT_MS },
    60_000,
  ).catch((error: unknown) => {
    throw unavailable(error)
  })
  try {
    await migrateOn(client, 'log')
  } finally {
    await client.end().catch(() => destroy(client))
  }
}

/**
 * Opens the log in a database, creating a missing schema.
 * @throws EventLogUnavailable if the database does not respond
 */
export const openPostgresLog = async (options: PostgresLogOptions): Promise<EventLog> => {
  const { connectionString, retention, random = Math.random, log = () => undefined } = options
  const appendTimeout = options.appendTimeout ?? 1_800
  const connectTimeout = options.connectTimeout ?? CONNECT_TIMEOUT_MS
  await preparePostgresLog(connectionString)

  const pool = new pg.Pool({
    connectionString,
    max: options.poolSize ?? 4,
    connectionTimeoutMillis: connectTimeout,
    statement_timeout: READ_TIMEOUT_MS,
    query_timeout: READ_TIMEOUT_MS + 500,
    keepAlive: true,
    application_name: 'svc event log',
    // All reads use an index; planning each call would cost more than reading.
    options: '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off',
  })
  pool.on('error', (error) => {
    if (!pool.ending) log('idle event log connection lost', error)
  })
  const closing = new AbortController()
  // One listener for each consumer is no leak.
  setMaxListeners(0, closing.signal)
  const wakeUp = createWakeUp()
  const connection = { connectionString, connectTimeout }
  const writer = createWriter({
    connect: () => connect(connection, Math.round(appendTimeout * 0.8)),
    appendTimeout,
    maxWaiting: options.maxWaiting ?? 10_000,
    onCommitted: wakeUp.wake,
    random,
  })
  let listening: Promise<void> | undefined
  const nextPage = recentEvents((after, limit) => readLogPage(pool, after, limit), wakeUp)

  const reading = async <T>(read: () => Promise<T>): Promise<T> => {
    if (closing.signal.aborted) throw new EventLogUnavailable('the log is closed')
    try {
      return await read()
    } catch (error) {
      throw unavailable(error)
    }
  }
  const headPosition = async (limitMs: number): Promise<Position> => {
    const query = { text: 'select position from log.head', query_timeout: limitMs }
    const result = await pool.query<{ position: string }>(query as pg.QueryConfig)
    const position = result.rows[0]?.position ?? '0'
    return position === '0' ? START : padPosition(position)
  }

  return {
    ...checkedAppends((append) => writer.append(append)),
    readStream: (stream, { from = 0, limit } = {}): Promise<readonly RecordedEvent[]> =>
      reading(() => readStreamEvents(pool, stream, from, limit)),
    readAll: (after, limit) => reading(async () => (await readLogPage(pool, after, limit, Infinity)).events),
    subscribe: (after, subscribeOptions = {}) => {
      const connectListener = (): Promise<pg.Client> => connect(connection, READ_TIMEOUT_MS)
      const onNews = wakeUp.wake
      listening ??= listen({ connect: connectListener, onNews, random, closing: closing.signal })
      return follow(after, {
        ...subscribeOptions,
        read: nextPage,
        wakeUp,
        pollInterval: options.pollInterval ?? 1_000,
        random,
        log,
        closing: closing.signal,
      })
    },
    head: () => reading(() => headPosition(READ_TIMEOUT_MS)),
    prune: (now) => reading(() => pruneExpired(pool, retention, now)),
    check: async () => {
      await reading(() => headPosition(CHECK_TIMEOUT_MS))
    },
    close: async () => {
      closing.abort()
      await Promise.all([writer.close(), listening])
      await Promise.race([
        pool.end(),
        new Promise((resolve) => setTimeout(resolve, CLOSE_TIMEOUT_MS).unref()),
      ])
    },
  }
}
