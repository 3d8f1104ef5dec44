import type pg from 'pg'
import type { RiskLevel } from '../../domain/risk/events.ts'
import type { Role } from '../../domain/roles.ts'
import type { SignInMethod, Strength } from '../../domain/session/events.ts'
import type { Instant } from '../../domain/time.ts'
import type { UserStatus } from '../../domain/user/state.ts'
import { policyColumns, type PolicyState } from './policy-state.ts'
import { isForDevelopment, overAt, type SessionMoment } from './session-force.ts'

/** An active session with the current data of its user. */
export interface LiveSession extends PolicyState {
  readonly sessionId: string
  readonly userId: string
  readonly name: string
  readonly email: string
  readonly status: UserStatus
  /** Roles that the user had at the last sign-in */
  readonly roles: readonly Role[]
  /** Roles that the user was granted since: they apply after another sign-in */
  readonly newRoles: readonly Role[]
  /** All methods that were used to sign in to the session */
  readonly methods: readonly SignInMethod[]
  readonly amr: readonly string[]
  readonly strength: Strength
  readonly authTime: Instant
  readonly expiresAt: Instant
  readonly deviceId: string | null
  /** Of the last sign-in */
  readonly risk: RiskLevel | 'none'
  /** Log position of the last change of the configuration; '' before the first */
  readonly configurationPosition: string
}

/**
 * Column of a session `s` and its user `u`: the roles that apply. The log order tells whether a role is newer than a
 * proof; the clocks of two instances may not.
 */
export const rolesInSession = `
      case when u.roles = '{}' then u.roles else
        array(select role from unnest(u.roles) with ordinality as held (role, n) where ${isForDevelopment('s')} or exists (
          select from role_intervals i where i.user_id = u.id and i.role = held.role and i.to_position is null
            and i.from_position < s.auth_position) order by n) end as roles`

/** Returns the roles that the user holds but did not have at the last sign-in of the session. */
export const newRolesOf = ({ heldRoles, roles }: Pick<LiveSession, 'heldRoles' | 'roles'>): readonly Role[] =>
  heldRoles.filter((role) => !roles.includes(role))

/**
 * Returns the roles that a user has and already had at a log position: what was approved then does not act with roles
 * that were granted later.
 */
export const rolesHeldSince = async (
  pool: pg.Pool,
  userId: string,
  position: string,
): Promise<readonly Role[]> => {
  const { rows } = await pool.query<{ roles: readonly Role[] }>({
    name: 'roles_held_since',
    text: `
      select array(select role from unnest(u.roles) with ordinality as held (role, n) where exists (
        select from role_intervals i where i.user_id = u.id and i.role = held.role and i.to_position is null
          and i.from_position <= $2) order by n) as roles
      from users u where u.id = $1 and u.status = 'active'`,
    values: [userId, position],
  })
  return rows[0]?.roles ?? []
}

// `name` caches the plan. The join is lateral, so that each session is looked up by index for any number of sessions.
const query = {
  name: 'live_sessions',
  text: `
    select asked.token_hash as "tokenHash", s.id as "sessionId", u.id as "userId", u.name, u.email, u.status,
      ${rolesInSession}, s.methods, s.amr, s.strength, s.auth_time as "authTime", s.expires_at as "expiresAt",
      s.device_id as "deviceId", s.risk, ${policyColumns('u', 's.device_id', '$4::text[]', '$2')},
      coalesce((select position from configuration_change), '') as "configurationPosition"
    from unnest($1::text[]) as asked (token_hash)
    join lateral (select * from sessions where token_hash = asked.token_hash and ended_at is null
      and expires_at > $2 offset 0) s on true
    join lateral (select * from users where id = s.user_id and status = 'active' offset 0) u on true
    where ${overAt('s', 'u.roles', '$3')} > $2`,
}

/**
 * Returns the sessions with these cookie hashes, and which of the groups that policies name their users are in; null for a session that has ended, or whose user may no longer sign
 * in.
 */
export const liveSessions = async (
  pool: pg.Pool,
  tokenHashes: readonly string[],
  policyGroupIds: readonly string[] | null,
  { now, development }: SessionMoment,
): Promise<readonly (LiveSession | null)[]> => {
  const { rows } = await pool.query<Omit<LiveSession, 'newRoles'> & { readonly tokenHash: string }>({
    ...query,
    values: [[...new Set(tokenHashes)], now, development, policyGroupIds],
  })
  const byHash = new Map(
    rows.map(({ tokenHash, ...session }) => [tokenHash, { ...session, newRoles: newRolesOf(session) }]),
  )
  return tokenHashes.map((hash) => byHash.get(hash) ?? null)
}
