import type pg from 'pg'

/**
 * Deletes short-lived data that is encrypted, or found by a keyed hash: pending sign-in requests, device
 * codes, sign-in links, stored responses for repeated requests, claims on unique values, wrong codes for
 * unknown addresses. Call it while no service runs, after the keyring of this data was lost. The claims can
 * be deleted because the read models are rebuilt to the end of the log before the next request.
 */
export const forgetSealedWork = async (pool: pg.Pool): Promise<void> => {
  const client = await pool.connect()
  let broken = true
  try {
    await client.query('begin')
    for (const table of ['auth_request', 'device_login', 'magic_link', 'idempotency', 'reservation'])
      await client.query(`delete from work.${table}`)
    await client.query(`delete from work.code_tries where subject like 'address|%'`)
    await client.query('commit')
    broken = false
  } finally {
    client.release(broken)
  }
}
