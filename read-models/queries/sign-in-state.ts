import type pg from 'pg'
import type { Role } from '../../domain/roles.ts'
import type { Strength } from '../../domain/session/events.ts'
import type { Instant } from '../../domain/time.ts'
import type { UserStatus } from '../../domain/user/state.ts'

/** A session that is in force, with its person as they are now. */
export interface LiveSession {
  readonly sessionId: string
  readonly userId: string
  readonly name: string
  readonly email: string
  readonly status: UserStatus
  readonly roles: readonly Role[]
  readonly amr: readonly string[]
  readonly strength: Strength
  readonly authTime: Instant
  readonly expiresAt: Instant
  readonly deviceId: string | null
}

// `name` keeps the plan. Lateral, so that each is looked up by index however many are asked for.
const query = {
  name: 'live_sessions',
  text: `
    select asked.token_hash as "tokenHash", s.id as "sessionId", u.id as "userId", u.name, u.email, u.status, u.roles,
      s.amr, s.strength, s.auth_time as "authTime", s.expires_at as "expiresAt",
      s.device_id as "deviceId"
    from unnest($1::text[]) as asked (token_hash)
    join lateral (select * from sessions where token_hash = asked.token_hash and ended_at is null
      and expires_at > $2 offset 0) s on true
    join lateral (select * from users where id = s.user_id and status = 'active' offset 0) u on true`,
}

/**
 * The sessions with these cookie hashes, null for one that has ended, run out, or whose person may no longer sign in.
 * @param now for the comparison with its end
 */
export const liveSessions = async (
  pool: pg.Pool,
  tokenHashes: readonly string[],
  now: Instant,
): Promise<readonly (LiveSession | null)[]> => {
  const { rows } = await pool.query<LiveSession & { readonly tokenHash: string }>({
    ...query,
    values: [[...new Set(tokenHashes)], now],
  })
  const byHash = new Map(rows.map(({ tokenHash, ...session }) => [tokenHash, session]))
  return tokenHashes.map((hash) => byHash.get(hash) ?? null)
}
