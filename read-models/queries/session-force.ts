/** SQL for the expiry of sessions: one rule for every query that shows, lists or checks sessions. */
import { defaultSettings } from '../../domain/organization/decider.ts'
import type { Instant } from '../../domain/time.ts'

/** The time of a session query, and the mode of the service. */
export interface SessionMoment {
  readonly now: Instant
  /** Whether the service runs for development; only then are sessions of `svc dev-session` valid */
  readonly development: boolean
}

/**
 * Minutes by which the stored last use of a session may be outdated: each of two instances writes it at most once a
 * minute.
 */
const NOTE_LAG_MINUTES = 2

/** Returns SQL for whether a session was started in development mode, without a proof. */
export const isForDevelopment = (session: string): string => `'development' = any (${session}.methods)`

/**
 * Returns SQL for the last use of a session: stored at most once a minute, and never before the user's last sign-in.
 */
export const lastSeen = (session: string): string => `greatest(${session}.auth_time, (
  select w.last_seen_at from work.session_use w where w.session_id = ${session}.id))`

const minutesOf = (setting: 'sessionIdleMinutes' | 'administratorIdleMinutes'): string =>
  `(select (o.settings ->> '${setting}')::integer from organization o)`

/** Each setting is a query of its own, without a reference to the session: it is read once for all sessions. */
const idleMinutes = (roles: string): string => `least(
    ${minutesOf('sessionIdleMinutes')},
    case when ${roles} <> '{}'
      then coalesce(${minutesOf('administratorIdleMinutes')}, ${String(defaultSettings.administratorIdleMinutes)})
    end) + ${String(NOTE_LAG_MINUTES)}`

/**
 * Returns SQL for the expiry of a session: at the end of its lifetime, or after the idle timeout of the settings.
 * @param session alias of the row of `sessions`
 * @param roles expression for the roles of the user
 * @param development placeholder of `SessionMoment.development`
 */
export const overAt = (session: string, roles: string, development: string): string => `
  case when ${isForDevelopment(session)}
    then case when ${development}::boolean then ${session}.expires_at else ${session}.created_at end
    else least(${session}.expires_at, ${lastSeen(session)} + make_interval(mins => ${idleMinutes(roles)})) end`
