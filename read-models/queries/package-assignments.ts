import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { Incompatibilities, OpenAssignment } from '../../domain/package-assignment/decider.ts'
import type { AssignmentVia } from '../../domain/package-assignment/events.ts'
import type { Instant } from '../../domain/time.ts'
import { inForceNow, parameters, prefixPattern } from './page.ts'

export type AssignmentStatus = 'scheduled' | 'active' | 'expired' | 'revoked' | 'failed'

export interface PackageAssignmentRow {
  readonly id: Id<'packageAssignment'>
  readonly userId: Id<'user'>
  readonly userName: string
  readonly packageId: Id<'accessPackage'>
  readonly packageName: string
  readonly status: AssignmentStatus
  readonly via: AssignmentVia
  readonly requestId: Id<'accessRequest'> | null
  readonly startsAt: Instant
  readonly expiresAt: Instant | null
  readonly grantedAt: Instant
  readonly grantedBy: string | null
  readonly endedAt: Instant | null
  readonly endedBy: string | null
  readonly endReason: string | null
  readonly eventId: Id<'auditEvent'> | null
  readonly position: string
}

/** An assignment is over when its time is, before any event says so. */
const columns = (now: string): string => `
  m.id, m.user_id as "userId", coalesce(u.name, '') as "userName", m.package_id as "packageId",
  coalesce(p.name, '') as "packageName",
  case when m.to_position is null and m.expires_at <= ${now} then 'expired' else m.status end as status,
  m.via, m.request_id as "requestId", m.starts_at as "startsAt", m.expires_at as "expiresAt",
  m.from_at as "grantedAt", m.granted_by as "grantedBy", m.to_at as "endedAt", m.ended_by as "endedBy",
  m.end_reason as "endReason", m.audit_id as "eventId", m.from_position as position`

const from = `package_assignments m left join users u on u.id = m.user_id
  left join access_packages p on p.id = m.package_id`

export const findPackageAssignment = async (
  pool: pg.Pool,
  id: string,
  now: Instant,
): Promise<PackageAssignmentRow | null> => {
  const { rows } = await pool.query<PackageAssignmentRow>(
    `select ${columns('$2::timestamptz')} from ${from} where m.id = $1`,
    [id, now],
  )
  return rows[0] ?? null
}

export interface PackageAssignmentFilters {
  readonly packageId?: string | undefined
  readonly userId?: string | undefined
  /** `open`: not ended and not expired */
  readonly state?: 'open' | 'ended' | undefined
  readonly q?: string | undefined
}

/**
 * Returns assignments, newest first.
 * @param after the position of the last row of the previous page
 */
export const listPackageAssignments = async (
  pool: pg.Pool,
  { packageId, userId, state, q }: PackageAssignmentFilters,
  now: Instant,
  limit: number,
  after?: string,
): Promise<readonly PackageAssignmentRow[]> => {
  const { add, values } = parameters()
  const at = `${add(now)}::timestamptz`
  const inForce = inForceNow('m', at)
  const pattern = q === undefined ? '' : `lower(${add(prefixPattern(q))})`
  const conditions = [
    'true',
    ...(packageId === undefined ? [] : [`m.package_id = ${add(packageId)}`]),
    ...(userId === undefined ? [] : [`m.user_id = ${add(userId)}`]),
    ...(state === undefined ? [] : [state === 'open' ? inForce : `not (${inForce})`]),
    ...(q === undefined
      ? []
      : [`(lower(u.name) collate "C" like ${pattern} or lower(u.email) collate "C" like ${pattern})`]),
    ...(after === undefined ? [] : [`m.from_position < ${add(after)} collate "C"`]),
  ]
  const { rows } = await pool.query<PackageAssignmentRow>(
    `select ${columns(at)} from ${from} where ${conditions.join(' and ')}
     order by m.from_position desc limit ${add(limit)}`,
    values,
  )
  return rows
}

/** The memberships that open assignments should give, and those that exist. */
export interface Deliverable {
  readonly assignmentId: string
  readonly userId: string
  readonly expiresAt: Instant | null
  /** Whether the assignment has started and has not ended */
  readonly isActive: boolean
  readonly groupIds: readonly string[]
  /** With the expiry of the membership by this assignment */
  readonly members: readonly { readonly groupId: string; readonly expiresAt: Instant | null }[]
}

const time = (expression: string): string => `to_char(${expression}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

const deliverable = `
  select a.id as "assignmentId", a.user_id as "userId", a.expires_at as "expiresAt",
    a.status = 'active' and a.to_position is null as "isActive",
    (select coalesce(array_agg(g.id order by g.id), '{}') from groups g
      where g.id = any (p.group_ids) and g.status = 'exists' and p.status <> 'deleted') as "groupIds",
    (select coalesce(json_agg(json_build_object('groupId', m.group_id, 'expiresAt', ${time('m.expires_at')})
        order by m.group_id), '[]')
      from memberships m where m.user_id = a.user_id and m.via = 'package' and m.source_id = a.id
        and m.to_position is null) as members
  from package_assignments a join access_packages p on p.id = a.package_id`

/** Returns what assignments should give and what they give. */
export const deliverablesOf = async (
  pool: pg.Pool,
  assignmentIds: readonly string[],
): Promise<readonly Deliverable[]> => {
  const { rows } = await pool.query<Deliverable>(`${deliverable} where a.id = any ($1) order by a.id`, [
    assignmentIds,
  ])
  return rows
}

/** The same for the open assignments of a package, by id. */
export const deliverablesOfPackage = async (
  pool: pg.Pool,
  packageId: string,
  after: string,
  limit: number,
): Promise<readonly Deliverable[]> => {
  const { rows } = await pool.query<Deliverable>(
    `${deliverable} where a.package_id = $1 and a.to_position is null and a.id > $2 order by a.id limit $3`,
    [packageId, after, limit],
  )
  return rows
}

const openColumns = `id as "assignmentId", package_id as "packageId", request_id as "requestId", status,
  starts_at as "startsAt", expires_at as "expiresAt"`

/** Returns assignments that have expired and have not ended yet, one of each user. */
export const lapsedAssignments = async (
  pool: pg.Pool,
  now: Instant,
  limit: number,
): Promise<readonly (OpenAssignment & { readonly userId: string })[]> => {
  const { rows } = await pool.query<OpenAssignment & { userId: string }>(
    `select distinct on (user_id) user_id as "userId", ${openColumns}
     from (select * from package_assignments where to_position is null and expires_at <= $1
       order by expires_at limit $2) a
     order by user_id`,
    [now, limit],
  )
  return rows
}

/** Returns the scheduled assignments whose time has come. */
export const dueAssignments = async (
  pool: pg.Pool,
  now: Instant,
  limit: number,
): Promise<readonly { readonly id: string; readonly userId: string; readonly packageId: string }[]> => {
  const { rows } = await pool.query<{ id: string; userId: string; packageId: string }>(
    `select id, user_id as "userId", package_id as "packageId" from package_assignments
     where status = 'scheduled' and to_position is null and starts_at <= $1 order by starts_at, id limit $2`,
    [now, limit],
  )
  return rows
}

/** Returns the open assignments of a user, as the rules need them. */
export const openAssignmentsOf = async (
  pool: pg.Pool,
  userId: string,
): Promise<readonly OpenAssignment[]> => {
  const { rows } = await pool.query<OpenAssignment>(
    `select ${openColumns} from package_assignments where user_id = $1 and to_position is null`,
    [userId],
  )
  return rows
}

/**
 * Returns the packages that are incompatible with a package, whichever of the two names the other, and the groups of
 * those that the user is in, unless the package grants them itself.
 */
export const incompatibilitiesOf = async (
  pool: pg.Pool,
  userId: string,
  packageId: string,
  now: Instant,
): Promise<Incompatibilities> => {
  const other = `other as (
    select o.id, o.name, o.group_ids from access_packages o, access_packages p
    where p.id = $1 and o.id <> p.id and o.status <> 'deleted'
      and (o.id = any (p.incompatible_package_ids) or o.incompatible_package_ids @> array[p.id]))`
  const { rows: packages } = await pool.query<Incompatibilities['packages'][number]>(
    `with ${other} select id as "packageId", name from other order by name, id`,
    [packageId],
  )
  if (packages.length === 0) return { packages, held: [] }
  const { rows: held } = await pool.query<Incompatibilities['held'][number]>(
    `with ${other} select distinct g.name as "groupName", o.name as "packageName"
     from other o join groups g on g.id = any (o.group_ids) and g.status = 'exists'
       join memberships m on m.group_id = g.id and m.user_id = $2 and ${inForceNow('m', '$3::timestamptz')}
     where not exists (select from access_packages p where p.id = $1 and p.group_ids @> array[g.id])
     order by 2, 1`,
    [packageId, userId, now],
  )
  return { packages, held }
}
