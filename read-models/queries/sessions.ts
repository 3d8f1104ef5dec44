import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { Role } from '../../domain/roles.ts'
import type { SignInMethod, Strength } from '../../domain/session/events.ts'
import type { Instant } from '../../domain/time.ts'
import { parameters, readListPage, type ListPage, type Sorted } from './page.ts'
import { lastSeen, overAt, type SessionMoment } from './session-force.ts'

export type SessionStatus = 'active' | 'expired' | 'ended' | 'revoked'

export interface SessionRow {
  readonly id: Id<'session'>
  readonly userId: Id<'user'>
  /** Empty if it is unreadable */
  readonly userName: string
  readonly status: SessionStatus
  readonly createdAt: Instant
  readonly lastSeenAt: Instant
  readonly expiresAt: Instant
  readonly endedAt: Instant | null
  readonly endReason: string | null
  readonly methods: readonly SignInMethod[]
  readonly amr: readonly string[]
  readonly authTime: Instant
  readonly strength: Strength
  readonly ip: string | null
  readonly userAgent: string | null
  readonly location: string | null
  readonly deviceId: Id<'device'> | null
  readonly applications: readonly {
    readonly appId: Id<'application'>
    readonly firstAt: Instant
    readonly lastAt: Instant
  }[]
}

/** Reasons that mean that a user or a rule ended the session. */
const REVOKED = `('admin_revoked', 'user_revoked', 'user_suspended', 'user_deleted', 'method_reset', 'policy')`

/** Placeholders of a time. */
interface At {
  readonly now: string
  readonly development: string
}

const over = ({ development }: At): string =>
  overAt('s', '(select u.roles from users u where u.id = s.user_id)', development)

const statusIs: Readonly<Record<SessionStatus, (at: At) => string>> = {
  active: (at) => `s.ended_at is null and ${over(at)} > ${at.now}`,
  expired: (at) => `s.ended_at is null and ${over(at)} <= ${at.now}`,
  revoked: () => `s.ended_at is not null and s.end_reason in ${REVOKED}`,
  ended: () => `s.ended_at is not null and s.end_reason not in ${REVOKED}`,
}

const stamp = (column: string): string => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

const columns = (at: At): string => `
  s.id, s.user_id as "userId", coalesce((select u.name from users u where u.id = s.user_id), '') as "userName",
  case ${Object.entries(statusIs)
    .map(([status, is]) => `when ${is(at)} then '${status}'`)
    .join(' ')} end as status,
  s.created_at as "createdAt",
  ${lastSeen('s')} as "lastSeenAt",
  s.expires_at as "expiresAt",
  case when ${statusIs.expired(at)} then ${over(at)} else s.ended_at end as "endedAt",
  case when ${statusIs.expired(at)} then 'expired' else s.end_reason end as "endReason",
  s.methods, s.amr, s.auth_time as "authTime", s.strength, s.ip, s.user_agent as "userAgent", s.location,
  s.device_id as "deviceId",
  coalesce((select json_agg(json_build_object('appId', a.application_id, 'firstAt', ${stamp('a.first_at')},
      'lastAt', ${stamp('a.last_at')}) order by a.last_at desc)
    from session_applications a where a.session_id = s.id), '[]') as applications`

export const findSession = async (
  pool: pg.Pool,
  id: string,
  { now, development }: SessionMoment,
): Promise<SessionRow | null> => {
  const { rows } = await pool.query<SessionRow>(
    `select ${columns({ now: '$2::timestamptz', development: '$3' })} from sessions s where s.id = $1`,
    [id, now, development],
  )
  return rows[0] ?? null
}

/** Returns sessions, newest first. */
export const listSessions = (
  pool: pg.Pool,
  { userId, status }: { readonly userId?: string | undefined; readonly status?: SessionStatus | undefined },
  page: Omit<ListPage, 'sort'>,
  { now, development }: SessionMoment,
): Promise<readonly (SessionRow & Sorted)[]> => {
  const params = parameters()
  const { add } = params
  const at = { now: `${add(now)}::timestamptz`, development: add(development) }
  const conditions = [
    ...(userId === undefined ? [] : [`s.user_id = ${add(userId)}`]),
    ...(status === undefined ? [] : [statusIs[status](at)]),
  ]
  return readListPage<SessionRow>(
    pool,
    { ...page, sort: '-createdAt' },
    's',
    columns(at),
    'sessions s',
    conditions,
    params,
  )
}

/** Returns the roles of a session's user; null if the session does not exist. */
export const rolesBehindSession = async (pool: pg.Pool, id: string): Promise<readonly Role[] | null> => {
  const { rows } = await pool.query<{ roles: readonly Role[] }>(
    'select u.roles from sessions s join users u on u.id = s.user_id where s.id = $1',
    [id],
  )
  return rows[0]?.roles ?? null
}
