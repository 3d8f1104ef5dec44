import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { SignInAttempt } from '../../domain/sign-in/events.ts'
import type { Instant } from '../../domain/time.ts'
import {
  parameters,
  readListPage,
  resumeAfter,
  type ChronologicalPage,
  type ListPage,
  type Parameters,
  type Sorted,
} from './page.ts'

export interface SignInRow extends Pick<
  SignInAttempt,
  | 'email'
  | 'result'
  | 'method'
  | 'ip'
  | 'location'
  | 'device'
  | 'risk'
  | 'reason'
  | 'amr'
  | 'userAgent'
  | 'decision'
> {
  readonly id: Id<'signInEvent'>
  readonly time: Instant
  readonly userId: Id<'user'> | null
  readonly appId: Id<'application'> | null
  readonly deviceId: Id<'device'> | null
  readonly sessionId: Id<'session'> | null
  readonly identityProviderId: Id<'identityProvider'> | null
  readonly correlationId: string
  /** Access policies that matched */
  readonly policyIds: readonly Id<'policy'>[]
  /** Risk events of the attempt */
  readonly riskEventIds: readonly Id<'riskEvent'>[]
}

const columns = `
  s.id, s.created_at as time, s.user_id as "userId", s.email, s.app_id as "appId", s.result, s.method,
  s.identity_provider_id as "identityProviderId", s.ip,
  s.location, s.device, s.risk, s.reason, s.device_id as "deviceId", s.session_id as "sessionId", s.amr,
  s.user_agent as "userAgent", s.correlation_id as "correlationId", s.decision,
  array(select m ->> 'policyId' from jsonb_array_elements(s.decision -> 'matched') m) as "policyIds",
  array(select r.id from risk_events r where r.sign_in_id = s.id order by r.id) as "riskEventIds"`

export const findSignIn = async (pool: pg.Pool, id: string): Promise<SignInRow | null> => {
  const { rows } = await pool.query<SignInRow>(`select ${columns} from sign_ins s where s.id = $1`, [id])
  return rows[0] ?? null
}

export interface SignInFilters {
  readonly userId?: string | undefined
  readonly appId?: string | undefined
  readonly result?: SignInAttempt['result'] | undefined
  readonly method?: NonNullable<SignInAttempt['method']> | undefined
  readonly ip?: string | undefined
  /** Inclusive */
  readonly from?: Instant | undefined
  /** Exclusive */
  readonly to?: Instant | undefined
}

const conditionsOf = (
  { userId, appId, result, method, ip, from, to }: SignInFilters,
  add: Parameters['add'],
): readonly string[] => [
  ...Object.entries({ user_id: userId, app_id: appId, result, method, ip }).flatMap(([column, value]) =>
    value === undefined ? [] : [`s.${column} = ${add(value)}`],
  ),
  ...(from === undefined ? [] : [`s.created_at >= ${add(from)}::timestamptz`]),
  ...(to === undefined ? [] : [`s.created_at < ${add(to)}::timestamptz`]),
]

/** Returns attempts, newest first. */
export const listSignIns = (
  pool: pg.Pool,
  filters: SignInFilters,
  page: Omit<ListPage, 'sort'>,
): Promise<readonly (SignInRow & Sorted)[]> => {
  const params = parameters()
  return readListPage<SignInRow>(
    pool,
    { ...page, sort: '-createdAt' },
    's',
    columns,
    'sign_ins s',
    conditionsOf(filters, params.add),
    params,
  )
}

/** Returns attempts in log order: an attempt that was recorded late comes late, whatever its time. */
export const signInsInOrder = async (
  pool: pg.Pool | pg.ClientBase,
  filters: SignInFilters,
  { limit, order, after, upTo }: ChronologicalPage,
): Promise<readonly (SignInRow & { readonly position: string })[]> => {
  const { add, values } = parameters()
  const conditions = [
    's.position is not null',
    ...conditionsOf(filters, add),
    ...(after === undefined ? [] : [`s.position ${order === 'newest' ? '<' : '>'} ${add(after)}`]),
    ...(upTo === undefined ? [] : [`s.position <= ${add(upTo)}`]),
  ]
  const { rows } = await pool.query<SignInRow & { position: string }>(
    `select ${columns}, s.position from sign_ins s where ${conditions.join(' and ')}
     order by s.position ${order === 'newest' ? 'desc' : 'asc'} limit ${add(limit)}`,
    values,
  )
  return rows
}

/** Returns where to continue after an attempt. */
export const resumeSignIns = resumeAfter('sign_ins', 'created_at')

/**
 * Deletes older attempts, with the addresses entered in them.
 * @returns the number of deleted attempts, at most `limit`
 */
export const forgetSignIns = async (pool: pg.Pool, before: Instant, limit: number): Promise<number> => {
  const { rowCount } = await pool.query(
    `delete from sign_ins where id in (select id from sign_ins where created_at < $1 order by created_at limit $2)`,
    [before, limit],
  )
  return rowCount ?? 0
}
