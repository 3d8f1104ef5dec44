import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { MembershipVia } from '../../domain/membership/events.ts'
import type { Instant } from '../../domain/time.ts'
import type { UserStatus } from '../../domain/user/state.ts'
import { inForce, inForceNow, parameters, prefixPattern, type Moment } from './page.ts'

/** One source of a membership. A person whom a group has through two is there twice. */
export interface MemberRow {
  readonly userId: Id<'user'>
  readonly name: string
  readonly email: string
  readonly status: UserStatus
  readonly via: MembershipVia
  readonly sourceId: string | null
  readonly addedAt: Instant
  readonly addedBy: string | null
  readonly expiresAt: Instant | null
  readonly sortKey: string
  /** The last part of the order, unique. */
  readonly position: string
}

/**
 * Members of a group by name.
 * @param after name, id and position of the last row of the page before
 */
export const listMembers = async (
  pool: pg.Pool,
  groupId: string,
  filters: { readonly via?: MembershipVia | undefined; readonly q?: string | undefined },
  { at, past }: Moment,
  limit: number,
  after?: readonly [string, string, string],
): Promise<readonly MemberRow[]> => {
  const { add, values } = parameters()
  const moment = `${add(at)}::timestamptz`
  const name = '(lower(u.name) collate "C")'
  const pattern = filters.q === undefined ? '' : `lower(${add(prefixPattern(filters.q))})`
  const conditions = [
    `m.group_id = ${add(groupId)}`,
    past ? inForce('m', moment) : inForceNow('m', moment),
    ...(filters.via === undefined ? [] : [`m.via = ${add(filters.via)}`]),
    ...(filters.q === undefined
      ? []
      : [`(lower(u.name) collate "C" like ${pattern} or lower(u.email) collate "C" like ${pattern})`]),
    ...(after === undefined
      ? []
      : [
          `(${name}, u.id, m.from_position) > (${add(after[0])} collate "C", ${add(after[1])}, ${add(after[2])} collate "C")`,
        ]),
  ]
  const { rows } = await pool.query<MemberRow>(
    `select m.user_id as "userId", u.name, u.email, u.status, m.via, m.source_id as "sourceId",
            m.from_at as "addedAt", m.granted_by as "addedBy", m.expires_at as "expiresAt",
            ${name} as "sortKey", m.from_position as position
     from memberships m join users u on u.id = m.user_id
     where ${conditions.join(' and ')}
     order by ${name}, u.id, m.from_position limit ${add(limit)}`,
    values,
  )
  return rows
}
