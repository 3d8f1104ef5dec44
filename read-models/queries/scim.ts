/** Users and groups for directories: all that are not deleted, ordered by id. */
import type pg from 'pg'
import type { Group } from '../../domain/scim/group-resource.ts'
import type { GroupFilter, UserFilter } from '../../domain/scim/filter.ts'
import type { Paging } from '../../domain/scim/paging.ts'
import type { Link, Person } from '../../domain/scim/user-resource.ts'
import type { MembershipVia } from '../../domain/membership/events.ts'
import type { Instant } from '../../domain/time.ts'
import { inForceNow } from './page.ts'

/** A named statement is planned once. Tests check its query plan. */
export interface Statement {
  readonly name?: string
  readonly text: string
  readonly values: readonly unknown[]
}

const run = async <Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  { name, text, values }: Statement,
): Promise<readonly Row[]> =>
  (await pool.query<Row>({ ...(name === undefined ? {} : { name }), text, values: [...values] })).rows

export interface StoredPerson extends Person {
  readonly version: number
}

const personColumns = `
  u.id, u.email, u.name, u.given_name as "givenName", u.family_name as "familyName", u.department, u.title,
  u.employee_id as "employeeId", u.manager_id as "managerId", m.name as "managerName", u.phone,
  u.phone_primary as "phonePrimary", u.locale,
  u.time_zone as "timeZone", u.external_id as "externalId", u.user_name as "userName", u.status,
  u.created_at as "createdAt", u.updated_at as "updatedAt", u.version`

const withManager = `left join users m on m.id = u.manager_id and m.status <> 'deleted'`

const selectPeople = (conditions: string): string =>
  `select ${personColumns} from users u ${withManager} where u.status <> 'deleted' and ${conditions} order by u.id`

/** @returns in the order of the ids; null for users that do not exist */
export const findPeople = async (
  lookups: pg.Pool,
  ids: readonly string[],
): Promise<readonly (StoredPerson | null)[]> => {
  const people = await run<StoredPerson>(lookups, {
    name: 'scim people',
    text: selectPeople('u.id = any($1)'),
    values: [ids],
  })
  const byId = new Map(people.map((person) => [person.id, person]))
  return ids.map((id) => byId.get(id) ?? null)
}

/** A user without a user name is found by the address, unless the address is another user's user name. */
const byUserName = `u.id in (
  select id from users where user_name_key = $1
  union all select id from users where email_key = $1 and user_name_key is null
    and not exists (select from users other where other.user_name_key = $1))`

export const peopleBy = ({ by, value }: UserFilter): Statement => {
  const name = `scim people by ${by}`
  switch (by) {
    case 'userName':
      return { name, text: selectPeople(byUserName), values: [value.toLowerCase()] }
    case 'email':
      return { name, text: selectPeople('u.email_key = $1'), values: [value.toLowerCase()] }
    case 'externalId':
      return { name, text: selectPeople('u.external_id = $1'), values: [value] }
  }
}

/**
 * Returns the ids of a page, scanning from the nearer end: at most half of the index, and only the index. The exact
 * total comes from the same snapshot, so both directions return the same page.
 * @param total approximate total
 */
const pageOf = (
  of: 'users' | 'groups',
  present: string,
  { startIndex }: Paging,
  total: number,
): { readonly way: string; readonly ids: string } => {
  const before = startIndex - 1
  if (before <= total / 2)
    return { way: 'on', ids: `select id from ${of} where ${present} order by id offset $1 limit $2` }
  const size = `(select total from directory_size where of = '${of}')`
  return {
    way: 'back',
    ids: `select id from ${of} where ${present} order by id desc
          offset greatest(${size} - $1::bigint - $2::bigint, 0) limit greatest(least($2::bigint, ${size} - $1::bigint), 0)`,
  }
}

export const peoplePage = (paging: Paging, total: number): Statement => {
  const { way, ids } = pageOf('users', `status <> 'deleted'`, paging, total)
  return {
    name: `scim people page ${way}`,
    text: `select ${personColumns}
           from users u ${withManager}
           where u.id = any(array(${ids}))
           order by u.id`,
    values: [paging.startIndex - 1, paging.count],
  }
}

const sizeOf = (of: 'users' | 'groups'): Statement => ({
  name: 'scim size',
  text: 'select total as n from directory_size where of = $1',
  values: [of],
})

export const peopleCount: Statement = sizeOf('users')

const groupColumns = `g.id, g.name, g.external_id as "externalId", g.created_at as "createdAt",
  g.updated_at as "updatedAt", g.version, g.source, g.rule is not null as "hasRule"`

export interface StoredGroup extends Group {
  readonly version: number
  /** Whether its members come from a rule, which a directory cannot change */
  readonly ruled: boolean
}

interface GroupRow extends Group {
  readonly version: number
  readonly source: string
  readonly hasRule: boolean
}

const storedGroup = ({ source, hasRule, ...group }: GroupRow): StoredGroup => ({
  ...group,
  ruled: hasRule && source !== 'scim',
})

const selectGroups = (conditions: string): string =>
  `select ${groupColumns} from groups g where g.status = 'exists' and ${conditions} order by g.id`

export const groupsBy = (filter: GroupFilter, now: Instant): Statement => {
  const name = `scim groups by ${filter.by}`
  switch (filter.by) {
    case 'displayName':
      return { name, text: selectGroups('g.name_key = $1'), values: [filter.value.toLowerCase()] }
    case 'externalId':
      return { name, text: selectGroups('g.external_id = $1'), values: [filter.value] }
    case 'membership':
      return {
        name,
        text: selectGroups(`g.id = $1 and exists (select from memberships m
          where m.group_id = $1 and m.user_id = $2 and ${inForceNow('m', '$3')})`),
        values: [filter.groupId, filter.userId, now],
      }
  }
}

export const groupsPage = (paging: Paging, total: number): Statement => {
  const { way, ids } = pageOf('groups', `status = 'exists'`, paging, total)
  return {
    name: `scim groups page ${way}`,
    text: `select ${groupColumns}
           from groups g
           where g.id = any(array(${ids}))
           order by g.id`,
    values: [paging.startIndex - 1, paging.count],
  }
}

export const groupsCount: Statement = sizeOf('groups')

export const readPeople = (pool: pg.Pool, statement: Statement): Promise<readonly StoredPerson[]> =>
  run<StoredPerson>(pool, statement)

export const readGroups = async (pool: pg.Pool, statement: Statement): Promise<readonly StoredGroup[]> =>
  (await run<GroupRow>(pool, statement)).map(storedGroup)

export const findDirectoryGroup = async (pool: pg.Pool, id: string): Promise<StoredGroup | null> =>
  (await readGroups(pool, { name: 'scim group', text: selectGroups('g.id = $1'), values: [id] }))[0] ?? null

export const readCount = async (pool: pg.Pool, statement: Statement): Promise<number> =>
  (await run<{ n: number }>(pool, statement))[0]?.n ?? 0

const grouped = (rows: readonly (Link & { readonly of: string })[]): ReadonlyMap<string, readonly Link[]> => {
  const byOwner = new Map<string, Link[]>()
  for (const { of, id, name } of rows) {
    const links = byOwner.get(of)
    if (links === undefined) byOwner.set(of, [{ id, name }])
    else links.push({ id, name })
  }
  return byOwner
}

/** Returns the groups of users, by user. */
export const groupsOf = async (
  lookups: pg.Pool,
  userIds: readonly string[],
  now: Instant,
): Promise<ReadonlyMap<string, readonly Link[]>> =>
  grouped(
    await run(lookups, {
      name: 'scim groups of people',
      text: `select distinct m.user_id as "of", g.id, g.name from memberships m join groups g on g.id = m.group_id
             where m.user_id = any($1) and ${inForceNow('m', '$2')} and g.status = 'exists' order by 1, 2`,
      values: [userIds, now],
    }),
  )

/** Returns the users in groups, by group. */
export const membersOf = async (
  pool: pg.Pool,
  groupIds: readonly string[],
  now: Instant,
): Promise<ReadonlyMap<string, readonly Link[]>> =>
  grouped(
    await run(pool, {
      text: `select distinct m.group_id as "of", u.id, u.name from memberships m join users u on u.id = m.user_id
             where m.group_id = any($1) and ${inForceNow('m', '$2')} and u.status <> 'deleted' order by 1, 2`,
      values: [groupIds, now],
    }),
  )

/**
 * Returns the current members of a group, and whether they are members through SCIM.
 * @param among only these users; null for all
 */
export const memberSources = async (
  pool: pg.Pool,
  groupId: string,
  among: readonly string[] | null,
  now: Instant,
): Promise<{ readonly all: ReadonlySet<string>; readonly byScim: ReadonlySet<string> }> => {
  const rows = await run<{ id: string; via: string }>(pool, {
    text: `select m.user_id as id, m.via from memberships m
           where m.group_id = $1 and ${inForceNow('m', '$2')} ${among === null ? '' : 'and m.user_id = any($3)'}`,
    values: among === null ? [groupId, now] : [groupId, now, among],
  })
  return {
    all: new Set(rows.map(({ id }) => id)),
    byScim: new Set(rows.filter(({ via }) => via === 'scim').map(({ id }) => id)),
  }
}

/** Whether a group has more members than the limit. */
export const hasMoreMembers = async (
  pool: pg.Pool,
  groupId: string,
  than: number,
  now: Instant,
): Promise<boolean> => {
  const rows = await run(pool, {
    text: `select from (select distinct m.user_id from memberships m
           where m.group_id = $1 and ${inForceNow('m', '$2')}) members offset $3 limit 1`,
    values: [groupId, now, than],
  })
  return rows.length > 0
}

/** One source of a membership, current or ended. */
interface Source {
  readonly userId: string
  readonly via: MembershipVia
  readonly sourceId: string | null
  readonly expiresAt: Instant | null
  /** Null while it is active */
  readonly endReason: string | null
}

/** Returns all memberships that some users ever had in a group. */
export const sourcesEver = (
  pool: pg.Pool,
  groupId: string,
  userIds: readonly string[],
): Promise<readonly Source[]> =>
  run<Source>(pool, {
    text: `select m.user_id as "userId", m.via, m.source_id as "sourceId", m.expires_at as "expiresAt",
                  case when m.to_position is not null then coalesce(m.end_reason, '') end as "endReason"
           from memberships m where m.group_id = $1 and m.user_id = any($2)`,
    values: [groupId, userIds],
  })
