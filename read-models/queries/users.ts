import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { RiskLevel } from '../../domain/risk/events.ts'
import type { Role } from '../../domain/roles.ts'
import type { Instant } from '../../domain/time.ts'
import type { UserStatus } from '../../domain/user/state.ts'
import type { OwnMethod, UserSource } from '../../domain/user/events.ts'
import { ROW_OF_PERSON, SIGNED_IN_ROW } from '../../domain/user/wrong-codes.ts'
import { userRisk } from './policy-state.ts'
import { heldAt, written, type Past, type PastRecord } from './past.ts'
import { inForceNow, parameters, prefixPattern, readListPage, type ListPage, type Sorted } from './page.ts'

export type MethodType = OwnMethod['methodType']

export interface UserRow {
  readonly id: Id<'user'>
  readonly email: string
  readonly name: string
  readonly givenName: string | null
  readonly familyName: string | null
  readonly department: string | null
  readonly title: string | null
  readonly employeeId: string | null
  readonly managerId: Id<'user'> | null
  readonly location: string | null
  readonly phone: string | null
  readonly locale: string | null
  readonly timeZone: string | null
  readonly startDate: string | null
  readonly endDate: string | null
  readonly externalId: string | null
  readonly userName: string | null
  readonly custom: Readonly<Record<string, string>>
  readonly status: UserStatus
  readonly source: UserSource
  readonly emailVerified: boolean
  readonly roleKeys: readonly Role[]
  readonly groupCount: number
  readonly methods: readonly { readonly type: MethodType }[]
  /** Null if typed codes are not blocked */
  readonly lockedUntil: Instant | null
  readonly lastSignInAt: Instant | null
  /** The highest level of the user's open risk events; null for a past state */
  readonly riskLevel: RiskLevel | 'none' | null
  readonly invitedAt: Instant | null
  readonly activatedAt: Instant | null
  readonly suspendedAt: Instant | null
  readonly suspendReason: string | null
  readonly deletedAt: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly version: number
}

/** SQL for related data of a user, for the current or a past state. */
interface Belongings {
  readonly held: string
  readonly methods: string
  readonly signedIn: string
  readonly lockedUntil: string
  readonly riskLevel: string
}

/**
 * The latest end of the user's lockouts: of all codes, or of one kind of code on unknown devices, on a known one, or
 * while signed in.
 */
const lockedUntil = `greatest(u.locked_until, (
    select max(lock.until)
    from work.code_tries t,
      lateral (select t.locked_until as until union all select l.value::timestamptz from jsonb_each_text(t.locks) l) lock
    where t.subject = any(array[u.id, u.id || '${SIGNED_IN_ROW}'] ||
      array(select u.id || '${ROW_OF_PERSON}' || d.id from devices d where d.user_id = u.id))))`

const ofNow = (now: string): Belongings => ({
  held: inForceNow('m', now),
  methods: 'methods m where m.user_id = u.id',
  signedIn: 'true',
  lockedUntil,
  riskLevel: userRisk('u.id', now),
})

const columns = (
  now: string,
  { held, methods, signedIn, lockedUntil: locked, riskLevel }: Belongings = ofNow(now),
): string => `
  u.id, u.email, u.name, u.given_name as "givenName", u.family_name as "familyName", u.department, u.title,
  u.employee_id as "employeeId", u.manager_id as "managerId", u.location, u.phone, u.locale,
  u.time_zone as "timeZone", u.start_date as "startDate", u.end_date as "endDate",
  u.external_id as "externalId", u.user_name as "userName", u.custom, u.status, u.source,
  u.email_verified as "emailVerified", u.roles as "roleKeys",
  (select count(distinct m.group_id) from memberships m
    where m.user_id = u.id and ${held}) as "groupCount",
  coalesce((select json_agg(json_build_object('type', m.type) order by m.created_at, m.id)
    from ${methods}), '[]') as methods,
  (select l.until from (select ${locked} as until) l where l.until > ${now}) as "lockedUntil",
  (select max(s.created_at) from sign_ins s where s.user_id = u.id and s.result = 'success'
    and ${signedIn}) as "lastSignInAt", ${riskLevel} as "riskLevel",
  u.invited_at as "invitedAt", u.activated_at as "activatedAt", u.suspended_at as "suspendedAt",
  u.suspend_reason as "suspendReason", u.deleted_at as "deletedAt", u.created_at as "createdAt",
  u.updated_at as "updatedAt", u.version`

/** Returns a user, even if deleted or erased. */
export const findUser = async (pool: pg.Pool, id: string, now: Instant): Promise<UserRow | null> => {
  const { rows } = await pool.query<UserRow>(`select ${columns('$2')} from users u where u.id = $1`, [
    id,
    now,
  ])
  return rows[0] ?? null
}

/** The same at a time past. @param record of the streams of one or more users, who are returned in order of ids */
export const readUsersThen = async (
  client: pg.ClientBase,
  past: Past,
  { users, methods }: PastRecord,
): Promise<readonly UserRow[]> => {
  const params = parameters()
  const { at, cut } = written(params, past)
  const belongings = {
    held: heldAt('m', cut, at),
    methods: `jsonb_populate_recordset(null::methods, ${params.add(JSON.stringify(methods ?? []))}) m where m.user_id = u.id`,
    signedIn: `s.created_at <= ${at}`,
    // The log records only lockouts of all codes.
    lockedUntil: 'u.locked_until',
    riskLevel: 'null::text',
  }
  const { rows } = await client.query<UserRow>(
    `select ${columns(at, belongings)}
     from jsonb_populate_recordset(null::users, ${params.add(JSON.stringify(users ?? []))}) u order by u.id`,
    params.values,
  )
  return rows
}

export interface UserFilters {
  /** Default: all except deleted users */
  readonly status?: UserStatus | undefined
  readonly groupId?: string | undefined
  readonly role?: Role | undefined
  readonly email?: string | undefined
  readonly department?: string | undefined
  readonly managerId?: string | undefined
  readonly riskLevel?: RiskLevel | 'none' | undefined
  /** Prefix of the name or address, not case-sensitive */
  readonly q?: string | undefined
}

/** The few users with an open risk come first: the level of every user would take long. */
const atRisk = (level: string, now: string, isNone: boolean): string =>
  isNone
    ? `${userRisk('u.id', now)} = ${level}`
    : `u.id in (select r.user_id from risk_events r where r.state in ('at_risk', 'confirmed_compromised'))
        and ${userRisk('u.id', now)} = ${level}`

export const listUsers = (
  pool: pg.Pool,
  filters: UserFilters,
  page: ListPage,
  now: Instant,
): Promise<readonly (UserRow & Sorted)[]> => {
  const params = parameters()
  const { add } = params
  const at = add(now)
  const { status, groupId, role, email, department, managerId, riskLevel, q } = filters
  const pattern = q === undefined ? '' : `lower(${add(prefixPattern(q))})`
  const conditions = [
    status === undefined ? `u.status <> 'deleted'` : `u.status = ${add(status)}`,
    ...(groupId === undefined
      ? []
      : [
          `u.id in (select m.user_id from memberships m where m.group_id = ${add(groupId)} and ${inForceNow('m', at)})`,
        ]),
    ...(role === undefined ? [] : [`u.roles @> array[${add(role)}]::text[]`]),
    ...(email === undefined ? [] : [`u.email_key = ${add(email.toLowerCase())}`]),
    ...(department === undefined ? [] : [`u.department = ${add(department)}`]),
    ...(managerId === undefined ? [] : [`u.manager_id = ${add(managerId)}`]),
    ...(riskLevel === undefined ? [] : [atRisk(add(riskLevel), at, riskLevel === 'none')]),
    ...(q === undefined
      ? []
      : [`(lower(u.name) collate "C" like ${pattern} or lower(u.email) collate "C" like ${pattern})`]),
  ]
  return readListPage<UserRow>(pool, page, 'u', columns(at), 'users u', conditions, params)
}

export interface MethodRow {
  readonly id: Id<'method'>
  readonly type: MethodType
  readonly name: string | null
  /** Null for an authenticator app */
  readonly backedUp: boolean | null
  readonly createdAt: Instant
  readonly lastUsedAt: Instant | null
}

/** Returns a user's sign-in methods, oldest first. */
export const methodsOf = async (pool: pg.Pool, userId: string): Promise<readonly MethodRow[]> => {
  const { rows } = await pool.query<MethodRow>(
    `select m.id, m.type, m.name, m.backed_up as "backedUp", m.created_at as "createdAt",
            w.last_used_at as "lastUsedAt"
     from methods m left join work.method_use w on w.method_id = m.id
     where m.user_id = $1 order by m.created_at, m.id`,
    [userId],
  )
  return rows
}
