import type pg from 'pg'
import type { GroupSource } from '../../domain/group/events.ts'
import type { GroupRule, RuleSubject } from '../../domain/group/rule.ts'
import type { Id } from '../../domain/ids.ts'
import type { Instant } from '../../domain/time.ts'
import { heldAt, lasts, written, type Past, type PastRecord } from './past.ts'
import { inForceNow, parameters, prefixPattern, readListPage, type ListPage, type Sorted } from './page.ts'

export interface GroupRow {
  readonly id: Id<'group'>
  readonly name: string
  readonly description: string | null
  readonly rule: GroupRule | null
  readonly externalId: string | null
  readonly ownerIds: readonly Id<'user'>[]
  readonly memberCount: number
  readonly applicationCount: number
  readonly source: GroupSource
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly version: number
}

/**
 * @param held condition on memberships m
 * @param assigned condition on assignments a
 */
const columns = (held: string, assigned = 'a.to_position is null'): string => `
  g.id, g.name, g.description, g.rule, g.external_id as "externalId", g.owner_ids as "ownerIds",
  (select count(distinct m.user_id) from memberships m
    where m.group_id = g.id and ${held}) as "memberCount",
  (select count(*) from application_groups a where a.group_id = g.id and ${assigned}) as "applicationCount",
  g.source, g.created_at as "createdAt", g.updated_at as "updatedAt", g.version`

export const findGroup = async (pool: pg.Pool, id: string, now: Instant): Promise<GroupRow | null> => {
  const { rows } = await pool.query<GroupRow>(
    `select ${columns(inForceNow('m', '$2'))} from groups g where g.id = $1 and g.status = 'exists'`,
    [id, now],
  )
  return rows[0] ?? null
}

/** The same at a time past. @param record of the streams of one or more groups, which are returned in order of ids */
export const readGroupsThen = async (
  client: pg.ClientBase,
  past: Past,
  { groups }: PastRecord,
): Promise<readonly GroupRow[]> => {
  const params = parameters()
  const { at, cut } = written(params, past)
  const { rows } = await client.query<GroupRow>(
    `select ${columns(heldAt('m', cut, at), lasts('a', cut))}
     from jsonb_populate_recordset(null::groups, ${params.add(JSON.stringify(groups ?? []))}) g
     where g.status = 'exists' order by g.id`,
    params.values,
  )
  return rows
}

/** Whether the group exists or existed. */
export const groupEverExisted = async (pool: pg.Pool, id: string): Promise<boolean> => {
  const { rowCount } = await pool.query('select from groups where id = $1', [id])
  return rowCount === 1
}

export interface GroupFilters {
  readonly q?: string | undefined
  readonly userId?: string | undefined
  readonly applicationId?: string | undefined
}

export const listGroups = (
  pool: pg.Pool,
  { q, userId, applicationId }: GroupFilters,
  page: ListPage,
  now: Instant,
): Promise<readonly (GroupRow & Sorted)[]> => {
  const params = parameters()
  const { add } = params
  const at = add(now)
  const conditions = [
    `g.status = 'exists'`,
    ...(q === undefined ? [] : [`lower(g.name) collate "C" like lower(${add(prefixPattern(q))})`]),
    ...(userId === undefined
      ? []
      : [
          `g.id in (select m.group_id from memberships m where m.user_id = ${add(userId)} and ${inForceNow('m', at)})`,
        ]),
    ...(applicationId === undefined
      ? []
      : [
          `g.id in (select a.group_id from application_groups a
             where a.application_id = ${add(applicationId)} and a.to_position is null)`,
        ]),
  ]
  return readListPage<GroupRow>(pool, page, 'g', columns(inForceNow('m', at)), 'groups g', conditions, params)
}

/** Returns the names of the applications that a group is assigned to, in order. */
export const applicationsUsingGroup = async (pool: pg.Pool, groupId: string): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ name: string }>(
    `select a.name from application_groups g join applications a on a.id = g.application_id
     where g.group_id = $1 and g.to_position is null order by a.name_key, a.id`,
    [groupId],
  )
  return rows.map(({ name }) => name)
}

/** The data of a user for rules, and whether the user is now a member by the group's rule. */
export interface RuleCandidate {
  readonly userId: Id<'user'>
  readonly name: string
  readonly subject: RuleSubject
  readonly inByRule: boolean
}

const CANDIDATES_AT_ONCE = 5000

/**
 * Yields all users for whom rules are evaluated (active and invited), ordered by id.
 * @param groupId null for a new group
 */
export const ruleCandidates = async function* (
  pool: pg.Pool,
  groupId: string | null,
): AsyncGenerator<RuleCandidate> {
  for (let after = ''; ;) {
    const { rows } = await pool.query<RuleCandidate>(
      `select u.id as "userId", u.name,
              json_strip_nulls(json_build_object('kind', 'person', 'email', u.email, 'department', u.department,
                'title', u.title, 'location', u.location, 'managerId', u.manager_id, 'employeeId', u.employee_id,
                'custom', u.custom)) as subject,
              exists (select from memberships m where m.group_id = $1 and m.user_id = u.id and m.via = 'rule'
                and m.to_position is null) as "inByRule"
       from users u where u.id > $2 and u.status in ('active', 'invited') order by u.id limit $3`,
      [groupId, after, CANDIDATES_AT_ONCE],
    )
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < CANDIDATES_AT_ONCE) return
    after = last.userId
  }
}
