import type pg from 'pg'
import type { MembershipVia } from '../../domain/membership/events.ts'
import type { Instant } from '../../domain/time.ts'

/** A membership that has expired, by one of its sources. */
export interface LapsedMembership {
  readonly groupId: string
  readonly userId: string
  readonly via: MembershipVia
  readonly sourceId: string | null
  readonly expiresAt: Instant
}

/** Returns memberships that have expired and are not ended yet, each once. */
export const lapsedMemberships = async (
  pool: pg.Pool,
  now: Instant,
  limit: number,
): Promise<readonly LapsedMembership[]> => {
  const { rows } = await pool.query<LapsedMembership>(
    `select distinct on (group_id, user_id) group_id as "groupId", user_id as "userId", via,
       source_id as "sourceId", expires_at as "expiresAt"
     from (select * from memberships where to_position is null and expires_at <= $1 order by expires_at limit $2) m
     order by group_id, user_id`,
    [now, limit],
  )
  return rows
}

/** Returns the ids of all erased users. */
export const erasedUsers = async (pool: pg.Pool): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>('select id from users where erased')
  return rows.map(({ id }) => id)
}
