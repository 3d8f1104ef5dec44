/** The result of an attempt: delivered, to be retried, or failed. */
import type pg from 'pg'
import type { Instant } from '../../../domain/time.ts'
import type { DeliveryStatus } from '../../../read-models/queries/webhooks.ts'
import { NOW, type Now } from './now.ts'
import type { Outcome } from './post.ts'

/** Seconds from a failed attempt to the next. */
export const RETRY_SECONDS: readonly number[] = [30, 60, 120, 240, 480, 960, 1920]
export const MAX_ATTEMPTS = RETRY_SECONDS.length + 1

/** Failures of this type are not reported, to avoid a loop. */
export const FAILURE_TYPE = 'webhook.delivery.fail'

/** An attempt that has ended. */
export interface Attempted {
  readonly delivery: {
    readonly id: string
    readonly webhookId: string
    /** Version of the endpoint when the delivery was claimed */
    readonly version: number
    /** Number of attempts before this one */
    readonly attempts: number
  }
  readonly at: Instant
  readonly outcome: Outcome
}

const RECORD_ATTEMPTS = `
  with attempted as (
    select * from jsonb_to_recordset($1::jsonb) as g (n integer, id text, attempts integer, tried integer, status text,
      wait integer, "httpStatus" integer, error text, "errorText" text, "durationMs" integer, at timestamptz)),
  stored as (
    update work.webhook_delivery d set status = g.status, attempts = d.attempts + g.tried,
      next_attempt_at = case when g.status = 'retrying' then ${NOW('$2')} + make_interval(secs => g.wait) end,
      http_status = g."httpStatus", error = g.error, error_text = g."errorText", duration_ms = g."durationMs",
      first_attempt_at = coalesce(d.first_attempt_at, g.at), last_attempt_at = g.at,
      unreported = g.status = 'failed' and d.event_type <> '${FAILURE_TYPE}',
      body = case when g.status = 'retrying' or d.erased_at is null then d.body end
    from attempted g
    where d.id = g.id and d.attempts = g.attempts and d.status in ('queued', 'retrying')
    returning d.webhook_id, g.n, g.status, g.at),
  ends as (
    select webhook_id, max(n) as last, max(n) filter (where status = 'delivered') as good from stored
    group by webhook_id),
  health as (
    insert into work.webhook_health as h (webhook_id, last_attempt_at, last_status, failing_since)
    select e.webhook_id, s.at, s.status, (select min(f.at) from stored f
      where f.webhook_id = e.webhook_id and f.status <> 'delivered' and f.n > coalesce(e.good, -1))
    from ends e join stored s on s.n = e.last
    on conflict (webhook_id) do update set last_attempt_at = excluded.last_attempt_at,
      last_status = excluded.last_status,
      told = h.told and (select good from ends e where e.webhook_id = h.webhook_id) is null,
      failing_since = case when (select good from ends e where e.webhook_id = h.webhook_id) is null
        then coalesce(h.failing_since, excluded.failing_since) else excluded.failing_since end)
  select distinct g."webhookId" as id
  from jsonb_to_recordset($1::jsonb) as g ("webhookId" text, version integer)
  where not exists (select from webhooks w
    where w.id = g."webhookId" and w.version = g.version and w.status = 'active')`

const resultOf = ({ delivery, at, outcome }: Attempted, n: number) => {
  const { httpStatus, error, errorText, durationMs } = outcome
  const { id, webhookId, version, attempts } = delivery
  const tried = error === 'secret_unreadable' ? 0 : 1
  const wait = RETRY_SECONDS[attempts]
  const again = tried === 1 && wait !== undefined && attempts + 1 < MAX_ATTEMPTS
  const status: DeliveryStatus = error === null ? 'delivered' : again ? 'retrying' : 'failed'
  return {
    n,
    id,
    webhookId,
    version,
    attempts,
    tried,
    status,
    wait,
    httpStatus,
    error,
    errorText,
    durationMs,
    at,
  }
}

/**
 * Stores the results of attempts, in order, skipping those already stored.
 * @returns ids of endpoints that changed after these deliveries were claimed
 */
export const recordAttempts = async (
  pool: pg.Pool,
  now: Now,
  attempted: readonly Attempted[],
): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ id: string }>(RECORD_ATTEMPTS, [
    JSON.stringify(attempted.map(resultOf)),
    now(),
  ])
  return rows.map(({ id }) => id)
}
