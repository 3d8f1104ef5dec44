import type pg from 'pg'
import type { Instant } from '../../domain/time.ts'

/** Returns memberships that have expired and are not ended yet. */
export const lapsedMemberships = async (
  pool: pg.Pool,
  now: Instant,
  limit: number,
): Promise<readonly { readonly groupId: string; readonly userId: string }[]> => {
  const { rows } = await pool.query<{ groupId: string; userId: string }>(
    `select distinct group_id as "groupId", user_id as "userId" from memberships
     where to_position is null and expires_at <= $1 limit $2`,
    [now, limit],
  )
  return rows
}

/** Returns the ids of all erased users. */
export const erasedUsers = async (pool: pg.Pool): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>('select id from users where erased')
  return rows.map(({ id }) => id)
}
