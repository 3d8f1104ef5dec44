import type pg from 'pg'
import type { RiskLevel } from '../../domain/risk/events.ts'
import type { SignInMethod, Strength } from '../../domain/session/events.ts'
import type { Instant } from '../../domain/time.ts'
import type { UserStatus } from '../../domain/user/state.ts'
import { policyColumns, type PolicyState } from './policy-state.ts'
import { isForDevelopment, overAt, type SessionMoment } from './session-force.ts'
import { newRolesOf, rolesInSession, type LiveSession } from './sign-in-state.ts'

/** The user, session, application and grant of an authorization or a token. */
export interface TokenSubject {
  readonly applicationId: string
  readonly userId: string
  readonly sessionId: string
  /** Null at the authorization endpoint, where no grant exists yet */
  readonly grantId: string | null
}

/** Everything that decides whether a token is valid, from one snapshot. */
export interface TokenState extends PolicyState {
  readonly status: UserStatus
  readonly email: string
  readonly emailVerified: boolean
  readonly name: string
  readonly givenName: string | null
  readonly familyName: string | null
  readonly phone: string | null
  readonly locale: string | null
  readonly timeZone: string | null
  readonly updatedAt: Instant | null
  /** Tokens of authorizations before this log position are invalid */
  readonly tokensVoidBefore: string | null
  /** The same, for this application only */
  readonly applicationVoidBefore: string | null
  /** Unknown sessions count as ended */
  readonly session: 'live' | 'expired' | 'ended'
  /** The methods that the session was started with */
  readonly methods: readonly SignInMethod[]
  readonly amr: readonly string[]
  /** Of the last sign-in of the session */
  readonly risk: RiskLevel | 'none'
  readonly strength: Strength | null
  readonly authTime: Instant | null
  /** Where the session was started; null if it is unreadable */
  readonly signInIp: string | null
  readonly signInUserAgent: string | null
  /** Whether the user is in one of the requested groups */
  readonly isMember: boolean
  readonly isRevoked: boolean
  /** Names of all groups of the user; empty unless requested */
  readonly groups: readonly string[]
  /** Log position of the last change of the configuration; '' before the first */
  readonly configurationPosition: string
  /** Log position of this state */
  readonly position: string
}

export interface TokenQuestion {
  readonly subject: TokenSubject
  /** The groups to check membership in */
  readonly groupIds: readonly string[]
  /** The groups that policies name; null: all */
  readonly policyGroupIds: readonly string[] | null
  /** Whether the names of the user's groups are requested */
  readonly withGroups: boolean
}

/** The idle timeout does not apply to tokens: requests of an application do not count as use of the session. */
const stateColumns = (revokedGrant: string, groups: string, development: string): string => `
      asked.n::integer as n, u.status, u.email, u.email_verified as "emailVerified", u.name,
      u.given_name as "givenName", u.family_name as "familyName", u.phone, u.locale, u.time_zone as "timeZone",
      u.updated_at as "updatedAt", u.tokens_void_before as "tokensVoidBefore",
      (select r.tokens_void_before from revoked_applications r
        where r.user_id = u.id and r.application_id = asked.application_id) as "applicationVoidBefore",
      case when s.id is null or s.ended_at is not null or (s.for_development and not ${development}::boolean) then 'ended'
        when s.expires_at <= $1 then 'expired' else 'live' end as session,
      coalesce(s.methods, '{}') as methods, coalesce(s.amr, '{}') as amr, coalesce(s.risk, 'none') as risk, s.strength, s.auth_time as "authTime",
      s.ip as "signInIp", s.user_agent as "signInUserAgent",
      exists (select from memberships m where m.user_id = u.id and m.group_id = any (asked.group_ids::text[])
        and m.to_position is null and (m.expires_at is null or m.expires_at > $1) offset 0) as "isMember",
      ${policyColumns('u', 's.device_id', 'asked.policy_groups::text[]', '$1')},
      ${revokedGrant} as "isRevoked", ${groups} as groups,
      coalesce((select position from configuration_change), '') as "configurationPosition",
      coalesce((select position from checkpoint where name = 'core'), '') as position`

// The query of every token check, for all tokens of a batch. `name` caches the plan. `offset 0` forces an index
// lookup for each token: a join or hash that was planned while the tables were small would read whole tables.
const query = {
  name: 'token_states',
  text: `
    select ${stateColumns(
      'exists (select from revoked_grants r where r.grant_id = asked.grant_id offset 0)',
      `case when asked.with_groups then array(
        select distinct g.name from memberships m join groups g on g.id = m.group_id
        where m.user_id = u.id and m.to_position is null and (m.expires_at is null or m.expires_at > $1)
          and g.status = 'exists') else '{}' end`,
      '$8',
    )}
    from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[], $9::text[]) with ordinality
      as asked (user_id, session_id, grant_id, application_id, group_ids, with_groups, policy_groups, n)
    join lateral (select id, status, email, email_verified, name, given_name,
        family_name, phone, locale, time_zone, updated_at, tokens_void_before, roles
      from users where id = asked.user_id offset 0) u on true
    left join lateral (select id, ended_at, expires_at, methods, amr, risk, strength, auth_time, device_id, ip, user_agent,
        ${isForDevelopment('sessions')} as for_development
      from sessions where id = asked.session_id and user_id = u.id offset 0) s on true`,
}

const entranceQuery = {
  name: 'entrance_states',
  text: `
    select ${stateColumns('false', `'{}'::text[]`, '$5')},
      s.id as "sessionId", u.id as "userId", ${rolesInSession}, s.expires_at as "expiresAt",
      s.device_id as "deviceId"
    from unnest($2::text[], $3::text[], $4::text[], $6::text[]) with ordinality
      as asked (token_hash, application_id, group_ids, policy_groups, n)
    join lateral (select *, ${isForDevelopment('sessions')} as for_development from sessions
      where token_hash = asked.token_hash and ended_at is null and expires_at > $1 offset 0) s on true
    join lateral (select * from users where id = s.user_id and status = 'active' offset 0) u on true
    where ${overAt('s', 'u.roles', '$5')} > $1`,
}

const groupList = (groupIds: readonly string[]): string => `{${groupIds.join(',')}}`

/** A row for the n-th question, from 1. Rows are passed on as they are: copies of so many columns are expensive. */
interface Numbered {
  readonly n: number
}

const inOrder = <Row extends Numbered>(
  questions: readonly unknown[],
  rows: readonly Row[],
): readonly (Row | null)[] => {
  const byNumber = new Map(rows.map((row) => [row.n, row]))
  return questions.map((_, at) => byNumber.get(at + 1) ?? null)
}

/** Returns states in the order of the questions; null for an unknown user. */
export const tokenStates = async (
  pool: pg.Pool,
  questions: readonly TokenQuestion[],
  { now, development }: SessionMoment,
): Promise<readonly (TokenState | null)[]> => {
  const { rows } = await pool.query<TokenState & Numbered>({
    ...query,
    values: [
      now,
      questions.map(({ subject }) => subject.userId),
      questions.map(({ subject }) => subject.sessionId),
      questions.map(({ subject }) => subject.grantId),
      questions.map(({ subject }) => subject.applicationId),
      questions.map(({ groupIds }) => groupList(groupIds)),
      questions.map(({ withGroups }) => withGroups),
      development,
      questions.map(({ policyGroupIds }) => policyGroupIds && groupList(policyGroupIds)),
    ],
  })
  return inOrder(questions, rows)
}

/** The user of a session, for access to an application. */
export interface EntranceQuestion {
  /** Hash of the session's secret */
  readonly tokenHash: string
  readonly applicationId: string
  /** The groups to check membership in */
  readonly groupIds: readonly string[]
  /** The groups that policies name; null: all */
  readonly policyGroupIds: readonly string[] | null
}

export interface EntranceState {
  readonly session: LiveSession
  readonly state: TokenState
}

interface EntranceRow
  extends
    TokenState,
    Numbered,
    Pick<LiveSession, 'sessionId' | 'userId' | 'roles' | 'expiresAt' | 'deviceId'> {
  readonly strength: LiveSession['strength']
  readonly authTime: LiveSession['authTime']
}

const sessionOf = (row: EntranceRow): LiveSession => ({
  sessionId: row.sessionId,
  userId: row.userId,
  name: row.name,
  email: row.email,
  status: row.status,
  roles: row.roles,
  newRoles: newRolesOf(row),
  methods: row.methods,
  amr: row.amr,
  strength: row.strength,
  authTime: row.authTime,
  expiresAt: row.expiresAt,
  deviceId: row.deviceId,
  risk: row.risk,
  heldRoles: row.heldRoles,
  policyGroupIds: row.policyGroupIds,
  deviceStatus: row.deviceStatus,
  userRisk: row.userRisk,
  isBreakGlass: row.isBreakGlass,
  configurationPosition: row.configurationPosition,
})

/**
 * Returns the active session and what decides whether it can open the application, in the order of the questions; null
 * if there is no such session.
 */
export const entranceStates = async (
  pool: pg.Pool,
  questions: readonly EntranceQuestion[],
  { now, development }: SessionMoment,
): Promise<readonly (EntranceState | null)[]> => {
  const { rows } = await pool.query<EntranceRow>({
    ...entranceQuery,
    values: [
      now,
      questions.map(({ tokenHash }) => tokenHash),
      questions.map(({ applicationId }) => applicationId),
      questions.map(({ groupIds }) => groupList(groupIds)),
      development,
      questions.map(({ policyGroupIds }) => policyGroupIds && groupList(policyGroupIds)),
    ],
  })
  return inOrder(questions, rows).map((row) => row && { session: sessionOf(row), state: row })
}

/** The state of a token without a user. */
export interface GrantStanding {
  readonly isRevoked: boolean
  readonly configurationPosition: string
}

/** Returns states in the order of the grants. */
export const grantStandings = async (
  pool: pg.Pool,
  grantIds: readonly string[],
): Promise<readonly GrantStanding[]> => {
  const { rows } = await pool.query<GrantStanding>({
    name: 'grant_standings',
    text: `
      select exists (select from revoked_grants r where r.grant_id = asked.grant_id offset 0) as "isRevoked",
        coalesce((select position from configuration_change), '') as "configurationPosition"
      from unnest($1::text[]) with ordinality as asked (grant_id, n) order by asked.n`,
    values: [grantIds],
  })
  return rows
}
