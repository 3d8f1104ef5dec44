import type pg from 'pg'

/** Runs `work` on a connection with a snapshot of the database. */
export const atOneMoment = async <T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> => {
  const client = await pool.connect()
  try {
    await client.query('begin transaction isolation level repeatable read read only')
    // The first query takes the snapshot.
    await client.query('select from proof.tree')
    return await work(client)
  } finally {
    client.release(true)
  }
}

/** A pool with only that connection, for read-only callers. */
export const onlyThis = (client: pg.ClientBase): pg.Pool =>
  ({
    query: client.query.bind(client),
    connect: () => Promise.reject(new Error('verification is read-only: nothing can be created')),
  }) as unknown as pg.Pool
