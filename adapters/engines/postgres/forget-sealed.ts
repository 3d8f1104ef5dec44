import type pg from 'pg'

/**
 * Forgets what is short-lived and sealed, or known by a keyed hash: requests that wait for a sign-in, codes of devices,
 * links to sign in, answers kept for repeated requests, claims on unique values, wrong codes for addresses that are
 * nobody's. To be called while no service runs, once the keyring that all this was made with is lost; the tables of claims
 * may go because the read models are made anew up to the end of the log before anybody asks again.
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
