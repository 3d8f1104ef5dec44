import type pg from 'pg'

export interface Locks {
  /** Runs `work` while nobody else, on any instance, runs work under the same name. */
  readonly alone: <T>(name: string, work: () => Promise<T>) => Promise<T>
}

export const postgresLocks = (pool: pg.Pool): Locks => ({
  alone: async (name, work) => {
    const client = await pool.connect()
    try {
      await client.query('begin')
      await client.query('select pg_advisory_xact_lock(hashtext($1))', [`svc.lock.${name}`])
      return await work()
    } finally {
      // Ending the transaction is what gives the lock back, whatever came of the work.
      await client.query('rollback').then(
        () => {
          client.release()
        },
        () => {
          client.release(true)
        },
      )
    }
  },
})
