import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { RiskEventState } from '../../domain/risk/decider.ts'
import type { RiskLevel, RiskType } from '../../domain/risk/events.ts'
import type { Role } from '../../domain/roles.ts'
import type { Instant } from '../../domain/time.ts'
import { parameters, readListPage, type ListPage, type Sorted } from './page.ts'

export interface RiskEventRow {
  readonly id: Id<'riskEvent'>
  /** Null if all users are at risk */
  readonly userId: Id<'user'> | null
  /** Empty if it is unreadable */
  readonly userName: string
  readonly type: RiskType
  readonly level: RiskLevel
  readonly state: RiskEventState
  readonly signInEventId: Id<'signInEvent'> | null
  readonly sessionId: Id<'session'> | null
  readonly ip: string | null
  readonly location: string | null
  /** Empty for an erased user */
  readonly detail: Readonly<Record<string, string | number>>
  readonly detectedAt: Instant
  readonly resolvedAt: Instant | null
  readonly resolvedBy: string | null
  /** The sign-in with a passkey that ended the risk */
  readonly resolvedBySignInEventId: Id<'signInEvent'> | null
  readonly resolvedNote: string | null
  readonly version: number
}

const columns = `
  r.id, r.user_id as "userId", coalesce((select u.name from users u where u.id = r.user_id), '') as "userName",
  r.type, r.level, r.state, r.sign_in_id as "signInEventId", r.session_id as "sessionId", r.ip, r.location, r.detail,
  r.created_at as "detectedAt", r.resolved_at as "resolvedAt", r.resolved_by as "resolvedBy",
  r.resolved_by_sign_in_id as "resolvedBySignInEventId", r.note as "resolvedNote", r.version`

export const findRiskEvent = async (pool: pg.Pool, id: string): Promise<RiskEventRow | null> => {
  const { rows } = await pool.query<RiskEventRow>(`select ${columns} from risk_events r where r.id = $1`, [
    id,
  ])
  return rows[0] ?? null
}

export interface RiskEventFilters {
  readonly userId?: string | undefined
  readonly type?: RiskType | undefined
  readonly level?: RiskLevel | undefined
  readonly state?: RiskEventState | undefined
  /** Inclusive */
  readonly from?: Instant | undefined
  /** Exclusive */
  readonly to?: Instant | undefined
}

/** Returns risk events, newest first. */
export const listRiskEvents = (
  pool: pg.Pool,
  { userId, type, level, state, from, to }: RiskEventFilters,
  page: Omit<ListPage, 'sort'>,
): Promise<readonly (RiskEventRow & Sorted)[]> => {
  const params = parameters()
  const { add } = params
  const conditions = [
    ...Object.entries({ user_id: userId, type, level, state }).flatMap(([column, value]) =>
      value === undefined ? [] : [`r.${column} = ${add(value)}`],
    ),
    ...(from === undefined ? [] : [`r.created_at >= ${add(from)}::timestamptz`]),
    ...(to === undefined ? [] : [`r.created_at < ${add(to)}::timestamptz`]),
  ]
  return readListPage<RiskEventRow>(
    pool,
    { ...page, sort: '-createdAt' },
    'r',
    columns,
    'risk_events r',
    conditions,
    params,
  )
}

/** Returns the open risk events of users. */
export const openRisksOf = async (
  pool: pg.Pool,
  userIds: readonly string[],
): Promise<readonly { readonly id: string; readonly userId: string }[]> => {
  if (userIds.length === 0) return []
  const { rows } = await pool.query<{ id: string; userId: string }>(
    `select id, user_id as "userId" from risk_events where user_id = any ($1) and state = 'at_risk'`,
    [userIds],
  )
  return rows
}

/** The roles and status of a user, for a decision about their account. */
export interface AccountStanding {
  readonly roles: readonly Role[]
  readonly isActive: boolean
}

export const accountStanding = async (pool: pg.Pool, userId: string): Promise<AccountStanding | null> => {
  const { rows } = await pool.query<AccountStanding>(
    `select roles, status = 'active' as "isActive" from users where id = $1 and status <> 'deleted'`,
    [userId],
  )
  return rows[0] ?? null
}

/** A sign-in that its user reports. */
export interface ReportedSignIn {
  readonly sessionId: string | null
  readonly ip: string | null
  readonly location: string | null
}

/** Returns a user's own sign-in attempt; null for one of somebody else. */
export const ownSignIn = async (
  pool: pg.Pool,
  userId: string,
  signInId: string,
): Promise<ReportedSignIn | null> => {
  const { rows } = await pool.query<ReportedSignIn>(
    `select session_id as "sessionId", ip, location from sign_ins where id = $1 and user_id = $2`,
    [signInId, userId],
  )
  return rows[0] ?? null
}
