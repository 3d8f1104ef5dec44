import type pg from 'pg'
import type { AdministratorWays } from '../../domain/method-settings/decider.ts'
import type { MethodType } from '../../domain/method-settings/events.ts'
import type { Instant } from '../../domain/time.ts'
import { inForceNow } from './page.ts'

/** Returns when the settings of each method were last changed, and their version; no row for unchanged ones. */
export const methodSettingsChanged = async (
  pool: pg.Pool,
): Promise<
  readonly { readonly type: MethodType; readonly updatedAt: Instant; readonly version: number }[]
> => {
  const { rows } = await pool.query<{ type: MethodType; updatedAt: Instant; version: number }>(
    'select type, updated_at as "updatedAt", version from method_settings',
  )
  return rows
}

/** Returns the sign-in methods that are limited to certain groups, including this one. */
export const methodsLimitedTo = async (pool: pg.Pool, groupId: string): Promise<readonly MethodType[]> => {
  const { rows } = await pool.query<{ type: MethodType }>(
    'select type from method_settings where $1 = any (allowed_group_ids) order by type',
    [groupId],
  )
  return rows.map(({ type }) => type)
}

/** Whether a user is currently in one of the groups. */
export const isInAnyGroup = async (
  pool: pg.Pool,
  userId: string,
  groupIds: readonly string[],
  now: Instant,
): Promise<boolean> => {
  const { rowCount } = await pool.query(
    `select from memberships m where m.user_id = $1 and m.group_id = any ($2)
       and ${inForceNow('m', '$3::timestamptz')} limit 1`,
    [userId, groupIds, now],
  )
  return rowCount === 1
}

/** Returns active global administrators, with their usable sign-in methods. */
export const administratorWays = async (
  pool: pg.Pool,
  now: Instant,
): Promise<readonly AdministratorWays[]> => {
  const { rows } = await pool.query<AdministratorWays>(
    `select u.email,
       array(select distinct type from methods where user_id = u.id union
             select 'identity_provider' from linked_accounts where user_id = u.id) as methods,
       array(select distinct m.group_id from memberships m where m.user_id = u.id
               and ${inForceNow('m', '$1::timestamptz')}) as "groupIds"
     from users u where u.roles @> '{global_admin}' and u.status = 'active' order by u.email, u.id`,
    [now],
  )
  return rows
}
