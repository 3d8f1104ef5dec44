import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { MembershipVia } from '../../domain/membership/events.ts'
import type { Instant } from '../../domain/time.ts'
import type { UserStatus } from '../../domain/user/state.ts'
import { inForce, inForceNow, parameters, type Moment } from './page.ts'

/** Why somebody reaches an application: a group that is assigned to it, and how they came into that group. */
export interface AccessPath {
  readonly groupId: Id<'group'>
  readonly groupName: string
  readonly via: MembershipVia
  readonly sourceId: string | null
  /** Since when both the membership and the assignment last. */
  readonly since: Instant
  readonly until: Instant | null
}

export interface PersonWithAccess {
  readonly userId: Id<'user'>
  readonly email: string
  readonly name: string
  readonly status: UserStatus
  readonly via: readonly AccessPath[]
  readonly sortKey: string
}

export interface ReachableApplication {
  readonly applicationId: Id<'application'>
  readonly name: string
  readonly status: 'active' | 'disabled' | 'deleted'
  readonly logoUrl: string | null
  readonly launchUrl: string | null
  readonly visibleInPortal: boolean
  readonly via: readonly AccessPath[]
}

const stamp = (expression: string): string => `to_char(${expression}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

const paths = `json_agg(json_build_object('groupId', g.id, 'groupName', g.name, 'via', m.via, 'sourceId', m.source_id,
  'since', ${stamp('greatest(m.from_at, a.from_at)')}, 'until', ${stamp('m.expires_at')})
  order by g.name_key, m.from_position)`

const conditionsAt = ({ past }: Moment, at: string): readonly string[] =>
  past
    ? [inForce('m', at), `a.from_at <= ${at} and (a.to_at is null or a.to_at > ${at})`]
    : [inForceNow('m', at), 'a.to_position is null', `g.status = 'exists'`]

/** Who may, or might, use an application, by name. @param after name and id of the last row of the page before */
export const peopleWithAccess = async (
  pool: pg.Pool,
  applicationId: string,
  moment: Moment,
  limit: number,
  after?: readonly [string, string],
): Promise<readonly PersonWithAccess[]> => {
  const { add, values } = parameters()
  const at = `${add(moment.at)}::timestamptz`
  const name = '(lower(u.name) collate "C")'
  const conditions = [
    `a.application_id = ${add(applicationId)}`,
    ...conditionsAt(moment, at),
    ...(after === undefined ? [] : [`(${name}, u.id) > (${add(after[0])} collate "C", ${add(after[1])})`]),
  ]
  const { rows } = await pool.query<PersonWithAccess>(
    `select u.id as "userId", u.email, u.name, u.status, ${paths} as via, ${name} as "sortKey"
     from application_groups a join memberships m on m.group_id = a.group_id
       join users u on u.id = m.user_id join groups g on g.id = a.group_id
     where ${conditions.join(' and ')}
     group by u.id order by ${name}, u.id limit ${add(limit)}`,
    values,
  )
  return rows
}

/** What a person may, or might, use, by name. */
export const accessOfUser = async (
  pool: pg.Pool,
  userId: string,
  moment: Moment,
): Promise<readonly ReachableApplication[]> => {
  const { add, values } = parameters()
  const at = `${add(moment.at)}::timestamptz`
  const conditions = [
    `m.user_id = ${add(userId)}`,
    ...conditionsAt(moment, at),
    ...(moment.past ? [] : [`p.status <> 'deleted'`]),
  ]
  const { rows } = await pool.query<ReachableApplication>(
    `select p.id as "applicationId", p.name, p.status, p.settings ->> 'logoUrl' as "logoUrl",
            p.settings ->> 'launchUrl' as "launchUrl",
            coalesce((p.settings ->> 'visibleInPortal')::boolean, true) as "visibleInPortal", ${paths} as via
     from memberships m join application_groups a on a.group_id = m.group_id
       join applications p on p.id = a.application_id join groups g on g.id = a.group_id
     where ${conditions.join(' and ')}
     group by p.id order by lower(p.name) collate "C", p.id`,
    values,
  )
  return rows
}
