import type pg from 'pg'
import { isCompromised } from './policy-state.ts'

/** Counts the global administrators other than one user who can sign in. */
export const countOtherGlobalAdmins = async (pool: pg.Pool, userId: string): Promise<number> => {
  const { rows } = await pool.query<{ n: number }>(
    `select count(*) as n from users where roles @> '{global_admin}' and status = 'active' and id <> $1
       and not ${isCompromised('users.id')}`,
    [userId],
  )
  return rows[0]?.n ?? 0
}

/** Returns the global administrators who were invited and have not enrolled, oldest first. */
export const invitedGlobalAdmins = async (
  pool: pg.Pool,
): Promise<readonly { readonly id: string; readonly email: string }[]> => {
  const { rows } = await pool.query<{ id: string; email: string }>(
    `select id, email from users where roles @> '{global_admin}' and status = 'invited' order by created_at, id`,
  )
  return rows
}

/** Returns all global administrators, active ones first, then by age. */
export const globalAdmins = async (
  pool: pg.Pool,
): Promise<readonly { readonly email: string; readonly status: string }[]> => {
  const { rows } = await pool.query<{ email: string; status: string }>(
    `select email, status from users where roles @> '{global_admin}' and status <> 'deleted'
     order by status <> 'active', created_at, id`,
  )
  return rows
}
