import type pg from 'pg'

export interface Locks {
  /** Runs `work` while no other instance runs work with the same name. */
  readonly alone: <T>(name: string, work: () => Promise<T>) => Promise<T>
}

export const postgresLocks = (pool: pg.Pool): Locks => {
  // Callers in this process queue first: a waiting caller must not occupy a connection that the work itself may need.
  const turns = new Map<string, Promise<unknown>>()

  const acrossInstances = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const client = await pool.connect()
    try {
      await client.query('begin')
      await client.query('select pg_advisory_xact_lock(hashtext($1))', [`svc.lock.${name}`])
      return await work()
    } finally {
      // The end of the transaction releases the lock, whether the work succeeded or not.
      await client.query('rollback').then(
        () => {
          client.release()
        },
        () => {
          client.release(true)
        },
      )
    }
  }

  return {
    alone: (name, work) => {
      const mine = (turns.get(name) ?? Promise.resolve()).then(() => acrossInstances(name, work))
      const ended = mine.then(
        () => undefined,
        () => undefined,
      )
      turns.set(name, ended)
      void ended.then(() => {
        if (turns.get(name) === ended) turns.delete(name)
      })
      return mine
    },
  }
}
