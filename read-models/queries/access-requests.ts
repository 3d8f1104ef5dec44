import type pg from 'pg'
import type { ApprovalStage } from '../../domain/access-package/events.ts'
import type { ApproverCandidates } from '../../domain/access-request/approvers.ts'
import { MOST_APPROVERS } from '../../domain/access-request/approvers.ts'
import type {
  AccessRequestStatus,
  AccessRequestType,
  ApproverOrigin,
  RequestAnswers,
} from '../../domain/access-request/events.ts'
import type { Id } from '../../domain/ids.ts'
import type { Instant } from '../../domain/time.ts'
import { inForceNow, parameters } from './page.ts'

/** A user in a request; the name is empty if it is unreadable. */
interface Person {
  readonly id: Id<'user'>
  readonly name: string
}

export interface RequestDecision {
  /** Null if no approval was required */
  readonly approverId: Id<'user'> | null
  readonly approverName: string | null
  readonly decision: 'approve' | 'deny'
  readonly comment: string | null
  readonly at: Instant
  readonly stage: number
}

export interface AccessRequestRow {
  readonly id: Id<'accessRequest'>
  readonly packageId: Id<'accessPackage'>
  readonly packageName: string
  readonly requester: Person
  readonly forUser: Person
  readonly type: AccessRequestType
  readonly status: AccessRequestStatus
  readonly justification: string | null
  readonly answers: RequestAnswers
  readonly requestedDuration: string | null
  readonly startsAt: Instant | null
  readonly stages: readonly ApprovalStage[]
  readonly stage: number
  readonly eligibleApprovers: readonly Person[]
  readonly approverOrigin: ApproverOrigin | null
  readonly decisions: readonly RequestDecision[]
  readonly expiresAt: Instant | null
  readonly decidedAt: Instant | null
  readonly assignmentId: Id<'packageAssignment'> | null
  readonly error: string | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly version: number
  readonly position: string
}

const person = (id: string): string =>
  `json_build_object('id', ${id}, 'name', coalesce((select n.name from users n where n.id = ${id}), ''))`

const columns = `
  r.id, r.package_id as "packageId", r.package_name as "packageName", ${person('r.requester_id')} as requester,
  ${person('r.for_user_id')} as "forUser", r.type, r.status, r.justification, r.answers,
  r.requested_duration as "requestedDuration", r.starts_at as "startsAt", r.stages, r.stage,
  case when r.status <> 'pending' then '[]' else
    (select coalesce(json_agg(json_build_object('id', a.id, 'name', coalesce(n.name, '')) order by n.name, a.id), '[]')
     from unnest(r.approver_ids) as a(id) left join users n on n.id = a.id) end as "eligibleApprovers",
  r.approver_origin as "approverOrigin",
  (select coalesce(jsonb_agg(d.value || jsonb_build_object('approverName',
      (select n.name from users n where n.id = d.value ->> 'approverId')) order by d.at), '[]')
    from jsonb_array_elements(r.decisions) with ordinality as d(value, at)) as decisions,
  r.expires_at as "expiresAt", r.decided_at as "decidedAt", r.assignment_id as "assignmentId", r.error,
  r.created_at as "createdAt", r.updated_at as "updatedAt", r.version, r.created_position as position`

export const findAccessRequest = async (pool: pg.Pool, id: string): Promise<AccessRequestRow | null> => {
  const { rows } = await pool.query<AccessRequestRow>(
    `select ${columns} from access_requests r where r.id = $1`,
    [id],
  )
  return rows[0] ?? null
}

export interface AccessRequestFilters {
  readonly status?: AccessRequestStatus | undefined
  readonly packageId?: string | undefined
  /** Made by them or for them */
  readonly userId?: string | undefined
  /** Who gets the access */
  readonly forUserId?: string | undefined
  /** Who can decide it now, and has not yet */
  readonly approverId?: string | undefined
}

/**
 * Returns access requests, newest first.
 * @param after the position of the last row of the previous page
 */
export const listAccessRequests = async (
  pool: pg.Pool,
  { status, packageId, userId, forUserId, approverId }: AccessRequestFilters,
  limit: number,
  after?: string,
): Promise<readonly AccessRequestRow[]> => {
  const { add, values } = parameters()
  const user = userId === undefined ? '' : add(userId)
  const approver = approverId === undefined ? '' : add(approverId)
  const conditions = [
    'true',
    ...(status === undefined ? [] : [`r.status = ${add(status)}`]),
    ...(packageId === undefined ? [] : [`r.package_id = ${add(packageId)}`]),
    ...(forUserId === undefined ? [] : [`r.for_user_id = ${add(forUserId)}`]),
    ...(userId === undefined ? [] : [`(r.for_user_id = ${user} or r.requester_id = ${user})`]),
    ...(approverId === undefined
      ? []
      : [
          `r.status = 'pending' and r.approver_ids @> array[${approver}]`,
          `not exists (select from jsonb_array_elements(r.decisions) d
             where d ->> 'approverId' = ${approver} and (d ->> 'stage')::int = r.stage)`,
        ]),
    ...(after === undefined ? [] : [`r.created_position < ${add(after)} collate "C"`]),
  ]
  const { rows } = await pool.query<AccessRequestRow>(
    `select ${columns} from access_requests r where ${conditions.join(' and ')}
     order by r.created_position desc limit ${add(limit)}`,
    values,
  )
  return rows
}

/** What the commands need to know of a request. */
export interface RequestSubject {
  readonly id: string
  readonly packageId: string
  readonly requesterId: string
  readonly forUserId: string
  readonly type: AccessRequestType
  readonly status: AccessRequestStatus
  /** The assignment to extend or to remove, or the one that was made */
  readonly assignmentId: string | null
  readonly requestedDuration: string | null
  readonly startsAt: Instant | null
  readonly stages: readonly ApprovalStage[]
  readonly stage: number
  readonly approverIds: readonly string[]
  readonly approverOrigin: ApproverOrigin | null
}

const subject = `select r.id, r.package_id as "packageId", r.requester_id as "requesterId",
  r.for_user_id as "forUserId", r.type, r.status, r.assignment_id as "assignmentId",
  r.requested_duration as "requestedDuration", r.starts_at as "startsAt", r.stages, r.stage, r.approver_ids as "approverIds",
  r.approver_origin as "approverOrigin" from access_requests r`

export const requestSubject = async (pool: pg.Pool, id: string): Promise<RequestSubject | null> => {
  const { rows } = await pool.query<RequestSubject>(`${subject} where r.id = $1`, [id])
  return rows[0] ?? null
}

/** Returns the request with which an assignment was approved and that waits for its start. */
export const scheduledRequest = async (
  pool: pg.Pool,
  assignmentId: string,
): Promise<{ readonly id: string } | null> => {
  const { rows } = await pool.query<{ id: string }>(
    `select id from access_requests where status = 'scheduled' and assignment_id = $1`,
    [assignmentId],
  )
  return rows[0] ?? null
}

/** Returns the requests whose deadline has passed, in the order of their deadlines. */
export const overdueRequests = async (
  pool: pg.Pool,
  now: Instant,
  limit: number,
): Promise<readonly RequestSubject[]> => {
  const { rows } = await pool.query<RequestSubject>(
    `${subject} where r.status = 'pending' and r.expires_at <= $1 order by r.expires_at, r.id limit $2`,
    [now, limit],
  )
  return rows
}

/** Returns the ids of requests whose approvers are to be reminded now, the longest due first. */
export const requestsToRemind = async (
  pool: pg.Pool,
  now: Instant,
  limit: number,
): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `select id from access_requests where status = 'pending' and reminder_at <= $1 and expires_at > $1
     order by reminder_at, id limit $2`,
    [now, limit],
  )
  return rows.map(({ id }) => id)
}

/** What may have changed for the approvers of undecided requests. */
export interface ApproverMoves {
  /** Users who left, returned, or have other roles or another manager */
  readonly userIds: readonly string[]
  readonly groupIds: readonly string[]
  readonly packageIds: readonly string[]
  readonly administrators: boolean
}

/** Returns the undecided requests that somebody else may have to decide now. */
export const requestsToResolve = async (
  pool: pg.Pool,
  { userIds, groupIds, packageIds, administrators }: ApproverMoves,
): Promise<readonly RequestSubject[]> => {
  const { rows } = await pool.query<RequestSubject>(
    `${subject} where r.status = 'pending' and (
       r.approver_ids && $1::text[] or r.for_user_id = any ($1::text[]) or r.package_id = any ($3::text[])
       or jsonb_path_exists(r.stages, '$[*].approvers ? (@.type == "groups").ids[*] ? (@ == $ids[*])',
            jsonb_build_object('ids', $2::text[]))
       or jsonb_path_exists(r.stages, '$[*].approvers.ids[*] ? (@ == $ids[*])',
            jsonb_build_object('ids', $1::text[]))
       or ($4 and r.approver_origin = 'administrators'))
     order by r.created_position`,
    [userIds, groupIds, packageIds, administrators],
  )
  return rows
}

/** Returns the undecided requests by or for users. */
export const pendingRequestsOf = async (
  pool: pg.Pool,
  userIds: readonly string[],
): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `select id from access_requests where status = 'pending'
       and (for_user_id = any ($1) or requester_id = any ($1)) order by created_position`,
    [userIds],
  )
  return rows.map(({ id }) => id)
}

/** Returns the active users who can decide a stage, by why. */
export const approverCandidates = async (
  pool: pg.Pool,
  packageId: string,
  forUserId: string,
  stage: ApprovalStage,
  now: Instant,
): Promise<ApproverCandidates> => {
  const { type, ids } = stage.approvers
  const byType = {
    users: `u.id = any ($1)`,
    groups: `u.id in (select m.user_id from memberships m
      where m.group_id = any ($1) and ${inForceNow('m', '$4::timestamptz')})`,
    manager: `u.id = (select f.manager_id from users f where f.id = $3)`,
    package_owners: `u.id in (select unnest(p.owner_ids) from access_packages p where p.id = $2)`,
  } as const
  const { rows } = await pool.query<{ origin: keyof ApproverCandidates; id: string }>(
    `(select 'stage' as origin, u.id from users u
      where $1::text[] is not null and $2::text is not null and $3::text is not null and $4::text is not null
        and u.status = 'active' and ${byType[type]} order by u.id limit ${String(MOST_APPROVERS + 2)})
     union all (select 'escalation', u.id from users u where u.status = 'active' and u.id = $5)
     union all (select 'owners', u.id from users u where u.status = 'active' and ${byType.package_owners})
     union all (select 'administrators', u.id from users u
       where u.status = 'active' and u.roles @> '{global_admin}')`,
    [ids, packageId, forUserId, now, stage.escalateTo ?? null],
  )
  const of = (origin: keyof ApproverCandidates) =>
    rows.filter((row) => row.origin === origin).map(({ id }) => id)
  return {
    stage: of('stage'),
    escalation: of('escalation'),
    owners: of('owners'),
    administrators: of('administrators'),
  }
}

/** Returns those of these users who are active. */
export const activeUsers = async (pool: pg.Pool, ids: readonly string[]): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `select id from users where id = any ($1) and status = 'active'`,
    [ids],
  )
  return rows.map(({ id }) => id)
}

/** A user whose manager somebody is. */
export interface Report {
  readonly id: Id<'user'>
  readonly name: string
  readonly email: string
}

/** Returns the users whose manager a user is, by name; at most `limit`. */
export const reportsOf = async (
  pool: pg.Pool,
  managerId: string,
  limit: number,
): Promise<readonly Report[]> => {
  const { rows } = await pool.query<Report>(
    `select id, name, email from users where manager_id = $1 and status in ('active', 'invited')
     order by lower(name) collate "C", id limit $2`,
    [managerId, limit],
  )
  return rows
}

/** Whether one user is the manager of another. */
export const isManagerOf = async (pool: pg.Pool, managerId: string, userId: string): Promise<boolean> => {
  const { rowCount } = await pool.query(
    `select from users where id = $1 and manager_id = $2 and status <> 'deleted'`,
    [userId, managerId],
  )
  return rowCount === 1
}
