import type pg from 'pg'
import type { Instant } from '../../domain/time.ts'

/** An application with back-channel logout that was used in an ended session. */
export interface LogoutNotice {
  readonly sessionId: string
  readonly applicationId: string
  readonly userId: string
}

/** The sessions that end at a time: by id, by user, or by device. */
export interface EndedSessions {
  readonly sessionIds: readonly string[]
  readonly people: readonly { readonly userId: string; readonly at: Instant }[]
  readonly devices: readonly { readonly deviceId: string; readonly at: Instant }[]
}

const ENDED = `
       select id, user_id from sessions where id = any ($1)
       union
       select s.id, s.user_id from unnest($2::text[], $3::timestamptz[]) as asked (user_id, at)
       join sessions s on s.user_id = asked.user_id and s.ended_at = asked.at and s.expires_at > s.ended_at
       union
       select s.id, s.user_id from unnest($4::text[], $5::timestamptz[]) as asked (device_id, at)
       join sessions s on s.device_id = asked.device_id and s.ended_at = asked.at and s.expires_at > s.ended_at`

const valuesOf = ({ sessionIds, people, devices }: EndedSessions) => [
  sessionIds,
  people.map(({ userId }) => userId),
  people.map(({ at }) => at),
  devices.map(({ deviceId }) => deviceId),
  devices.map(({ at }) => at),
]

/** Returns the sessions that ended, and their users. Omits sessions that had already expired. */
export const endedSessions = async (
  pool: pg.Pool,
  ended: EndedSessions,
): Promise<readonly { readonly sessionId: string; readonly userId: string }[]> => {
  const { rows } = await pool.query<{ sessionId: string; userId: string }>(
    `select id as "sessionId", user_id as "userId" from (${ENDED}) ended`,
    valuesOf(ended),
  )
  return rows
}

/** Returns the notices for ended sessions. Omits sessions that had already expired. */
export const logoutNotices = async (
  pool: pg.Pool,
  ended: EndedSessions,
): Promise<readonly LogoutNotice[]> => {
  const { rows } = await pool.query<LogoutNotice>(
    `with ended as (${ENDED})
     select e.id as "sessionId", e.user_id as "userId", a.id as "applicationId"
     from ended e
     join session_applications u on u.session_id = e.id
     join applications a on a.id = u.application_id
     where a.status <> 'deleted' and a.settings ->> 'backchannelLogoutUri' is not null`,
    valuesOf(ended),
  )
  return rows
}
