import type pg from 'pg'
import type { DeviceStatus } from '../../domain/device/decider.ts'
import { RISK_DAYS, type DetectedRisk, type RiskLevel } from '../../domain/risk/events.ts'
import type { Role } from '../../domain/roles.ts'
import type { Instant } from '../../domain/time.ts'

/** What access policies need to know about a user and the device of a session, from the read models. */
export interface PolicyState {
  /** All roles of the user, also those that apply only after another sign-in */
  readonly heldRoles: readonly Role[]
  /** The groups of the user, limited to those that were asked for */
  readonly policyGroupIds: readonly string[]
  /** Null for a device that is not registered, and for a session without one */
  readonly deviceStatus: DeviceStatus | null
  /** The highest level of the user's open risk events */
  readonly userRisk: RiskLevel | 'none'
  /** Whether the user is the break-glass account */
  readonly isBreakGlass: boolean
}

/** SQL for whether a row of `users` is the break-glass account: it counts only while it is a global administrator. */
export const isBreakGlass = (user: string): string => `
      coalesce(${user}.roles @> '{global_admin}'
        and ${user}.id = (select o.settings ->> 'breakGlassUserId' from organization o), false)`

/**
 * SQL for the highest level of a user's open risk events. A compromised account is at high risk until its sign-in
 * methods are reset.
 * @param user expression for the user's id
 * @param now placeholder of the time
 */
export const userRisk = (user: string, now: string): string => `
      (select case max(case when r.state = 'confirmed_compromised' or r.level = 'high' then 3
          when r.level = 'medium' then 2 else 1 end) when 3 then 'high' when 2 then 'medium' when 1 then 'low'
          else 'none' end
        from risk_events r where r.user_id = ${user} and r.state in ('at_risk', 'confirmed_compromised')
          and case r.state when 'at_risk' then r.created_at + interval '${String(RISK_DAYS)} days' > ${now}
            else not r.is_reset end)`

/** Returns the open risk events of a user: the highest level first, and the newest of it. */
export const openRisksOf = async (
  pool: pg.Pool,
  userId: string,
  now: Instant,
): Promise<readonly Pick<DetectedRisk, 'riskType' | 'level'>[]> => {
  const { rows } = await pool.query<Pick<DetectedRisk, 'riskType' | 'level'>>({
    name: 'open_risks',
    text: `select r.type as "riskType", r.level from risk_events r
      where r.user_id = $1 and r.state = 'at_risk' and r.created_at + interval '${String(RISK_DAYS)} days' > $2
      order by array_position(array['high', 'medium', 'low'], r.level), r.created_at desc limit 20`,
    values: [userId, now],
  })
  return rows
}

/** SQL for whether an administrator confirmed that a user's account is compromised, and it was not reset since. */
export const isCompromised = (user: string): string => `
      exists (select from risk_events r where r.user_id = ${user} and r.state = 'confirmed_compromised'
        and not r.is_reset)`

/**
 * Returns the columns of {@link PolicyState}.
 * @param user alias of the row of `users`
 * @param device expression for the id of the device
 * @param groups expression for the groups to look for; null for all
 * @param now placeholder of the time
 */
export const policyColumns = (user: string, device: string, groups: string, now: string): string => `
      ${user}.roles as "heldRoles",
      case when ${groups} = '{}' then '{}' else array(select distinct m.group_id from memberships m
        where m.user_id = ${user}.id and (${groups} is null or m.group_id = any (${groups})) and m.to_position is null
        and (m.expires_at is null or m.expires_at > ${now}) order by m.group_id) end as "policyGroupIds",
      (select case when d.status = 'trusted' and d.trust_expires_at <= ${now} then 'registered' else d.status end
        from devices d where d.id = ${device}) as "deviceStatus",
      ${userRisk(`${user}.id`, now)} as "userRisk", ${isBreakGlass(user)} as "isBreakGlass"`

interface SigningIn extends PolicyState {
  /** Whether the account is compromised */
  readonly isCompromised: boolean
  readonly position: string
}

/** Returns the state of a user who signs in on a device, and its log position; null for an unknown user. */
export const policyStateOf = async (
  pool: pg.Pool,
  userId: string,
  deviceId: string | null,
  groupIds: readonly string[] | null,
  now: Instant,
): Promise<SigningIn | null> => {
  const { rows } = await pool.query<SigningIn>({
    name: 'policy_state',
    text: `select ${policyColumns('u', '$2', '$3::text[]', '$4::timestamptz')},
        ${isCompromised('u.id')} as "isCompromised",
        coalesce((select position from checkpoint where name = 'core'), '') as position
      from users u where u.id = $1`,
    values: [userId, deviceId, groupIds, now],
  })
  return rows[0] ?? null
}
