/** Transactions and the lock of schema `vault`, whose tables contain only encrypted keys. */
import type { Pool, PoolClient } from 'pg'

/** Migrations of the schema take the same lock. */
const schemaLock = 0x73766302

/**
 * Runs a transaction that is durable when this resolves, whatever the connection's default: a lost key is lost data,
 * and a destroyed key must not reappear.
 */
export const durably = async <T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> => {
  const client = await pool.connect()
  let broken = true
  try {
    await client.query('begin; set local synchronous_commit = on')
    const result = await work(client)
    await client.query('commit')
    broken = false
    return result
  } finally {
    // Closing the connection rolls back, even if the connection itself failed.
    client.release(broken)
  }
}

/** Waits for the lock, and holds it until the end of the transaction. */
export const lockVaultSchema = async (client: PoolClient): Promise<void> => {
  await client.query('select pg_advisory_xact_lock($1)', [schemaLock])
}
