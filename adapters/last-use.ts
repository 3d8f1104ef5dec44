import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import type { Clock } from './clock.ts'

const MINUTE_MS = 60_000

/** Side tables: when something was used last is no event, and no read model shows it but in passing. */
const statements = {
  session: `insert into work.session_use as u (session_id, last_seen_at) values ($1, $2)
    on conflict (session_id) do update set last_seen_at = excluded.last_seen_at
    where u.last_seen_at < excluded.last_seen_at - interval '1 minute'`,
  client_secret: `insert into work.client_secret_use as u (secret_id, last_used_at) values ($1, $2)
    on conflict (secret_id) do update set last_used_at = excluded.last_used_at
    where u.last_used_at < excluded.last_used_at - interval '1 minute'`,
} as const

/** Told of the id of what was used. */
export type NoteUse = (id: string) => void

/**
 * Notes that something was used, at most once a minute each; nobody waits for it, and missing one is no harm.
 * @param failed told why a note could not be made
 */
export const lastUse = (
  of: keyof typeof statements,
  { pool, clock }: { readonly pool: pg.Pool; readonly clock: Clock },
  failed: (error: unknown) => void,
): NoteUse => {
  const noted = new LRUCache<string, true>({ max: 50_000, ttl: MINUTE_MS })
  return (id) => {
    if (noted.has(id)) return
    noted.set(id, true)
    pool.query(statements[of], [id, clock.now()]).catch(failed)
  }
}
