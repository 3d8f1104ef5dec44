import type pg from 'pg'

/** Returns the log position that the read models have reached. */
export const corePosition = async (pool: pg.Pool): Promise<string> => {
  const { rows } = await pool.query<{ position: string }>(
    `select position from checkpoint where name = 'core'`,
  )
  return rows[0]?.position ?? ''
}
