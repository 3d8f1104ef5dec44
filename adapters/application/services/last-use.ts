import { boundedCache } from '../../kernel/bounded-cache.ts'
import type pg from 'pg'
import type { Clock } from '../../kernel/clock.ts'

const MINUTE_MS = 60_000

/** Side tables: the last use is not an event, and no read model needs it except for display. */
const notes = {
  session: {
    everyMs: MINUTE_MS,
    sql: `insert into work.session_use as u (session_id, last_seen_at) values ($1, $2)
    on conflict (session_id) do update set last_seen_at = excluded.last_seen_at
    where u.last_seen_at < excluded.last_seen_at - interval '1 minute'`,
  },
  client_secret: {
    everyMs: MINUTE_MS,
    sql: `insert into work.client_secret_use as u (secret_id, last_used_at) values ($1, $2)
    on conflict (secret_id) do update set last_used_at = excluded.last_used_at
    where u.last_used_at < excluded.last_used_at - interval '1 minute'`,
  },
  api_key: {
    everyMs: 5 * MINUTE_MS,
    sql: `insert into work.api_key_use as u (key_id, last_used_at, last_used_ip) values ($1, $2, $3)
    on conflict (key_id) do update set last_used_at = excluded.last_used_at, last_used_ip = excluded.last_used_ip
    where u.last_used_at < excluded.last_used_at - interval '5 minutes'`,
  },
} as const

/** Called with the id of the used resource, and with the address if that is stored too. */
export type NoteUse<Origin extends readonly string[] = readonly []> = (id: string, ...origin: Origin) => void

/**
 * Records a use, at most once per interval, without waiting; a missed one does no harm.
 * @param failed called with the reason if it could not be stored
 */
export const lastUse = <Of extends keyof typeof notes>(
  of: Of,
  { pool, clock }: { readonly pool: pg.Pool; readonly clock: Clock },
  failed: (error: unknown) => void,
): NoteUse<Of extends 'api_key' ? readonly [ip: string] : readonly []> => {
  const { sql, everyMs } = notes[of]
  const noted = boundedCache<true>(50_000, { ttl: everyMs })
  return (id, ...origin) => {
    if (noted.has(id)) return
    noted.set(id, true)
    pool.query(sql, [id, clock.now(), ...origin]).catch(failed)
  }
}
