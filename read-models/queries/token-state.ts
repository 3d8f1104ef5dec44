import type pg from 'pg'
import type { Strength } from '../../domain/session/events.ts'
import type { Instant } from '../../domain/time.ts'
import type { UserStatus } from '../../domain/user/decider.ts'

/** Whom and what an authorization or a token is about. */
export interface TokenSubject {
  readonly applicationId: string
  readonly userId: string
  readonly sessionId: string
  /** Null before there is one: at the authorization endpoint. */
  readonly grantId: string | null
}

/** All that decides whether a token is good, as of one moment. */
export interface TokenState {
  readonly status: UserStatus
  readonly email: string
  readonly emailVerified: boolean
  readonly name: string
  /** Tokens of authorizations older than this place in the log are void. */
  readonly tokensVoidBefore: string | null
  /** The same, for this application only. */
  readonly applicationVoidBefore: string | null
  /** Not known counts as ended. */
  readonly session: 'live' | 'expired' | 'ended'
  readonly amr: readonly string[]
  readonly strength: Strength | null
  readonly authTime: Instant | null
  /** In one of the groups asked about. */
  readonly isMember: boolean
  readonly isRevoked: boolean
  /** Names of all the person's groups; empty unless asked for. */
  readonly groups: readonly string[]
  /** Place of the last change of the configuration; '' before the first. */
  readonly configurationPosition: string
  /** Place in the log that all of this shows. */
  readonly position: string
}

// `name` keeps the plan: this is the one query of every token check.
const query = {
  name: 'token_state',
  text: `
    select u.status, u.email, u.email_verified as "emailVerified", u.name,
      u.tokens_void_before as "tokensVoidBefore",
      (select r.tokens_void_before from revoked_applications r
        where r.user_id = u.id and r.application_id = $7) as "applicationVoidBefore",
      case when s.id is null or s.ended_at is not null then 'ended'
        when s.expires_at <= $5 then 'expired' else 'live' end as session,
      coalesce(s.amr, '{}') as amr, s.strength, s.auth_time as "authTime",
      exists (select from memberships m where m.user_id = u.id and m.group_id = any ($4)
        and m.to_position is null and (m.expires_at is null or m.expires_at > $5)) as "isMember",
      exists (select from revoked_grants r where r.grant_id = $3) as "isRevoked",
      case when $6::boolean then array(select distinct g.name from memberships m join groups g on g.id = m.group_id
        where m.user_id = u.id and m.to_position is null and (m.expires_at is null or m.expires_at > $5)
          and g.status = 'exists') else '{}' end as groups,
      coalesce((select position from configuration_change), '') as "configurationPosition",
      coalesce((select position from checkpoint where name = 'core'), '') as position
    from users u left join sessions s on s.id = $2 and s.user_id = u.id
    where u.id = $1`,
}

/**
 * Null when there is no such person.
 * @param groupIds the groups of which membership is asked
 * @param now for the comparison with the ends of sessions and memberships
 */
export const tokenState = async (
  pool: pg.Pool,
  { applicationId, userId, sessionId, grantId }: TokenSubject,
  groupIds: readonly string[],
  withGroups: boolean,
  now: Instant,
): Promise<TokenState | null> => {
  const { rows } = await pool.query<TokenState>({
    ...query,
    values: [userId, sessionId, grantId, groupIds, now, withGroups, applicationId],
  })
  return rows[0] ?? null
}

/** What can be said of a token without a person. */
export const grantStanding = async (
  pool: pg.Pool,
  grantId: string,
): Promise<{ readonly isRevoked: boolean; readonly configurationPosition: string }> => {
  const { rows } = await pool.query<{ isRevoked: boolean; configurationPosition: string }>({
    name: 'grant_standing',
    text: `select exists (select from revoked_grants where grant_id = $1) as "isRevoked",
      coalesce((select position from configuration_change), '') as "configurationPosition"`,
    values: [grantId],
  })
  const [row] = rows
  if (row === undefined) throw new Error('the query answers one row')
  return row
}
