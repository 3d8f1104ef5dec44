import type pg from 'pg'
import type { MembershipVia } from '../../domain/membership/events.ts'
import type { Instant } from '../../domain/time.ts'
import type { UserStatus } from '../../domain/user/state.ts'
import type { LinkKind, OwnMethod } from '../../domain/user/events.ts'
import type { SignInMethod, Strength } from '../../domain/session/events.ts'
import { isCompromised } from './policy-state.ts'
import { lastSeen, overAt, type SessionMoment } from './session-force.ts'

/** A registered passkey with its user, for verification. */
export interface CredentialRow {
  readonly methodId: string
  readonly methodType: 'passkey' | 'security_key'
  readonly publicKey: string
  /** The last stored counter */
  readonly signCount: number
  readonly userId: string
  readonly status: UserStatus
  readonly name: string
  readonly email: string
}

export const findCredential = async (pool: pg.Pool, credentialId: string): Promise<CredentialRow | null> => {
  const { rows } = await pool.query<CredentialRow>(
    `select m.id as "methodId", m.type as "methodType", m.public_key as "publicKey",
            greatest(m.initial_sign_count, w.sign_count) as "signCount",
            u.id as "userId", u.status, u.name, u.email
     from methods m join users u on u.id = m.user_id left join work.method_use w on w.method_id = m.id
     where m.credential_id = $1`,
    [credentialId],
  )
  return rows[0] ?? null
}

export interface MethodRow {
  readonly id: string
  readonly type: OwnMethod['methodType']
  readonly name: string
  /** Null for an authenticator app, as is the next field */
  readonly credentialId: string | null
  readonly backedUp: boolean | null
  readonly createdAt: Instant
  readonly lastUsedAt: Instant | null
}

/** Returns a user's sign-in methods, oldest first. */
export const methodsOf = async (pool: pg.Pool, userId: string): Promise<readonly MethodRow[]> => {
  const { rows } = await pool.query<MethodRow>(
    `select m.id, m.type, coalesce(m.name, '') as name, m.credential_id as "credentialId",
            m.backed_up as "backedUp", m.created_at as "createdAt", w.last_used_at as "lastUsedAt"
     from methods m left join work.method_use w on w.method_id = m.id
     where m.user_id = $1 order by m.created_at, m.id`,
    [userId],
  )
  return rows
}

/**
 * The current state of a user, their method and their device. `holds`: the method, if any, still belongs to the user;
 * if a recovery code was used, the user still has recovery codes. `deviceHolds`: the device was neither blocked nor
 * removed.
 */
export const standingOf = async (
  pool: pg.Pool,
  userId: string,
  used: {
    readonly methodId: string | null
    readonly byRecoveryCode: boolean
    readonly deviceId: string | null
  },
): Promise<{
  readonly status: UserStatus
  readonly holds: boolean
  readonly deviceHolds: boolean
  /** Whether the account is compromised */
  readonly isCompromised: boolean
  /** How often roles were added */
  readonly raises: number
} | null> => {
  const { rows } = await pool.query<{
    status: UserStatus
    holds: boolean
    deviceHolds: boolean
    isCompromised: boolean
    raises: number
  }>(
    `select status, ($2::text is null or exists (select from methods where id = $2 and user_id = $1)
           or exists (select from linked_accounts where id = $2 and user_id = $1))
         and (not $3 or exists (select from recovery_codes where user_id = $1)) as holds,
       not exists (select from devices where id = $4 and status in ('blocked', 'removed')) as "deviceHolds",
       ${isCompromised('users.id')} as "isCompromised",
       (select count(distinct from_position)::int from role_intervals where user_id = $1) as raises
     from users where id = $1`,
    [userId, used.methodId, used.byRecoveryCode, used.deviceId],
  )
  return rows[0] ?? null
}

/** Returns how often roles were added to a user until a time; `raises` of `standingOf` counts the same until now. */
export const raisesUntil = async (pool: pg.Pool, userId: string, at: Instant): Promise<number> => {
  const { rows } = await pool.query<{ raises: number }>(
    `select count(distinct from_position)::int as raises
     from role_intervals where user_id = $1 and from_at <= $2`,
    [userId, at],
  )
  return rows[0]?.raises ?? 0
}

export interface SessionRow {
  readonly id: string
  readonly createdAt: Instant
  readonly lastSeenAt: Instant
  readonly expiresAt: Instant
  readonly methods: readonly SignInMethod[]
  readonly amr: readonly string[]
  readonly authTime: Instant
  readonly strength: Strength
  readonly ip: string | null
  readonly userAgent: string | null
  readonly location: string | null
  readonly deviceId: string | null
  readonly applications: readonly {
    readonly appId: string
    readonly firstAt: Instant
    readonly lastAt: Instant
  }[]
}

const MICROSECONDS = 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'

/** Returns a user's active sessions, newest first. */
export const liveSessionsOf = async (
  pool: pg.Pool,
  userId: string,
  { now, development }: SessionMoment,
): Promise<readonly SessionRow[]> => {
  const { rows } = await pool.query<SessionRow>(
    `select s.id, s.created_at as "createdAt", ${lastSeen('s')} as "lastSeenAt",
            s.expires_at as "expiresAt", s.methods, s.amr, s.auth_time as "authTime", s.strength, s.ip,
            s.user_agent as "userAgent", s.location, s.device_id as "deviceId",
            coalesce((select json_agg(json_build_object('appId', a.application_id,
                'firstAt', to_char(a.first_at, '${MICROSECONDS}'),
                'lastAt', to_char(a.last_at, '${MICROSECONDS}')) order by a.first_at)
              from session_applications a where a.session_id = s.id), '[]') as applications
     from sessions s join users u on u.id = s.user_id
     where s.user_id = $1 and s.ended_at is null and ${overAt('s', 'u.roles', '$3')} > $2
     order by s.created_at desc, s.id desc`,
    [userId, now, development],
  )
  return rows
}

/** Returns the ids of a user's sessions that can still be ended, including idle ones. */
export const openSessionsOf = async (
  pool: pg.Pool,
  userId: string,
  now: Instant,
): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    'select id from sessions where user_id = $1 and ended_at is null and expires_at > $2',
    [userId, now],
  )
  return rows.map(({ id }) => id)
}

/** The methods and the device of a session. */
export interface OpenSession {
  readonly id: string
  readonly methods: readonly SignInMethod[]
  /** Ids of the user's own methods among them; null if they were not recorded */
  readonly methodIds: readonly string[] | null
  readonly deviceId: string | null
}

/** Returns the methods of an active session; null if it has ended. */
export const liveSessionOf = async (
  pool: pg.Pool,
  sessionId: string,
  { now, development }: SessionMoment,
): Promise<OpenSession | null> => {
  const { rows } = await pool.query<OpenSession>(
    `select s.id, s.methods, s.method_ids as "methodIds", s.device_id as "deviceId"
     from sessions s join users u on u.id = s.user_id
     where s.id = $1 and s.ended_at is null and ${overAt('s', 'u.roles', '$3')} > $2`,
    [sessionId, now, development],
  )
  return rows[0] ?? null
}

/** Returns the device that a session was started on; null if unknown. */
export const sessionDevice = async (pool: pg.Pool, sessionId: string): Promise<string | null> => {
  const { rows } = await pool.query<{ deviceId: string | null }>(
    `select device_id as "deviceId" from sessions where id = $1`,
    [sessionId],
  )
  return rows[0]?.deviceId ?? null
}

/** Returns the user of a session; null if it never existed. */
export const sessionOwner = async (pool: pg.Pool, sessionId: string): Promise<string | null> => {
  const { rows } = await pool.query<{ userId: string }>(
    `select user_id as "userId" from sessions where id = $1`,
    [sessionId],
  )
  return rows[0]?.userId ?? null
}

export interface OwnGroup {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly via: readonly MembershipVia[]
}

/** Returns the current groups of a user, by name, with the sources of each membership. */
export const groupsOf = async (pool: pg.Pool, userId: string, now: Instant): Promise<readonly OwnGroup[]> => {
  const { rows } = await pool.query<OwnGroup>(
    `select g.id, g.name, g.description, array_agg(distinct m.via order by m.via) as via
     from memberships m join groups g on g.id = m.group_id and g.status = 'exists'
     where m.user_id = $1 and m.to_position is null and (m.expires_at is null or m.expires_at > $2)
     group by g.id, g.name, g.description order by lower(g.name), g.id`,
    [userId, now],
  )
  return rows
}

/** A link that can still be redeemed, with its user. */
export interface OpenLink {
  readonly kind: LinkKind
  readonly expiresAt: Instant
  readonly userId: string
  readonly status: UserStatus
  readonly name: string
  readonly email: string
}

export const openLink = async (pool: pg.Pool, tokenHash: string, now: Instant): Promise<OpenLink | null> => {
  const { rows } = await pool.query<OpenLink>(
    `select l.kind, l.expires_at as "expiresAt", u.id as "userId", u.status, u.name, u.email
     from enrollment_links l join users u on u.id = l.user_id
     where (l.token_hash = $1 or l.mailed_token_hash = $1) and l.expires_at > $2`,
    [tokenHash, now],
  )
  return rows[0] ?? null
}
