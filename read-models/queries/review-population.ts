/**
 * Who has which access at a log position: the population of an access review. Intervals of the past do not change, so
 * each page is the same whenever it is read.
 */
import type pg from 'pg'
import type { ReviewedPath, ReviewedResource, ReviewScopeType } from '../../domain/access-review/events.ts'
import { riskLevels, type RiskLevel } from '../../domain/risk/events.ts'
import type { Instant } from '../../domain/time.ts'
import { stamp } from './access.ts'
import { parameters, type Parameters } from './page.ts'
import { userRisk } from './policy-state.ts'
import { heldAt, lasts, written, type Past } from './past.ts'

export interface HeldAccess {
  readonly userId: string
  readonly isActive: boolean
  readonly managerId: string | null
  readonly resource: ReviewedResource
  readonly paths: readonly ReviewedPath[]
  readonly ownerIds: readonly string[]
  readonly lastUsedAt: Instant | null
}

export interface PopulationFilter {
  readonly groupIds?: readonly string[] | undefined
  /** Only users who have not signed in since */
  readonly inactiveSince?: Instant | undefined
  /** Only users with an open risk of this level, or a higher one */
  readonly riskLevel?: RiskLevel | undefined
}

interface Source {
  readonly type: ReviewScopeType
  readonly id: string
}

const membershipPath = `json_build_object('via', m.via, 'groupId', m.group_id,
  'groupName', g.name, 'since', ${stamp('m.from_at')}, 'sourceId', m.source_id,
  'packageId', (select h.package_id from package_assignments h where m.via = 'package' and h.id = m.source_id),
  'requestId', (select h.request_id from package_assignments h where m.via = 'package' and h.id = m.source_id))
  order by m.from_position`

const lastSignIn = (user: string, at: string, of = ''): string =>
  `(select max(s.created_at) from sign_ins s where s.user_id = ${user} and s.result = 'success'
     and s.created_at <= ${at} ${of})`

/** What each source selects: the rows h of users and resources, with their paths. */
const statements = {
  group: ({ cut, at }: Terms, id: string) => `
    select m.user_id, 'group' as type, m.group_id as resource_id, g.name as resource_name,
      json_agg(${membershipPath}) as paths, null::text as app_id
    from memberships m join group_history g on g.group_id = m.group_id and ${lasts('g', cut)} and g.status = 'exists'
    where m.group_id = ${id} and ${heldAt('m', cut, at)} group by m.user_id, m.group_id, g.name`,
  application: ({ cut, at }: Terms, id: string) => `
    select m.user_id, 'application' as type, a.application_id as resource_id, p.name as resource_name,
      json_agg(${membershipPath}) as paths, a.application_id as app_id
    from application_groups a
      join application_history p on p.application_id = a.application_id and ${lasts('p', cut)} and p.status <> 'deleted'
      join memberships m on m.group_id = a.group_id and ${heldAt('m', cut, at)}
      join group_history g on g.group_id = m.group_id and ${lasts('g', cut)} and g.status = 'exists'
    where a.application_id = ${id} and ${lasts('a', cut)} group by m.user_id, a.application_id, p.name`,
  user: ({ cut, at }: Terms, id: string) => `
    select m.user_id, 'application' as type, a.application_id as resource_id, p.name as resource_name,
      json_agg(${membershipPath}) as paths, a.application_id as app_id
    from memberships m join application_groups a on a.group_id = m.group_id and ${lasts('a', cut)}
      join application_history p on p.application_id = a.application_id and ${lasts('p', cut)} and p.status <> 'deleted'
      join group_history g on g.group_id = m.group_id and ${lasts('g', cut)} and g.status = 'exists'
    where m.user_id = ${id} and ${heldAt('m', cut, at)} group by m.user_id, a.application_id, p.name`,
  package: ({ cut, at }: Terms, id: string) => `
    select m.user_id, 'package' as type, m.package_id as resource_id, k.name as resource_name,
      json_agg(json_build_object('via', 'package', 'packageId', m.package_id, 'sourceId', m.id,
        'requestId', m.request_id, 'since', ${stamp('m.from_at')}) order by m.from_position) as paths,
      null::text as app_id
    from package_assignments m join access_packages k on k.id = m.package_id
    where m.package_id = ${id} and ${lasts('m', cut)} and coalesce(m.expires_at > ${at}, true)
      and (m.starts_at <= ${at} or m.starts_at = m.from_at)
    group by m.user_id, m.package_id, k.name`,
  role: ({ cut }: Terms, id: string) => `
    select m.user_id, 'role' as type, m.role as resource_id, m.role as resource_name,
      json_agg(json_build_object('via', 'direct', 'since', ${stamp('m.from_at')})) as paths, null::text as app_id
    from role_intervals m where m.role = ${id} and ${lasts('m', cut)} group by m.user_id, m.role`,
  service_account: ({ cut }: Terms, id: string) => `
    select m.user_id, 'role' as type, m.role as resource_id, m.role as resource_name,
      json_agg(json_build_object('via', 'direct', 'since', ${stamp('m.from_at')})) as paths, null::text as app_id
    from role_intervals m where m.user_id = ${id} and ${lasts('m', cut)} group by m.user_id, m.role`,
} as const

interface Terms {
  readonly cut: string
  readonly at: string
}

const conditionsOf = (
  { groupIds, inactiveSince, riskLevel }: PopulationFilter,
  { cut, at }: Terms,
  { add }: Parameters,
): readonly string[] => [
  ...(groupIds === undefined
    ? []
    : [
        `h.user_id in (select m.user_id from memberships m where m.group_id = any(${add(groupIds)}) and ${heldAt('m', cut, at)})`,
      ]),
  ...(inactiveSince === undefined
    ? []
    : [`coalesce(${lastSignIn('h.user_id', at)} < ${add(inactiveSince)}::timestamptz, true)`]),
  ...(riskLevel === undefined
    ? []
    : [
        `${userRisk('h.user_id', at)} = any(${add(riskLevels.slice(riskLevels.indexOf(riskLevel)))}::text[])`,
      ]),
]

const owners = `(case h.type
  when 'group' then (select g.owner_ids from groups g where g.id = h.resource_id)
  when 'package' then (select k.owner_ids from access_packages k where k.id = h.resource_id)
  when 'application' then (select array_agg(distinct o.id) from json_array_elements(h.paths) p (x)
    join groups g on g.id = p.x ->> 'groupId', unnest(g.owner_ids) o (id))
  end)`

/**
 * Returns a page of the access that a source gives, ordered by user and resource.
 * @param after the user and resource of the last row of the previous page
 */
export const heldAccess = async (
  pool: pg.Pool,
  { type, id }: Source,
  past: Past,
  filter: PopulationFilter,
  limit: number,
  after: readonly [userId: string, resourceId: string] = ['', ''],
): Promise<readonly HeldAccess[]> => {
  const params = parameters()
  const { add, values } = params
  const terms = written(params, past)
  const inner = statements[type](terms, add(id))
  const conditions = [
    `(h.user_id collate "C", h.resource_id collate "C") > (${add(after[0])}, ${add(after[1])})`,
    ...conditionsOf(filter, terms, params),
  ]
  const use = `case when h.app_id is null then ${lastSignIn('h.user_id', terms.at)}
    else ${lastSignIn('h.user_id', terms.at, 'and s.app_id = h.app_id')} end`
  const { rows } = await pool.query<HeldAccess>(
    `select h.user_id as "userId", coalesce(u.status, 'active') = 'active' as "isActive", (select v.id from users v where v.id = w.manager_id and v.status = 'active') as "managerId",
       json_build_object('type', h.type, 'id', h.resource_id, 'name', h.resource_name) as resource,
       h.paths, coalesce(array(select o.id from users o where o.id = any(${owners}) and o.status = 'active'), '{}') as "ownerIds",
       ${use} as "lastUsedAt"
     from (${inner}) h
       left join user_history u on u.user_id = h.user_id and ${lasts('u', terms.cut)}
       left join users w on w.id = h.user_id
     where coalesce(u.status, 'active') <> 'deleted' and ${conditions.join(' and ')}
     order by h.user_id collate "C", h.resource_id collate "C" limit ${add(limit)}`,
    values,
  )
  return rows
}

/** Active users among these, and the active members of these groups. */
export const activeAmong = async (
  pool: pg.Pool,
  userIds: readonly string[],
  groupIds: readonly string[],
  now: Instant,
): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `select u.id from users u where u.status = 'active' and (u.id = any($1) or exists (
       select from memberships m where m.user_id = u.id and m.group_id = any($2)
         and m.to_position is null and (m.expires_at is null or m.expires_at > $3)))
     order by u.id`,
    [userIds, groupIds, now],
  )
  return rows.map(({ id }) => id)
}
