import { readFile } from 'node:fs/promises'
import type pg from 'pg'

/** Makes the working tables (schema `work`) where they are missing. Two at once are safe. */
export const migrateWork = async (pool: pg.Pool): Promise<void> => {
  const sql = await readFile(new URL('./work-schema.sql', import.meta.url), 'utf8')
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(hashtext('svc.migrate.work'))`)
    await client.query(sql)
    await client.query('commit')
    client.release()
  } catch (error) {
    client.release(true)
    throw error
  }
}
