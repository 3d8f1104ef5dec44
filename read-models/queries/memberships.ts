import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { MembershipVia } from '../../domain/membership/events.ts'
import type { Instant } from '../../domain/time.ts'
import type { UserStatus } from '../../domain/user/state.ts'
import { inForceNow, parameters, prefixPattern } from './page.ts'
import { actorThen, expiryAt, heldAt, lasts, written, type Past } from './past.ts'

/** One source of a membership. A user with two sources of membership has two rows. */
export interface MemberRow {
  readonly userId: Id<'user'>
  readonly name: string
  readonly email: string
  readonly status: UserStatus
  readonly via: MembershipVia
  readonly sourceId: string | null
  readonly addedAt: Instant
  readonly addedBy: string | null
  /** The name at that time */
  readonly addedByName: string | null
  readonly eventId: Id<'auditEvent'> | null
  readonly expiresAt: Instant | null
  readonly sortKey: string
  /** The last, unique part of the sort key */
  readonly position: string
}

interface MemberFilters {
  readonly via?: MembershipVia | undefined
  readonly q?: string | undefined
}

/** Returns the columns of memberships m and users u. */
const columns = (expiry: string): string => `
  m.user_id as "userId", u.name, u.email, u.status, m.via, m.source_id as "sourceId", m.from_at as "addedAt",
  m.granted_by as "addedBy", (${actorThen('m.granted_by', 'm.from_position')}) ->> 'name' as "addedByName",
  m.audit_id as "eventId", ${expiry} as "expiresAt", m.from_position as position`

const filtered = (filters: MemberFilters, add: (value: unknown) => string): readonly string[] => {
  const pattern = filters.q === undefined ? '' : `lower(${add(prefixPattern(filters.q))})`
  return [
    ...(filters.via === undefined ? [] : [`m.via = ${add(filters.via)}`]),
    ...(filters.q === undefined
      ? []
      : [`(lower(u.name) collate "C" like ${pattern} or lower(u.email) collate "C" like ${pattern})`]),
  ]
}

/**
 * Returns the members of a group by name.
 * @param after name, id and position of the last row of the previous page
 */
export const listMembers = async (
  pool: pg.Pool,
  groupId: string,
  filters: MemberFilters,
  now: Instant,
  limit: number,
  after?: readonly [string, string, string],
): Promise<readonly MemberRow[]> => {
  const { add, values } = parameters()
  const name = '(lower(u.name) collate "C")'
  const conditions = [
    `m.group_id = ${add(groupId)}`,
    inForceNow('m', `${add(now)}::timestamptz`),
    ...filtered(filters, add),
    ...(after === undefined
      ? []
      : [
          `(${name}, u.id, m.from_position) > (${add(after[0])} collate "C", ${add(after[1])}, ${add(after[2])} collate "C")`,
        ]),
  ]
  const { rows } = await pool.query<MemberRow>(
    `select ${columns('m.expires_at')}, ${name} as "sortKey"
     from memberships m join users u on u.id = m.user_id
     where ${conditions.join(' and ')}
     order by ${name}, u.id, m.from_position limit ${add(limit)}`,
    values,
  )
  return rows
}

/**
 * The same at a past time, ordered by id: one index finds a page, whatever the number of members.
 * @param after id and position of the last row of the previous page
 */
export const listMembersThen = async (
  client: pg.ClientBase,
  groupId: string,
  filters: MemberFilters,
  past: Past,
  limit: number,
  after?: readonly [string, string],
): Promise<readonly MemberRow[]> => {
  const params = parameters()
  const { add, values } = params
  const { at, cut } = written(params, past)
  const conditions = [
    `m.group_id = ${add(groupId)}`,
    heldAt('m', cut, at),
    ...filtered(filters, add),
    ...(after === undefined
      ? []
      : [`(m.user_id, m.from_position) > (${add(after[0])}, ${add(after[1])} collate "C")`]),
  ]
  const { rows } = await client.query<MemberRow>(
    `select ${columns(expiryAt('m', cut))}, m.user_id as "sortKey"
     from memberships m join user_history u on u.user_id = m.user_id and ${lasts('u', cut)}
     where ${conditions.join(' and ')}
     order by m.user_id, m.from_position limit ${add(limit)}`,
    values,
  )
  return rows
}
