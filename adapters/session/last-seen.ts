import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import type { Clock } from '../clock.ts'

const MINUTE_MS = 60_000

/**
 * Notes that a session was used, at most once a minute each; nobody waits for it, and missing one is no harm.
 * @param failed told why a note could not be made
 */
export const lastSeen = (pool: pg.Pool, clock: Clock, failed: (error: unknown) => void) => {
  const noted = new LRUCache<string, true>({ max: 50_000, ttl: MINUTE_MS })
  return (sessionId: string): void => {
    if (noted.has(sessionId)) return
    noted.set(sessionId, true)
    pool
      .query(
        `insert into work.session_use as u (session_id, last_seen_at) values ($1, $2)
         on conflict (session_id) do update set last_seen_at = excluded.last_seen_at
         where u.last_seen_at < excluded.last_seen_at - interval '1 minute'`,
        [sessionId, clock.now()],
      )
      .catch(failed)
  }
}
