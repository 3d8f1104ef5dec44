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

/** Whether a user is an active global administrator with a passkey or security key. */
export const canBreakGlass = async (pool: pg.Pool, userId: string): Promise<boolean> => {
  const { rowCount } = await pool.query(
    `select from users u where id = $1 and status = 'active' and roles @> '{global_admin}'
       and exists (select from methods m where m.user_id = u.id and m.type in ('passkey', 'security_key'))`,
    [userId],
  )
  return rowCount === 1
}

/** Returns the ids of the active global administrators. */
export const activeGlobalAdmins = async (pool: pg.Pool): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `select id from users where roles @> '{global_admin}' and status = 'active' order by id`,
  )
  return rows.map(({ id }) => id)
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

/** Whether a user is a global administrator. */
export const isGlobalAdmin = async (pool: pg.Pool, userId: string): Promise<boolean> => {
  const { rowCount } = await pool.query(`select from users where id = $1 and roles @> '{global_admin}'`, [
    userId,
  ])
  return rowCount === 1
}

/** Returns the ids of the active users who may manage lifecycle rules. */
export const activeUserAdmins = async (pool: pg.Pool): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `select id from users where roles && '{global_admin,user_admin}' and status = 'active' order by id`,
  )
  return rows.map(({ id }) => id)
}
