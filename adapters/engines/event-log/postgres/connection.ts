/** Connections of the Postgres log: time limits and classification of errors. */
import pg from 'pg'

export interface ConnectionOptions {
  readonly connectionString: string
  /** Milliseconds, for connecting. */
  readonly connectTimeout: number
}

const NO_COMMIT_WAIT = `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`

/** A separate connection that commits durably, whatever the default of the database. */
export const connect = async (options: ConnectionOptions, statementTimeout: number): Promise<pg.Client> => {
  const client = new pg.Client({
    connectionString: options.connectionString,
    connectionTimeoutMillis: options.connectTimeout,
    statement_timeout: statementTimeout,
    keepAlive: true,
    application_name: 'svc event log',
  })
  // Without a listener, a broken idle connection would end the process. Its next user gets an error anyway.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query({ text: NO_COMMIT_WAIT, query_timeout: options.connectTimeout } as pg.QueryConfig)
  } catch (error) {
    destroy(client)
    throw error
  }
  return client
}

/** Drops a connection without waiting for the server, which may never respond. */
export const destroy = (client: pg.Client): void => {
  const { connection } = client as unknown as { connection: { stream: { destroy: () => void } } }
  connection.stream.destroy()
}

/**
 * Classifies the error of a statement. `broken`: the connection was lost and the outcome is unknown. `passing`: rolled
 * back, and a retry may succeed (timeout, out of resources, shutdown, standby). `wrong`: rolled back, and a retry
 * would fail again.
 */
export const meaningOf = (error: unknown): 'broken' | 'passing' | 'wrong' => {
  const code = error instanceof pg.DatabaseError ? (error.code ?? '') : ''
  if (code === '' || code.startsWith('08') || /^57P0[1-5]$/.test(code)) return 'broken'
  return /^(40|53|55|57|58|XX)|^25006$/.test(code) ? 'passing' : 'wrong'
}
