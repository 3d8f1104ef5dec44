import type pg from 'pg'
import type { Instant } from '../../../domain/time.ts'

/**
 * Stores the counter of a sign-in method and when it was used. A passkey's counter that did not increase indicates a
 * copied authenticator (WebAuthn Level 3 §6.1.1); a time step that did not increase indicates a reused code (RFC 6238
 * §5.2). Synced passkeys have no counter and stay at 0; only their time of use is stored, to the minute.
 * @param counter the passkey's signature counter, or the time step of the app's code
 * @returns false if the counter did not increase
 */
export const recordUse = async (
  pool: pg.Pool,
  methodId: string,
  counter: number,
  now: Instant,
): Promise<boolean> => {
  const { rowCount } = await pool.query(
    `insert into work.method_use as u (method_id, sign_count, last_used_at) values ($1, $2, $3)
     on conflict (method_id) do update
       set sign_count = excluded.sign_count, last_used_at = excluded.last_used_at
       where u.sign_count < excluded.sign_count
          or (u.sign_count = 0 and excluded.sign_count = 0
              and u.last_used_at < excluded.last_used_at - interval '1 minute')`,
    [methodId, counter, now],
  )
  return rowCount === 1 || counter === 0
}
