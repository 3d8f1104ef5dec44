import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { DeliveryMethod, StreamStatus } from '../../domain/shared-signals/events.ts'
import type { Instant } from '../../domain/time.ts'

/** A stream of security events to an application. */
export interface SharedSignalsStreamRow {
  readonly id: Id<'sharedSignalsStream'>
  readonly applicationId: Id<'application'>
  readonly applicationName: string
  readonly description: string | null
  /** URIs */
  readonly eventsRequested: readonly string[]
  readonly method: DeliveryMethod
  readonly endpointUrl: string | null
  /** Encrypted; null for none */
  readonly sealedAuthorization: string | null
  readonly status: StreamStatus
  readonly statusReason: string | null
  readonly statusBy: 'receiver' | 'administrator'
  /** Events that wait for the receiver */
  readonly pending: number
  /** Time of the last event that the receiver got */
  readonly lastDeliveredAt: Instant | null
  /** Of the last event that it did not get, since the last one that it got */
  readonly lastError: string | null
  readonly createdAt: Instant
  readonly createdPosition: string
  readonly updatedAt: Instant
  readonly version: number
}

const columns = `
  s.id, s.application_id as "applicationId", coalesce(a.name, '') as "applicationName", s.description,
  s.events_requested as "eventsRequested", s.method, s.endpoint_url as "endpointUrl",
  s.sealed_authorization as "sealedAuthorization", s.status, s.status_reason as "statusReason",
  s.status_by as "statusBy",
  (select count(*)::int from work.shared_signal w where w.stream_id = s.id and w.outcome is null) as pending,
  (select max(w.outcome_at) from work.shared_signal w where w.stream_id = s.id and w.outcome = 'delivered') as "lastDeliveredAt",
  (select w.error from work.shared_signal w where w.stream_id = s.id and w.error is not null
    order by w.place desc limit 1) as "lastError",
  s.created_at as "createdAt", s.created_position as "createdPosition", s.updated_at as "updatedAt", s.version`

const from = 'shared_signals_streams s left join applications a on a.id = s.application_id'

export const findSharedSignalsStream = async (
  pool: pg.Pool,
  id: string,
): Promise<SharedSignalsStreamRow | null> => {
  const { rows } = await pool.query<SharedSignalsStreamRow>(
    `select ${columns} from ${from} where s.id = $1 and not s.deleted`,
    [id],
  )
  return rows[0] ?? null
}

/** Returns all streams, or those of one application; newest first. Each application has at most one. */
export const sharedSignalsStreams = async (
  pool: pg.Pool,
  applicationId: string | null = null,
): Promise<readonly SharedSignalsStreamRow[]> => {
  const { rows } = await pool.query<SharedSignalsStreamRow>(
    `select ${columns} from ${from}
     where not s.deleted and ($1::text is null or s.application_id = $1) order by s.created_at desc, s.id desc`,
    [applicationId],
  )
  return rows
}

/** A stream that gets events. */
export interface ReceivingStream {
  readonly id: string
  readonly applicationId: string
  readonly eventsRequested: readonly string[]
  readonly createdPosition: string
}

/** Returns the streams that get events, now or once they are resumed. */
export const receivingStreams = async (pool: pg.Pool): Promise<readonly ReceivingStream[]> => {
  const { rows } = await pool.query<ReceivingStream>(
    `select s.id, s.application_id as "applicationId", s.events_requested as "eventsRequested",
       s.created_position as "createdPosition"
     from shared_signals_streams s join applications a on a.id = s.application_id
     where not s.deleted and s.status <> 'disabled' and a.status <> 'deleted'`,
  )
  return rows
}

/**
 * Returns which receivers are told about which users, each as `<application> <user>`: a receiver that has groups about
 * their members, and those who were until they were deleted; any other about everybody.
 */
export const usersKnown = async (
  pool: pg.Pool,
  applicationIds: readonly string[],
  userIds: readonly string[],
): Promise<ReadonlySet<string>> => {
  const { rows } = await pool.query<{ key: string }>(
    `select a.id || ' ' || u.id as key from unnest($1::text[]) as a (id) cross join unnest($2::text[]) as u (id)
     where not exists (select from application_groups g where g.application_id = a.id)
       or exists (select from application_groups g join memberships m on m.group_id = g.group_id
         where g.application_id = a.id and m.user_id = u.id and (m.to_position is null
           or m.to_at >= (select deleted_at from users where id = u.id and status = 'deleted')))`,
    [applicationIds, userIds],
  )
  return new Set(rows.map(({ key }) => key))
}
