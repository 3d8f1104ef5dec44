/** The durable table of deliveries: the queue, the attempts and their outcomes. */
import type pg from 'pg'
import type { Id } from '../../../domain/ids.ts'
import type { Instant } from '../../../domain/time.ts'
import type { DeliveryStatus } from '../../../read-models/queries/webhooks.ts'
import { NOW, type Now } from './now.ts'
import type { DeliveryError, Outcome } from './post.ts'
import { recordAttempts, type Attempted } from './record-attempts.ts'

/** Purpose of the encryption of bodies; the delivery's id is the associated data. */
export const BODY_PURPOSE = 'webhook-body'

/** Number of deliveries in an endpoint's log. */
export const LOG_LENGTH = 50

/** Maximum number of rows in one statement, which must finish long before its timeout. */
export const BATCH = 500

export interface DeliveryRow {
  readonly id: Id<'delivery'>
  readonly webhookId: string
  readonly eventId: string
  readonly eventType: string
  readonly status: DeliveryStatus
  readonly attempts: number
  readonly nextAttemptAt: Instant | null
  readonly httpStatus: number | null
  readonly error: DeliveryError | null
  readonly errorText: string | null
  readonly durationMs: number | null
  readonly firstAttemptAt: Instant | null
  readonly lastAttemptAt: Instant | null
  /** Encrypted */
  readonly body: string | null
  readonly createdAt: Instant
}

const columns = `
  d.id, d.webhook_id as "webhookId", d.event_id as "eventId", d.event_type as "eventType", d.status, d.attempts,
  d.next_attempt_at as "nextAttemptAt", d.http_status as "httpStatus", d.error, d.error_text as "errorText",
  d.duration_ms as "durationMs", d.first_attempt_at as "firstAttemptAt", d.last_attempt_at as "lastAttemptAt", d.body,
  d.created_at as "createdAt"`

/** First attempts, or retries. */
export type Lane = 'first' | 'retry'

/** A delivery to attempt now, with the endpoint at the time of the claim. */
export interface TakenDelivery {
  readonly id: string
  readonly webhookId: string
  readonly url: string
  readonly sealedSecret: string
  /** Version of the endpoint */
  readonly version: number
  readonly body: string
  readonly attempts: number
  readonly at: Instant
}

export interface NewDelivery {
  readonly id: string
  readonly webhookId: string
  readonly eventId: string
  readonly eventType: string
  readonly place: string
  readonly subjects: readonly string[]
  /** Encrypted */
  readonly body: string
}

const queueSome = async (
  client: pg.ClientBase,
  deliveries: readonly NewDelivery[],
  now: Now,
): Promise<void> => {
  await client.query(
    `insert into work.webhook_delivery (id, webhook_id, event_id, event_type, place, subjects, body, status, created_at)
     select d.id, d."webhookId", d."eventId", d."eventType", d.place, d.subjects, d.body, 'queued', ${NOW('$2')}
     from jsonb_to_recordset($1::jsonb) as d(id text, "webhookId" text, "eventId" text, "eventType" text, place text,
       subjects text[], body text)
     on conflict do nothing`,
    [JSON.stringify(deliveries), now()],
  )
}

/** Queues deliveries; an endpoint gets each event only once. */
export const queueDeliveries = async (
  client: pg.ClientBase,
  deliveries: readonly NewDelivery[],
  now: Now,
): Promise<void> => {
  // Uses several statements in one transaction, because a single one could time out.
  for (let n = 0; n < deliveries.length; n += BATCH)
    await queueSome(client, deliveries.slice(n, n + BATCH), now)
}

/**
 * Deletes the bodies of sent deliveries about users; those of queued ones are deleted once they are sent, or a day
 * later.
 */
export const forgetSubjects = async (
  client: pg.ClientBase,
  userIds: readonly string[],
  now: Now,
): Promise<void> => {
  if (userIds.length === 0) return
  await client.query(
    `update work.webhook_delivery set erased_at = coalesce(erased_at, ${NOW('$2')}),
       body = case when status in ('queued', 'retrying') then body end
     where subjects && $1::text[]`,
    [userIds, now()],
  )
}

/**
 * The condition that a delivery d comes next in its lane.
 * @param now parameter of the statement
 */
const isNext: Readonly<Record<Lane, (now: string) => string>> = {
  first: () => `d.status = 'queued' and d.body is not null`,
  retry: (now) => `d.status = 'retrying' and d.next_attempt_at <= ${NOW(now)} and d.body is not null`,
}

export const deliveryStore = (pool: pg.Pool, now: Now) => ({
  /** Returns active endpoints for which something can be sent now. */
  waiting: async (): Promise<
    readonly { readonly webhookId: string; readonly first: boolean; readonly retry: boolean }[]
  > => {
    const { rows } = await pool.query<{ webhookId: string; first: boolean; retry: boolean }>({
      name: 'webhooks with waiting deliveries',
      text: `select w.id as "webhookId",
         exists (select from work.webhook_delivery d where d.webhook_id = w.id and ${isNext.first('$1')}) as first,
         exists (select from work.webhook_delivery d where d.webhook_id = w.id and ${isNext.retry('$1')}) as retry
       from webhooks w where w.status = 'active'`,
      values: [now()],
    })
    return rows.filter(({ first, retry }) => first || retry)
  },

  /**
   * Returns the next deliveries of an active endpoint. Writes nothing: only the holder of the lease claims deliveries,
   * and it keeps track of them.
   * @param except ids of deliveries that are already claimed
   * @param held SQL condition that the lease is held
   */
  take: async (
    webhookId: string,
    lane: Lane,
    { limit, except, held }: { limit: number; except: readonly string[]; held: string },
  ): Promise<readonly TakenDelivery[]> => {
    const { rows } = await pool.query<TakenDelivery>(
      `select d.id, d.webhook_id as "webhookId", w.url, w.sealed_secret as "sealedSecret", w.version, d.body,
         d.attempts, ${NOW('$2')} as at
       from webhooks w join work.webhook_delivery d on d.webhook_id = w.id
       where w.id = $1 and w.status = 'active' and ${isNext[lane]('$2')} and d.id <> all ($3) and ${held}
       order by ${lane === 'first' ? 'd.place, d.id' : 'd.next_attempt_at, d.id'} limit $4`,
      [webhookId, now(), except, limit],
    )
    return rows
  },

  recordAttempts: (attempted: readonly Attempted[]): Promise<readonly string[]> =>
    recordAttempts(pool, now, attempted),

  /** Stores a delivery that was attempted once, outside the queue. */
  note: async (
    delivery: NewDelivery,
    at: Instant,
    { httpStatus, error, errorText, durationMs }: Outcome,
  ): Promise<void> => {
    const { id, webhookId, eventId, eventType, place, subjects, body } = delivery
    await pool.query(
      `insert into work.webhook_delivery (id, webhook_id, event_id, event_type, place, subjects, body, status, attempts,
         http_status, error, error_text, duration_ms, first_attempt_at, last_attempt_at, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, 1, $9, $10, $11, $12, $13, $13, $13)
       on conflict do nothing`,
      [
        id,
        webhookId,
        eventId,
        eventType,
        place,
        subjects,
        body,
        error === null ? 'delivered' : 'failed',
        httpStatus,
        error,
        errorText,
        durationMs,
        at,
      ],
    )
  },

  /** Returns an endpoint's newest deliveries, newest first. */
  newest: async (webhookId: string): Promise<readonly DeliveryRow[]> => {
    const { rows } = await pool.query<DeliveryRow>(
      `select ${columns} from work.webhook_delivery d where d.webhook_id = $1 order by d.place desc, d.id desc limit $2`,
      [webhookId, LOG_LENGTH],
    )
    return rows
  },

  find: async (webhookId: string, id: string): Promise<DeliveryRow | null> => {
    const { rows } = await pool.query<DeliveryRow>(
      `select ${columns} from work.webhook_delivery d where d.webhook_id = $1 and d.id = $2`,
      [webhookId, id],
    )
    return rows[0] ?? null
  },

  /** Queues a failed delivery again, with all of its attempts. */
  requeue: async (id: string): Promise<void> => {
    await pool.query(
      `update work.webhook_delivery set status = 'queued', attempts = 0, next_attempt_at = null
       where id = $1 and status = 'failed' and body is not null`,
      [id],
    )
  },

  /**
   * Returns the first unreported failed delivery of each endpoint, and whether a failure of the endpoint was already
   * reported.
   */
  unreported: async (): Promise<readonly (DeliveryRow & { readonly reported: boolean })[]> => {
    const { rows } = await pool.query<DeliveryRow & { reported: boolean }>(
      `select distinct on (d.webhook_id) ${columns}, coalesce(h.told, false) as reported
       from work.webhook_delivery d left join work.webhook_health h on h.webhook_id = d.webhook_id
       where d.unreported order by d.webhook_id, d.place, d.id`,
    )
    return rows
  },

  /** Marks the failure of an endpoint as reported, including all earlier failed deliveries. */
  reported: async ({ webhookId }: DeliveryRow): Promise<void> => {
    await pool.query(
      `with health as (update work.webhook_health set told = true where webhook_id = $1)
       update work.webhook_delivery set unreported = false where webhook_id = $1 and unreported`,
      [webhookId],
    )
  },
})

export type DeliveryStore = ReturnType<typeof deliveryStore>
