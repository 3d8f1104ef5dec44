import type pg from 'pg'

const missing = async (pool: pg.Pool, ids: readonly string[], from: string): Promise<readonly string[]> => {
  if (ids.length === 0) return []
  const { rows } = await pool.query<{ id: string }>(
    `select asked.id from unnest($1::text[]) with ordinality as asked(id, at)
     where not exists (select from ${from} and id = asked.id) order by at`,
    [ids],
  )
  return rows.map(({ id }) => id)
}

/** Returns the ids without an existing group, in the given order. */
export const missingGroups = (pool: pg.Pool, ids: readonly string[]): Promise<readonly string[]> =>
  missing(pool, ids, `groups where status = 'exists'`)

/** Returns the ids without an existing application, in the given order. */
export const missingApplications = (pool: pg.Pool, ids: readonly string[]): Promise<readonly string[]> =>
  missing(pool, ids, `applications where status <> 'deleted'`)

/** Returns the ids without an existing user, or of a deleted one, in the given order. */
export const missingUsers = (pool: pg.Pool, ids: readonly string[]): Promise<readonly string[]> =>
  missing(pool, ids, `users where status <> 'deleted'`)
