import type pg from 'pg'

/** Runs `work` on a connection that sees the database as it is at this moment, until it ends. */
export const atOneMoment = async <T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> => {
  const client = await pool.connect()
  try {
    await client.query('begin transaction isolation level repeatable read read only')
    // A snapshot is taken with the first look at a table.
    await client.query('select from proof.tree')
    return await work(client)
  } finally {
    client.release(true)
  }
}

/** A pool that is that one connection, for whoever asks a pool and makes nothing. */
export const onlyThis = (client: pg.ClientBase): pg.Pool =>
  ({
    query: client.query.bind(client),
    connect: () => Promise.reject(new Error('nothing is made while a database is verified')),
  }) as unknown as pg.Pool
