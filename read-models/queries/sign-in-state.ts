import type pg from 'pg'
import type { Role } from '../../domain/roles.ts'
import type { Strength } from '../../domain/session/events.ts'
import type { Instant } from '../../domain/time.ts'
import type { UserStatus } from '../../domain/user/decider.ts'

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
}

/**
 * The session with this cookie hash, unless it has ended, run out, or its person may no longer sign in.
 * @param now for the comparison with its end
 */
export const liveSession = async (
  pool: pg.Pool,
  tokenHash: string,
  now: Instant,
): Promise<LiveSession | null> => {
  const { rows } = await pool.query<LiveSession>(
    `select s.id as "sessionId", u.id as "userId", u.name, u.email, u.status, u.roles, s.amr, s.strength,
            s.auth_time as "authTime", s.expires_at as "expiresAt"
     from sessions s join users u on u.id = s.user_id
     where s.token_hash = $1 and s.ended_at is null and s.expires_at > $2 and u.status = 'active'`,
    [tokenHash, now],
  )
  return rows[0] ?? null
}
