/** The users whom lifecycle rules concern. */
import type pg from 'pg'
import type { RuleSubject } from '../../domain/group/rule.ts'
import type { LifecycleTrigger, ProfileDateTriggerType } from '../../domain/lifecycle-rule/events.ts'
import type { Id } from '../../domain/ids.ts'
import type { Role } from '../../domain/roles.ts'
import type { Instant } from '../../domain/time.ts'
import type { UserStatus } from '../../domain/user/state.ts'
import { inForceNow, parameters } from './page.ts'

export interface LifecyclePerson {
  readonly id: Id<'user'>
  readonly name: string
  readonly status: UserStatus
  readonly roles: readonly Role[]
  readonly timeZone: string | null
  readonly startDate: string | null
  readonly endDate: string | null
  readonly subject: RuleSubject
}

interface Row extends Omit<LifecyclePerson, 'subject'> {
  readonly email: string
  readonly department: string | null
  readonly title: string | null
  readonly location: string | null
  readonly managerId: string | null
  readonly employeeId: string | null
  readonly custom: Readonly<Record<string, string>>
}

const columns = `u.id, u.name, u.status, u.roles, u.time_zone as "timeZone", u.start_date as "startDate",
  u.end_date as "endDate", u.email, u.department, u.title, u.location, u.manager_id as "managerId",
  u.employee_id as "employeeId", u.custom`

const person = <R extends Row>({
  email,
  department,
  title,
  location,
  managerId,
  employeeId,
  custom,
  ...row
}: R) => ({
  ...row,
  subject: {
    kind: 'person' as const,
    email,
    ...(department === null ? {} : { department }),
    ...(title === null ? {} : { title }),
    ...(location === null ? {} : { location }),
    ...(managerId === null ? {} : { managerId }),
    ...(employeeId === null ? {} : { employeeId }),
    custom,
  },
})

/** Returns null for unknown and deleted users. */
export const lifecyclePerson = async (pool: pg.Pool, id: string): Promise<LifecyclePerson | null> => {
  const { rows } = await pool.query<Row>(
    `select ${columns} from users u where u.id = $1 and u.status <> 'deleted'`,
    [id],
  )
  return rows[0] === undefined ? null : person(rows[0])
}

/** The column with the date of a trigger. */
export const dateColumn = (type: ProfileDateTriggerType): 'start_date' | 'end_date' =>
  type === 'days_before_start' || type === 'days_after_start' ? 'start_date' : 'end_date'

/**
 * Returns the users whose date is in a range, unless a run of the rule exists for it, by date.
 * @param keyPrefix of the keys of runs; the date follows
 * @param after date and id of the last row of the previous page
 */
export const peopleByDate = async (
  pool: pg.Pool,
  ruleId: string,
  column: 'start_date' | 'end_date',
  keyPrefix: string,
  [first, last]: readonly [string, string],
  limit: number,
  after: readonly [string, string] = ['', ''],
): Promise<readonly (LifecyclePerson & { readonly date: string })[]> => {
  const { rows } = await pool.query<Row & { date: string }>(
    `select ${columns}, u.${column} as date from users u
     where u.${column} between $3 and $4 and u.status <> 'deleted' and (u.${column}, u.id) > ($5, $6)
       and not exists (select from lifecycle_runs r where r.rule_id = $1 and r.user_id = u.id
         and r.trigger_key = $2 || u.${column})
     order by u.${column}, u.id limit $7`,
    [ruleId, keyPrefix, first, last, ...after, limit],
  )
  return rows.map(person)
}

/**
 * Returns the active users who last signed in, used a session or were activated in a range, unless a run of the rule
 * exists for that, by that time.
 */
export const inactivePeople = async (
  pool: pg.Pool,
  ruleId: string,
  keyPrefix: string,
  [first, last]: readonly [Instant, Instant],
  limit: number,
): Promise<readonly (LifecyclePerson & { readonly at: Instant; readonly key: string })[]> => {
  const { rows } = await pool.query<Row & { at: Instant; key: string }>(
    `select * from (
       select ${columns}, a.at, $2 || to_char(a.at, 'YYYY-MM-DD"T"HH24:MI:SS') as key from users u,
         lateral (select greatest(u.activated_at, (select max(s.created_at) from sign_ins s
             where s.user_id = u.id and s.result = 'success'),
           (select max(w.last_seen_at) from sessions s join work.session_use w on w.session_id = s.id
             where s.user_id = u.id)) as at) a
       where u.status = 'active' and u.activated_at <= $4::timestamptz) x
     where x.at > $3::timestamptz and x.at <= $4::timestamptz
       and not exists (select from lifecycle_runs r where r.rule_id = $1 and r.user_id = x.id
         and r.trigger_key = x.key)
     order by x.at, x.id limit $5`,
    [ruleId, keyPrefix, first, last, limit],
  )
  return rows.map(person)
}

/** Returns the users with an assignment that expires in a range, unless a run of the rule exists for it, by expiry. */
export const peopleWithExpiring = async (
  pool: pg.Pool,
  ruleId: string,
  packageId: string | null,
  keyPrefix: string,
  [first, last]: readonly [Instant, Instant],
  limit: number,
): Promise<readonly (LifecyclePerson & { readonly at: Instant; readonly key: string })[]> => {
  const { rows } = await pool.query<Row & { at: Instant; key: string }>(
    `select * from (
       select ${columns}, p.expires_at as at,
         $2 || p.id || '|' || to_char(p.expires_at, 'YYYY-MM-DD"T"HH24:MI:SS') as key
       from package_assignments p join users u on u.id = p.user_id and u.status <> 'deleted'
       where p.to_position is null and p.status = 'active' and p.expires_at > $3::timestamptz
         and p.expires_at <= $4::timestamptz and ($5::text is null or p.package_id = $5)) x
     where not exists (select from lifecycle_runs r where r.rule_id = $1 and r.user_id = x.id
       and r.trigger_key = x.key)
     order by x.at, x.id limit $6`,
    [ruleId, keyPrefix, first, last, packageId, limit],
  )
  return rows.map(person)
}

/** Returns users who match what an event trigger says about now, by id. */
export const peopleMatching = async (
  pool: pg.Pool,
  trigger: LifecycleTrigger,
  now: Instant,
  limit: number,
  after = '',
): Promise<readonly LifecyclePerson[]> => {
  const { add, values } = parameters()
  const at = `${add(now)}::timestamptz`
  const status =
    trigger.type === 'user_activated'
      ? `u.status = 'active'`
      : trigger.type === 'user_suspended'
        ? `u.status = 'suspended'`
        : `u.status <> 'deleted'`
  const isMember = (groupId: string): string =>
    `exists (select from memberships m where m.user_id = u.id and m.group_id = ${add(groupId)} and ${inForceNow('m', at)})`
  const { groupId } = trigger
  const conditions = [
    status,
    `${at} is not null`,
    `u.id > ${add(after)}`,
    ...(trigger.type === 'group_joined' && groupId !== undefined ? [isMember(groupId)] : []),
    ...(trigger.type === 'group_left' && groupId !== undefined ? [`not ${isMember(groupId)}`] : []),
  ]
  const { rows } = await pool.query<Row>(
    `select ${columns} from users u where ${conditions.join(' and ')} order by u.id limit ${add(limit)}`,
    values,
  )
  return rows.map(person)
}

/** Groups that a user was added to by hand, from a directory or by a rule of this service. */
export const removableGroupsOf = async (pool: pg.Pool, userId: string): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    `select distinct group_id as id from memberships where user_id = $1 and to_position is null
       and via not in ('rule', 'package') order by group_id`,
    [userId],
  )
  return rows.map(({ id }) => id)
}

/** The assignments of access packages to a user that have not ended, also those that start later. */
export const openAssignmentsOf = async (
  pool: pg.Pool,
  userId: string,
  now: Instant,
): Promise<readonly { readonly id: string; readonly packageId: string }[]> => {
  const { rows } = await pool.query<{ id: string; packageId: string }>(
    `select m.id, m.package_id as "packageId" from package_assignments m
     where m.user_id = $1 and ${inForceNow('m', '$2::timestamptz')} order by m.from_position`,
    [userId, now],
  )
  return rows
}
