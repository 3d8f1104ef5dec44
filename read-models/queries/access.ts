import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { MembershipVia } from '../../domain/membership/events.ts'
import type { Instant } from '../../domain/time.ts'
import type { UserStatus } from '../../domain/user/state.ts'
import { inForceNow, parameters } from './page.ts'
import { actorThen, expiryAt, heldAt, lasts, written, type Past } from './past.ts'

/** The actor of a change, with the name at that time; without a name if the actor never had one. */
export interface ActorThen {
  readonly id: string
  readonly name: string | null
}

/** The access package that a membership comes from, and who approved it and why. */
export interface PackageSource {
  readonly id: Id<'accessPackage'>
  readonly name: string
  /** Null if an administrator or a lifecycle rule assigned it */
  readonly requestId: Id<'accessRequest'> | null
  /** Names of the approvers; empty if no approval was required */
  readonly approvedBy: readonly string[]
  readonly justification: string | null
}

/** The lifecycle rule that a membership comes from. */
export interface LifecycleSource {
  readonly id: Id<'lifecycleRule'>
  readonly name: string
}

/** How a user became a member of a group. */
export interface MembershipPath {
  readonly via: MembershipVia
  readonly sourceId: string | null
  readonly since: Instant
  readonly until: Instant | null
  readonly grantedBy: ActorThen | null
  /** Null unless it comes from an access package */
  readonly package: PackageSource | null
  /** Null unless a lifecycle rule gave it */
  readonly lifecycleRule: LifecycleSource | null
  readonly eventId: Id<'auditEvent'> | null
}

/**
 * Why a user can use an application: a group assigned to it, and how they became a member. `since` is the later start
 * of the membership and the assignment.
 */
export interface AccessPath extends MembershipPath {
  readonly groupId: Id<'group'>
  readonly groupName: string
  /** Who assigned the group to the application */
  readonly assignedBy: ActorThen | null
  readonly assignmentEventId: Id<'auditEvent'> | null
}

export interface PersonWithAccess {
  readonly userId: Id<'user'>
  readonly email: string
  readonly name: string
  readonly status: UserStatus
  /** Whether the user and the application are both active */
  readonly reaches: boolean
  readonly via: readonly AccessPath[]
  readonly sortKey: string
}

export interface ReachableApplication {
  readonly applicationId: Id<'application'>
  readonly name: string
  readonly status: 'active' | 'disabled' | 'deleted'
  readonly reaches: boolean
  readonly via: readonly AccessPath[]
}

/** The data of an application that its users see. */
export interface LaunchableApplication extends ReachableApplication {
  readonly logoUrl: string | null
  /** Of the uploaded logo; null for none */
  readonly logoDigest: string | null
  readonly launchUrl: string | null
  readonly visibleInPortal: boolean
}

/** Returns SQL for a time in JSON that the database builds. */
export const stamp = (expression: string): string => `to_char(${expression}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** SQL for the `PackageSource` of a membership m; null for any other source. */
const packageSource = `(
  select json_build_object('id', k.id, 'name', k.name, 'requestId', r.id, 'justification', r.justification,
    'approvedBy', (select coalesce(json_agg(distinct n.name), '[]')
      from jsonb_array_elements(r.decisions) d join users n on n.id = d ->> 'approverId'
      where d ->> 'decision' = 'approve'))
  from package_assignments h join access_packages k on k.id = h.package_id
    left join access_requests r on r.id = h.request_id
  where m.via = 'package' and h.id = m.source_id)`

/**
 * Returns SQL for the fields of `MembershipPath` of a membership m.
 * @param since an expression
 * @param expiry an expression
 */
export const membershipFields = (since: string, expiry: string): string =>
  `'via', m.via, 'sourceId', m.source_id, 'since', ${stamp(since)}, 'until', ${stamp(expiry)},
    'grantedBy', ${actorThen('m.granted_by', 'm.from_position')}, 'eventId', m.audit_id,
    'package', ${packageSource}, 'lifecycleRule', (select json_build_object('id', l.id, 'name', l.name)
      from lifecycle_rules l where m.via = 'lifecycle' and l.id = m.source_id)`

/** Returns SQL for access paths from memberships m through groups g and assignments a. */
export const paths = (expiry: string): string =>
  `json_agg(json_build_object('groupId', m.group_id, 'groupName', g.name,
    ${membershipFields('greatest(m.from_at, a.from_at)', expiry)},
    'assignedBy', ${actorThen('a.assigned_by', 'a.from_position')}, 'assignmentEventId', a.audit_id)
    order by lower(g.name) collate "C", m.from_position)`

/** Returns SQL that joins memberships m with their groups g and assignments a, at a log position. */
export const assignmentsThen = (cut: string): string => `
  join application_groups a on a.group_id = m.group_id and ${lasts('a', cut)}
  join group_history g on g.group_id = m.group_id and ${lasts('g', cut)} and g.status = 'exists'`

const openNow = (at: string): readonly string[] => [
  inForceNow('m', at),
  'a.to_position is null',
  `g.status = 'exists'`,
]

/**
 * Returns the users who have access to an application, or would have it if both were active, by name.
 * @param after name and id of the last row of the previous page
 */
export const peopleWithAccess = async (
  pool: pg.Pool,
  applicationId: string,
  now: Instant,
  limit: number,
  after?: readonly [string, string],
): Promise<readonly PersonWithAccess[]> => {
  const { add, values } = parameters()
  const at = `${add(now)}::timestamptz`
  const name = '(lower(u.name) collate "C")'
  const conditions = [
    `a.application_id = ${add(applicationId)}`,
    ...openNow(at),
    ...(after === undefined ? [] : [`(${name}, u.id) > (${add(after[0])} collate "C", ${add(after[1])})`]),
  ]
  const { rows } = await pool.query<PersonWithAccess>(
    `select u.id as "userId", u.email, u.name, u.status, u.status = 'active' and p.status = 'active' as reaches,
            ${paths('m.expires_at')} as via, ${name} as "sortKey"
     from application_groups a join memberships m on m.group_id = a.group_id
       join users u on u.id = m.user_id join groups g on g.id = a.group_id
       join applications p on p.id = a.application_id
     where ${conditions.join(' and ')}
     group by u.id, p.id order by ${name}, u.id limit ${add(limit)}`,
    values,
  )
  return rows
}

/**
 * The same at a past time, ordered by id: one index finds a page, whatever the number of users.
 * @param after id of the last row of the previous page
 */
export const peopleWithAccessThen = async (
  client: pg.ClientBase,
  applicationId: string,
  past: Past,
  limit: number,
  after = '',
): Promise<readonly PersonWithAccess[]> => {
  const params = parameters()
  const { add, values } = params
  const { at, cut } = written(params, past)
  const [application, most] = [add(applicationId), add(limit)]
  const { rows } = await client.query<PersonWithAccess>(
    `with person as (
       select distinct h.user_id from application_groups a cross join lateral (
         select distinct m.user_id from memberships m
         where m.group_id = a.group_id and m.user_id > ${add(after)} and ${heldAt('m', cut, at)}
         order by m.user_id limit ${most}) h
       where a.application_id = ${application} and ${lasts('a', cut)}
       order by h.user_id limit ${most})
     select u.user_id as "userId", u.email, u.name, u.status,
            u.status = 'active' and p.status = 'active' as reaches,
            ${paths(expiryAt('m', cut))} as via, u.user_id as "sortKey"
     from person join user_history u on u.user_id = person.user_id and ${lasts('u', cut)}
       join memberships m on m.user_id = u.user_id and ${heldAt('m', cut, at)}
       ${assignmentsThen(cut)} and a.application_id = ${application}
       join application_history p on p.application_id = a.application_id and ${lasts('p', cut)}
     group by u.user_id, u.from_position, p.application_id, p.from_position order by u.user_id`,
    values,
  )
  return rows
}

/** Returns the applications that a user has access to, or would have if both were active, by name. */
export const accessOfUser = async (
  pool: pg.Pool,
  userId: string,
  now: Instant,
): Promise<readonly LaunchableApplication[]> => {
  const { add, values } = parameters()
  const at = `${add(now)}::timestamptz`
  const conditions = [`m.user_id = ${add(userId)}`, ...openNow(at), `p.status <> 'deleted'`]
  const { rows } = await pool.query<LaunchableApplication>(
    `select p.id as "applicationId", p.name, p.status, u.status = 'active' and p.status = 'active' as reaches,
            p.settings ->> 'logoUrl' as "logoUrl", p.settings ->> 'launchUrl' as "launchUrl",
            (select l.digest from application_logos l where l.application_id = p.id) as "logoDigest",
            coalesce((p.settings ->> 'visibleInPortal')::boolean, true) as "visibleInPortal",
            ${paths('m.expires_at')} as via
     from memberships m join application_groups a on a.group_id = m.group_id
       join applications p on p.id = a.application_id join groups g on g.id = a.group_id
       join users u on u.id = m.user_id
     where ${conditions.join(' and ')}
     group by p.id, u.id order by lower(p.name) collate "C", p.id`,
    values,
  )
  return rows
}

/** The same at a past time. */
export const accessOfUserThen = async (
  client: pg.ClientBase,
  userId: string,
  past: Past,
): Promise<readonly ReachableApplication[]> => {
  const params = parameters()
  const { add, values } = params
  const { at, cut } = written(params, past)
  const { rows } = await client.query<ReachableApplication>(
    `select p.application_id as "applicationId", p.name, p.status,
            u.status = 'active' and p.status = 'active' as reaches, ${paths(expiryAt('m', cut))} as via
     from memberships m ${assignmentsThen(cut)}
       join application_history p on p.application_id = a.application_id and ${lasts('p', cut)}
       join user_history u on u.user_id = m.user_id and ${lasts('u', cut)}
     where m.user_id = ${add(userId)} and ${heldAt('m', cut, at)} and p.status <> 'deleted'
     group by p.application_id, p.from_position, u.user_id, u.from_position
     order by lower(p.name) collate "C", p.application_id`,
    values,
  )
  return rows
}
