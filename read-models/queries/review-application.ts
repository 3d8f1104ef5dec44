/** What is left to remove of access that a review revoked. */
import type pg from 'pg'
import type { MembershipVia } from '../../domain/membership/events.ts'
import type { Role } from '../../domain/roles.ts'
import type { Instant } from '../../domain/time.ts'

export interface OpenMembership {
  readonly groupId: string
  readonly userId: string
  readonly via: MembershipVia
  readonly sourceId: string | null
  readonly since: Instant
  readonly expiresAt: Instant | null
}

/** Returns the open memberships of these users, each with one of its sources. */
export const openMemberships = async (
  pool: pg.Pool,
  userIds: readonly string[],
  groupIds: readonly string[],
): Promise<readonly OpenMembership[]> => {
  const { rows } = await pool.query<OpenMembership>(
    `select group_id as "groupId", user_id as "userId", via, source_id as "sourceId", from_at as since, expires_at as "expiresAt"
     from memberships where to_position is null and user_id = any($1) and group_id = any($2)`,
    [userIds, groupIds],
  )
  return rows
}

/** Returns those of these package assignments that have not ended. */
export const openAssignments = async (
  pool: pg.Pool,
  ids: readonly string[],
): Promise<
  readonly { readonly assignmentId: string; readonly packageId: string; readonly userId: string }[]
> => {
  const { rows } = await pool.query<{ assignmentId: string; packageId: string; userId: string }>(
    `select id as "assignmentId", package_id as "packageId", user_id as "userId" from package_assignments
     where to_position is null and id = any($1)`,
    [ids],
  )
  return rows
}

/** Whether a user can sign in and is a global administrator. */
export const isActiveGlobalAdmin = async (pool: pg.Pool, userId: string): Promise<boolean> => {
  const { rowCount } = await pool.query(
    `select from users where id = $1 and status = 'active' and roles @> '{global_admin}'`,
    [userId],
  )
  return rowCount === 1
}

/** Returns the roles of a user or service account; null for neither. */
export const rolesHeld = async (
  pool: pg.Pool,
  id: string,
): Promise<{ readonly kind: 'user' | 'service_account'; readonly roles: readonly Role[] } | null> => {
  const { rows } = await pool.query<{ kind: 'user' | 'service_account'; roles: readonly Role[] }>(
    `select 'user' as kind, roles from users where id = $1
     union all select 'service_account', roles from service_accounts where id = $1`,
    [id],
  )
  return rows[0] ?? null
}
