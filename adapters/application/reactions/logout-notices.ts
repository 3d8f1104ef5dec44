/**
 * OpenID Connect Back-Channel Logout 1.0 §2.5: records which applications must be notified of the end of a
 * session. Another task sends the notices from this table, so that a restart loses none.
 */
import type pg from 'pg'
import { isEventType, type Recorded } from '../../../domain/catalogue.ts'
import { endsSessions, endsSessionsAs } from '../../../domain/consequences.ts'
import { logoutNotices, type EndedSessions } from '../../../read-models/queries/logout-notices.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { WaitFor } from '../../engines/postgres/checkpoint-watch.ts'

export const LOGOUT_NOTICES = 'logout-notices'

/** Seconds until a notice is obsolete: a replay of the log must not send old notices again. */
const STALE_SECONDS = 86_400

/** The event types that this subscriber handles. */
export const logoutNoticeTypes = (type: string): boolean => isEventType(type) && endsSessions(type)

export const concernsLogoutNotices = ({ type }: Recorded): boolean => endsSessions(type)

/** The keys by which the sessions that these events ended are found. */
export const endedBy = (events: readonly Recorded[]): EndedSessions => ({
  sessionIds: events.filter(endsSessionsAs('this_one')).map(({ data }) => data.sessionId),
  people: [
    ...events.filter(endsSessionsAs('all_of_person')),
    // By then the read model has already ended the user's sessions that depend on the method.
    ...events.filter(endsSessionsAs('by_method')),
  ].map(({ data, metadata }) => ({ userId: data.userId, at: metadata.time })),
  devices: events
    .filter(endsSessionsAs('on_device'))
    .map(({ data, metadata }) => ({ deviceId: data.deviceId, at: metadata.time })),
})

export const noteLogouts = (deps: {
  readonly pool: pg.Pool
  readonly waitFor: WaitFor
  readonly clock: Clock
}) => {
  const { pool, waitFor, clock } = deps
  return async (batch: {
    readonly events: readonly Recorded[]
    readonly position: string
  }): Promise<void> => {
    const since = clock.in(-STALE_SECONDS)
    const events = batch.events.filter((event) => concernsLogoutNotices(event) && event.metadata.time > since)
    if (events.length === 0) return
    // The read models show which applications were used only once they have caught up. Until then this is retried.
    if (!(await waitFor('core', batch.position))) throw new Error('the read models lag behind')
    const notices = await logoutNotices(pool, endedBy(events))
    if (notices.length === 0) return
    await pool.query(
      `insert into work.logout_notice (session_id, application_id, user_id, noted_at, next_attempt_at)
       select session_id, application_id, user_id, $4, $4
       from unnest($1::text[], $2::text[], $3::text[]) as noted (session_id, application_id, user_id)
       on conflict do nothing`,
      [
        notices.map(({ sessionId }) => sessionId),
        notices.map(({ applicationId }) => applicationId),
        notices.map(({ userId }) => userId),
        clock.now(),
      ],
    )
  }
}
