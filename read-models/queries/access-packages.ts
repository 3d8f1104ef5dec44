import type pg from 'pg'
import type {
  AccessPackageFields,
  AccessPackageStatus,
  PackageDuration,
  PackageReview,
} from '../../domain/access-package/events.ts'
import type { Id } from '../../domain/ids.ts'
import type { Instant } from '../../domain/time.ts'
import { inForceNow, parameters, prefixPattern, readListPage, type ListPage, type Sorted } from './page.ts'

interface Named<K extends 'group' | 'user' | 'accessPackage'> {
  readonly id: Id<K>
  /** Null if it does not exist any more */
  readonly name: string | null
}

export interface AccessPackageRow extends Omit<
  AccessPackageFields,
  'grants' | 'incompatiblePackageIds' | 'ownerIds' | 'description' | 'duration' | 'review'
> {
  readonly id: Id<'accessPackage'>
  readonly status: AccessPackageStatus
  readonly description: string | null
  readonly groups: readonly Named<'group'>[]
  readonly duration: PackageDuration | null
  readonly incompatiblePackages: readonly Named<'accessPackage'>[]
  readonly owners: readonly Named<'user'>[]
  readonly review: PackageReview | null
  /** When the next regular review starts */
  readonly nextReviewAt: Instant | null
  /** Of the users and groups in `requesters`, `approval` and `review` */
  readonly names: Readonly<Record<string, string>>
  /** Open assignments that have not expired, also those that start later */
  readonly assignments: number
  /** Requests that nobody has decided yet */
  readonly pendingRequests: number
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly version: number
}

/** Returns SQL for a list of things with their names, in the order of their ids. */
const named = (ids: string, table: string): string =>
  `(select coalesce(json_agg(json_build_object('id', n.id, 'name', x.name) order by n.at), '[]')
    from unnest(${ids}) with ordinality as n(id, at) left join ${table} x on x.id = n.id)`

const columns = (now: string): string => `
  p.id, p.status, p.name, p.description, ${named('p.group_ids', 'groups')} as groups, p.requestable, p.requesters,
  p.approval, p.requester_justification_required as "requesterJustificationRequired", p.duration,
  ${named('p.incompatible_package_ids', 'access_packages')} as "incompatiblePackages",
  ${named('p.owner_ids', 'users')} as owners, p.questions,
  p.review, p.review_due_at as "nextReviewAt",
  (select coalesce(json_object_agg(x.id, x.name), '{}') from (
    select id, name from users union all select id, name from groups) x
    where x.id in (select e #>> '{}' from jsonb_path_query(p.approval, '$.stages[*].approvers.ids[*]') e
      union all select e #>> '{}' from jsonb_path_query(p.approval, '$.stages[*].escalateTo') e
      union all select e #>> '{}' from jsonb_path_query(p.review, '$.reviewers.*[*]') e
      union all select jsonb_array_elements_text(p.requesters -> 'groupIds'))) as names,
  (select count(*) from package_assignments m where m.package_id = p.id and ${inForceNow('m', now)})::int
    as assignments,
  (select count(*) from access_requests r where r.package_id = p.id and r.status = 'pending')::int
    as "pendingRequests",
  p.created_at as "createdAt", p.updated_at as "updatedAt", p.version`

export const findAccessPackage = async (
  pool: pg.Pool,
  id: string,
  now: Instant,
): Promise<AccessPackageRow | null> => {
  const { rows } = await pool.query<AccessPackageRow>(
    `select ${columns('$2::timestamptz')} from access_packages p where p.id = $1 and p.status <> 'deleted'`,
    [id, now],
  )
  return rows[0] ?? null
}

export interface AccessPackageFilters {
  readonly status?: AccessPackageStatus | undefined
  readonly q?: string | undefined
}

export const listAccessPackages = (
  pool: pg.Pool,
  { status, q }: AccessPackageFilters,
  page: ListPage,
  now: Instant,
): Promise<readonly (AccessPackageRow & Sorted)[]> => {
  const params = parameters()
  const { add } = params
  const shown = columns(`${add(now)}::timestamptz`)
  const conditions = [
    status === undefined ? `p.status <> 'deleted'` : `p.status = ${add(status)}`,
    ...(q === undefined ? [] : [`lower(p.name) collate "C" like lower(${add(prefixPattern(q))})`]),
  ]
  return readListPage<AccessPackageRow>(pool, page, 'p', shown, 'access_packages p', conditions, params)
}

/** Returns the ids without an existing access package, in the given order. */
export const missingPackages = async (pool: pg.Pool, ids: readonly string[]): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `select asked.id from unnest($1::text[]) with ordinality as asked(id, at)
     where not exists (select from access_packages p where p.id = asked.id and p.status <> 'deleted') order by at`,
    [ids],
  )
  return rows.map(({ id }) => id)
}

/** Returns the names of the packages that grant a group, or name it otherwise. */
export const packagesUsingGroup = async (pool: pg.Pool, groupId: string): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ name: string }>(
    `select name from access_packages where status <> 'deleted' and (group_ids @> array[$1]
       or requesters -> 'groupIds' ? $1 or review -> 'reviewers' -> 'ids' ? $1
       or jsonb_path_exists(approval, '$.stages[*].approvers.ids[*] ? (@ == $id)', jsonb_build_object('id', $1::text)))
     order by name`,
    [groupId],
  )
  return rows.map(({ name }) => name)
}

/** A package whose regular review is due */
export interface DuePackageReview {
  readonly id: Id<'accessPackage'>
  readonly name: string
  readonly review: PackageReview
  readonly dueAt: Instant
}

export const duePackageReviews = async (
  pool: pg.Pool,
  now: Instant,
  limit: number,
): Promise<readonly DuePackageReview[]> => {
  const { rows } = await pool.query<DuePackageReview>(
    `select id, name, review, review_due_at as "dueAt" from access_packages
     where review_due_at <= $1 order by review_due_at, id limit $2`,
    [now, limit],
  )
  return rows
}

/** A package that a user may request, or has. */
export interface RequestablePackage {
  readonly id: Id<'accessPackage'>
  readonly name: string
  readonly description: string | null
  readonly groups: readonly Named<'group'>[]
  readonly approvalRequired: boolean
  readonly requesterJustificationRequired: boolean
  readonly duration: PackageDuration | null
  readonly questions: AccessPackageFields['questions']
  /** Whether the user may request it */
  readonly requestable: boolean
  readonly assignment: {
    readonly id: Id<'packageAssignment'>
    readonly status: 'scheduled' | 'active'
    readonly startsAt: Instant
    readonly expiresAt: Instant | null
  } | null
  readonly pendingRequestId: Id<'accessRequest'> | null
}

const time = (expression: string): string => `to_char(${expression}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** Whether a user may request the package p. */
const mayRequest = (user: string, now: string): string =>
  `(p.status = 'published' and p.requestable and (p.requesters ->> 'scope' = 'everyone' or exists (
     select from memberships m where m.user_id = ${user} and ${inForceNow('m', now)}
       and p.requesters -> 'groupIds' ? m.group_id)))`

/**
 * Returns the packages that a user may request, or has, by name.
 * @param packageId only this one
 */
export const packagesFor = async (
  pool: pg.Pool,
  userId: string,
  now: Instant,
  packageId: string | null = null,
): Promise<readonly RequestablePackage[]> => {
  const at = '$2::timestamptz'
  const { rows } = await pool.query<RequestablePackage>(
    `select p.id, p.name, p.description, ${named('p.group_ids', 'groups')} as groups,
       (p.approval ->> 'required')::boolean as "approvalRequired",
       p.requester_justification_required as "requesterJustificationRequired", p.duration, p.questions,
       ${mayRequest('$1', at)} as requestable,
       case when a.id is null then null else json_build_object('id', a.id, 'status', a.status,
         'startsAt', ${time('a.starts_at')}, 'expiresAt', ${time('a.expires_at')}) end as assignment,
       (select r.id from access_requests r where r.for_user_id = $1 and r.package_id = p.id
          and r.status in ('pending', 'approved') order by r.created_position desc limit 1) as "pendingRequestId"
     from access_packages p
       left join package_assignments a on a.package_id = p.id and a.user_id = $1 and ${inForceNow('a', at)}
     where p.status <> 'deleted' and ($3::text is null or p.id = $3)
       and (a.id is not null or ${mayRequest('$1', at)})
     order by lower(p.name) collate "C", p.id`,
    [userId, now, packageId],
  )
  return rows
}
