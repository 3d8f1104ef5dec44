/**
 * Queue of security events for receivers (`work.shared_signal`). Receivers that poll take events in their order and
 * acknowledge them (RFC 8936); others are pushed to by any instance, which claims an event first (RFC 8935).
 */
import type pg from 'pg'
import { STREAM_UPDATED } from '../../../domain/shared-signals/event-types.ts'
import { idsFor } from '../../kernel/ids.ts'
import type { Clock } from '../../kernel/clock.ts'

/** The members of a security event token that depend on the event (RFC 8417 §2.2, RFC 9493). */
export interface SignalClaims {
  readonly sub_id: object
  readonly events: Readonly<Record<string, object>>
  /** Correlation id of the request that caused it */
  readonly txn?: string
}

export interface NewSignal {
  /** Derived from its cause, so that a repeated batch adds nothing; omitted for a new one */
  readonly cause?: string
  readonly streamId: string
  readonly claims: SignalClaims
}

export interface QueuedSignal {
  /** `jti` */
  readonly id: string
  readonly streamId: string
  readonly claims: SignalClaims
  readonly notedAt: string
  /** Number of attempts, including this one */
  readonly attempts: number
}

export type SignalOutcome = 'delivered' | 'rejected' | 'failed' | 'unwanted'

/**
 * SQL for whether an event is sent in the state of its stream `s`: the receiver of a stopped stream is only told that it
 * was stopped.
 */
const isSendable = (claims: string): string =>
  `(s.status = 'enabled' or jsonb_exists(${claims} -> 'events', '${STREAM_UPDATED}'))`

/** How long a claim lasts: longer than an attempt can take. */
const CLAIM_SECONDS = 30

/** Events that wait for one receiver. Beyond this, the oldest are dropped. */
const MAX_PENDING = 10_000

/** How long finished events are kept for the figures of a stream. */
const KEPT_SECONDS = 7 * 86_400

/** How long an event waits for its receiver. */
const WAITING_SECONDS = 7 * 86_400

const columns = `w.id, w.stream_id as "streamId", w.claims, w.noted_at as "notedAt", w.attempts`

export const sharedSignalQueue = (pool: pg.Pool, clock: Pick<Clock, 'now' | 'in'>) => ({
  add: async (signals: readonly NewSignal[]): Promise<void> => {
    if (signals.length === 0) return
    const ids = signals.map(({ cause }) =>
      idsFor(cause === undefined ? undefined : `signal|${cause}`).eventId('0'),
    )
    await pool.query(
      `insert into work.shared_signal (id, stream_id, claims, noted_at, next_attempt_at)
       select id, stream_id, claims::jsonb, $4, $4
       from unnest($1::text[], $2::text[], $3::text[]) with ordinality as new (id, stream_id, claims, n) order by n
       on conflict do nothing`,
      [
        ids,
        signals.map(({ streamId }) => streamId),
        signals.map(({ claims }) => JSON.stringify(claims)),
        clock.now(),
      ],
    )
  },

  /** Claims due events of streams that are pushed to and enabled. */
  claim: async (limit: number): Promise<readonly QueuedSignal[]> => {
    const { rows } = await pool.query<QueuedSignal>({
      name: 'claim shared signals',
      text: `update work.shared_signal w set attempts = w.attempts + 1, next_attempt_at = $2
       from (select q.id from work.shared_signal q join shared_signals_streams s on s.id = q.stream_id
         where q.outcome is null and q.next_attempt_at <= $1 and s.method = 'urn:ietf:rfc:8935'
           and ${isSendable('q.claims')} and not s.deleted
         order by q.next_attempt_at, q.place limit $3 for update of q skip locked) due
       where w.id = due.id returning ${columns}`,
      values: [clock.now(), clock.in(CLAIM_SECONDS), limit],
    })
    return rows
  },

  /** Returns the next events of a stream that polls. */
  next: async (streamId: string, limit: number): Promise<readonly QueuedSignal[]> => {
    const { rows } = await pool.query<QueuedSignal>(
      `select ${columns} from work.shared_signal w join shared_signals_streams s on s.id = w.stream_id
       where w.stream_id = $1 and w.outcome is null and ${isSendable('w.claims')} order by w.place limit $2`,
      [streamId, limit],
    )
    return rows
  },

  finish: async (
    streamId: string,
    ids: readonly string[],
    outcome: SignalOutcome,
    error: string | null = null,
  ): Promise<void> => {
    if (ids.length === 0) return
    await pool.query(
      `update work.shared_signal set outcome = $3, outcome_at = $4, error = $5
       where stream_id = $1 and id = any ($2) and outcome is null`,
      [streamId, ids, outcome, clock.now(), error],
    )
  },

  postpone: (id: string, seconds: number, error: string) =>
    pool.query(
      `update work.shared_signal set next_attempt_at = $2, error = $3 where id = $1 and outcome is null`,
      [id, clock.in(seconds), error],
    ),

  /** A stream that is disabled loses its events. */
  dropAll: (streamId: string) =>
    pool.query(
      `update work.shared_signal set outcome = 'unwanted', outcome_at = $2 where stream_id = $1 and outcome is null`,
      [streamId, clock.now()],
    ),

  countPending: async (streamId: string): Promise<number> => {
    const { rows } = await pool.query<{ n: number }>(
      'select count(*)::int as n from work.shared_signal where stream_id = $1 and outcome is null',
      [streamId],
    )
    return rows[0]?.n ?? 0
  },

  /** Deletes what is finished, too old, or too much. */
  sweep: async (): Promise<void> => {
    await pool.query('delete from work.shared_signal where outcome_at < $1 or noted_at < $2', [
      clock.in(-KEPT_SECONDS),
      clock.in(-WAITING_SECONDS),
    ])
    await pool.query(
      `delete from work.shared_signal where id in (
         select id from (select id, row_number() over (partition by stream_id order by place desc) as n
           from work.shared_signal where outcome is null) ranked where n > $1)`,
      [MAX_PENDING],
    )
  },
})
