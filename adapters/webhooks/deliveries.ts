/** The durable table of deliveries: what waits, what was tried, what came of it. */
import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { Instant } from '../../domain/time.ts'
import type { DeliveryStatus } from '../../read-models/queries/webhooks.ts'
import type { DeliveryError, Outcome } from './post.ts'

/** Purpose under which bodies are sealed; the delivery's id is the associated data. */
export const BODY_PURPOSE = 'webhook-body'

/** Seconds from a failed attempt to the next. */
export const RETRY_SECONDS: readonly number[] = [30, 60, 120, 240, 480, 960, 1920]
export const MAX_ATTEMPTS = RETRY_SECONDS.length + 1

/** Deliveries that an endpoint's log shows. */
export const LOG_LENGTH = 50

/**
 * For which a claimed delivery is not claimed again: longer than any attempt and the writing down of its outcome.
 * Whoever takes the work over does not wait for it.
 */
export const CLAIM_SECONDS = 60

/** Rows that one statement writes: it has to end long before the database gives it up. */
export const BATCH = 500

/** Says of failed deliveries of its own kind would beget further ones without end. */
export const FAILURE_TYPE = 'webhook.delivery.fail'

/** The database's time, which all instances share; another in tests. */
export type Now = () => Instant | null

export const NOW = (parameter: string): string => `coalesce(${parameter}::timestamptz, clock_timestamp())`

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
  /** Sealed. */
  readonly body: string | null
  readonly createdAt: Instant
}

const columns = `
  d.id, d.webhook_id as "webhookId", d.event_id as "eventId", d.event_type as "eventType", d.status, d.attempts,
  d.next_attempt_at as "nextAttemptAt", d.http_status as "httpStatus", d.error, d.error_text as "errorText",
  d.duration_ms as "durationMs", d.first_attempt_at as "firstAttemptAt", d.last_attempt_at as "lastAttemptAt", d.body,
  d.created_at as "createdAt"`

/** First attempts, or those after a failure. */
export type Lane = 'first' | 'retry'

export interface ClaimedDelivery {
  readonly id: string
  readonly webhookId: string
  readonly url: string
  readonly sealedSecret: string
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
  /** Sealed. */
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

/** Queues deliveries; one that an endpoint has of an event already stays the only one. */
export const queueDeliveries = async (
  client: pg.ClientBase,
  deliveries: readonly NewDelivery[],
  now: Now,
): Promise<void> => {
  // What has to be one transaction need not be one statement, which would be given too little time.
  for (let n = 0; n < deliveries.length; n += BATCH)
    await queueSome(client, deliveries.slice(n, n + BATCH), now)
}

/** What was sent about people is forgotten; what still waits is forgotten once it is sent, or a day later. */
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

export const deliveryStore = (pool: pg.Pool, now: Now) => ({
  /** Active endpoints for which something can be sent now. */
  waiting: async (): Promise<
    readonly { readonly webhookId: string; readonly first: boolean; readonly retry: boolean }[]
  > => {
    const unclaimed = '(d.claimed_until is null or d.claimed_until < clock_timestamp())'
    const { rows } = await pool.query<{ webhookId: string; first: boolean; retry: boolean }>(
      `select w.id as "webhookId",
         exists (select from work.webhook_delivery d
           where d.webhook_id = w.id and d.status = 'queued' and ${unclaimed}) as first,
         exists (select from work.webhook_delivery d
           where d.webhook_id = w.id and d.status = 'retrying' and d.next_attempt_at <= ${NOW('$1')}
             and ${unclaimed}) as retry
       from webhooks w where w.status = 'active'`,
      [now()],
    )
    return rows.filter(({ first, retry }) => first || retry)
  },

  /** Takes the next delivery of an active endpoint for one attempt. */
  claim: async (webhookId: string, lane: Lane): Promise<ClaimedDelivery | null> => {
    const { rows } = await pool.query<ClaimedDelivery>(
      `update work.webhook_delivery d
       set claimed_until = clock_timestamp() + interval '${String(CLAIM_SECONDS)} seconds'
       from webhooks w
       where w.id = $1 and w.status = 'active' and d.id = (
         select id from work.webhook_delivery
         where webhook_id = $1 and body is not null
           and ${lane === 'first' ? `status = 'queued'` : `status = 'retrying' and next_attempt_at <= ${NOW('$2')}`}
           and (claimed_until is null or claimed_until < clock_timestamp())
         order by ${lane === 'first' ? 'place, id' : 'next_attempt_at, id'} limit 1 for update skip locked)
       returning d.id, d.webhook_id as "webhookId", w.url, w.sealed_secret as "sealedSecret", d.body, d.attempts,
         ${NOW('$2')} as at`,
      [webhookId, now()],
    )
    return rows[0] ?? null
  },

  /** Gives a claimed delivery back untried. */
  release: async ({ id, attempts }: ClaimedDelivery): Promise<void> => {
    await pool.query(
      'update work.webhook_delivery set claimed_until = null where id = $1 and attempts = $2',
      [id, attempts],
    )
  },

  /** Whoever had claimed anything is gone. */
  releaseAll: async (): Promise<void> => {
    const { rows } = await pool.query<{ id: string }>(`select id from webhooks where status <> 'deleted'`)
    // Endpoint by endpoint and by status, as the indexes are: however much waits, each is quick.
    for (const { id } of rows)
      for (const status of ['queued', 'retrying'])
        await pool.query(
          `update work.webhook_delivery set claimed_until = null
           where webhook_id = $1 and status = '${status}' and claimed_until is not null`,
          [id],
        )
  },

  /** Writes down how an attempt ended, unless somebody has done so already. */
  settle: async ({ id, attempts, at }: ClaimedDelivery, outcome: Outcome): Promise<void> => {
    const { httpStatus, error, errorText, durationMs } = outcome
    const tried = error === 'secret_unreadable' ? 0 : 1
    const retry = RETRY_SECONDS[attempts]
    const status: DeliveryStatus =
      error === null
        ? 'delivered'
        : tried === 0 || retry === undefined || attempts + 1 >= MAX_ATTEMPTS
          ? 'failed'
          : 'retrying'
    await pool.query(
      `with settled as (
         update work.webhook_delivery set status = $3, attempts = attempts + $4, claimed_until = null,
           next_attempt_at = case when $3 = 'retrying' then ${NOW('$5')} + make_interval(secs => $6) end,
           http_status = $7, error = $8, error_text = $9, duration_ms = $10,
           first_attempt_at = coalesce(first_attempt_at, $11::timestamptz), last_attempt_at = $11,
           unreported = $3 = 'failed' and event_type <> '${FAILURE_TYPE}',
           body = case when $3 = 'retrying' or erased_at is null then body end
         where id = $1 and attempts = $2 and status in ('queued', 'retrying')
         returning webhook_id, status, last_attempt_at)
       insert into work.webhook_health as h (webhook_id, last_attempt_at, last_status, failing_since)
       select webhook_id, last_attempt_at, status, case when status <> 'delivered' then last_attempt_at end
       from settled
       on conflict (webhook_id) do update set last_attempt_at = excluded.last_attempt_at,
         last_status = excluded.last_status, told = h.told and excluded.last_status <> 'delivered',
         failing_since = case when excluded.last_status <> 'delivered'
           then coalesce(h.failing_since, excluded.failing_since) end`,
      [id, attempts, status, tried, now(), retry ?? 0, httpStatus, error, errorText, durationMs, at],
    )
  },

  /** Notes a delivery that was tried once, outside the queue. */
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

  /** An endpoint's newest deliveries, newest first. */
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

  /** Queues a failed delivery anew, with all of its attempts before it. */
  requeue: async (id: string): Promise<void> => {
    await pool.query(
      `update work.webhook_delivery set status = 'queued', attempts = 0, next_attempt_at = null, claimed_until = null
       where id = $1 and status = 'failed' and body is not null`,
      [id],
    )
  },

  /** The first failed delivery of each endpoint of which nobody was told, and whether it was told before that it fails. */
  unreported: async (): Promise<readonly (DeliveryRow & { readonly told: boolean })[]> => {
    const { rows } = await pool.query<DeliveryRow & { told: boolean }>(
      `select distinct on (d.webhook_id) ${columns}, coalesce(h.told, false) as told
       from work.webhook_delivery d left join work.webhook_health h on h.webhook_id = d.webhook_id
       where d.unreported order by d.webhook_id, d.place, d.id`,
    )
    return rows
  },

  /** An endpoint was told to fail: with this delivery, and with all that had failed as well by then. */
  reported: async ({ webhookId }: DeliveryRow): Promise<void> => {
    await pool.query(
      `with told as (update work.webhook_health set told = true where webhook_id = $1)
       update work.webhook_delivery set unreported = false where webhook_id = $1 and unreported`,
      [webhookId],
    )
  },
})

export type DeliveryStore = ReturnType<typeof deliveryStore>
