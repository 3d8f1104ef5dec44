/**
 * OpenID Connect Back-Channel Logout 1.0 §2.5: notes down which applications have to be told that a session has ended.
 * Each is told by whoever works the table off, so that a restart loses none.
 */
import type pg from 'pg'
import { isEventType, type EventType, type Recorded } from '../../../domain/catalogue.ts'
import { logoutNotices, type EndedSessions } from '../../../read-models/queries/logout-notices.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { WaitFor } from '../../engines/postgres/checkpoint-watch.ts'

export const LOGOUT_NOTICES = 'logout-notices'

/** Seconds after which nobody is told any more: a log played from its beginning must not repeat old news. */
const STALE_SECONDS = 86_400

/** Events that end a person's sessions: all of them, or those that rest on a method. */
const endsAll: ReadonlySet<EventType> = new Set<EventType>([
  'user.suspended',
  'user.deleted',
  'user.methods_reset',
  'user.method_removed',
  'user.sessions_revoked',
])

/** Events that end the sessions on a device. */
const endsOnDevice: ReadonlySet<EventType> = new Set<EventType>(['device.blocked', 'device.removed'])

const isEnd = (type: EventType): boolean =>
  type === 'session.ended' || endsAll.has(type) || endsOnDevice.has(type)

/** The types of event that the subscriber has anything to do for. */
export const logoutNoticeTypes = (type: string): boolean => isEventType(type) && isEnd(type)

export const endsSessions = ({ type }: Recorded): boolean => isEnd(type)

const endedBy = (events: readonly Recorded[]): EndedSessions => ({
  sessionIds: events.flatMap((event) => (event.type === 'session.ended' ? [event.data.sessionId] : [])),
  people: events.flatMap(({ type, data, metadata }) =>
    endsAll.has(type) ? [{ userId: (data as { userId: string }).userId, at: metadata.time }] : [],
  ),
  devices: events.flatMap(({ type, data, metadata }) =>
    endsOnDevice.has(type) ? [{ deviceId: (data as { deviceId: string }).deviceId, at: metadata.time }] : [],
  ),
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
    const events = batch.events.filter((event) => endsSessions(event) && event.metadata.time > since)
    if (events.length === 0) return
    // Which applications were used shows when the read models have come here; until then it is tried again.
    if (!(await waitFor('core', batch.position))) throw new Error('the read models are behind')
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
