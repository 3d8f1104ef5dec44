/**
 * Keeps the table of deliveries small, with short statements: keeps the 50 newest and the pending deliveries of each
 * endpoint, and limits the number of pending ones.
 */
import type pg from 'pg'
import { BATCH, LOG_LENGTH } from './deliveries.ts'
import { NOW, type Now } from './now.ts'
import { FAILURE_TYPE, RETRY_SECONDS } from './record-attempts.ts'

/** Maximum pending deliveries per endpoint; the oldest ones beyond it fail. */
export const MAX_WAITING = 50_000

/** Seconds after an erasure during which an event about that user may still be delivered. */
const ERASURE_SECONDS = 86_400

/**
 * Seconds by which a retry may be scheduled later than planned. If it is further ahead, the clock has been set back.
 */
const CLOCK_TOLERANCE_SECONDS = 60

const inBatches = async (pool: pg.Pool, sql: string, values: readonly unknown[]): Promise<void> => {
  let count: number | null
  do ({ rowCount: count } = await pool.query(sql, [...values]))
  while ((count ?? 0) >= BATCH)
}

/** Deletes the log and the queued deliveries of a deleted endpoint. */
export const deleteLog = async (pool: pg.Pool, webhookId: string): Promise<void> => {
  await inBatches(
    pool,
    `delete from work.webhook_delivery where id in
       (select id from work.webhook_delivery where webhook_id = $1 limit ${String(BATCH)})`,
    [webhookId],
  )
  await pool.query('delete from work.webhook_health where webhook_id = $1', [webhookId])
}

const forgetDeleted = async (pool: pg.Pool): Promise<void> => {
  const { rows } = await pool.query<{ id: string }>(
    `select id from webhooks w where status = 'deleted' and (
       exists (select from work.webhook_delivery where webhook_id = w.id) or
       exists (select from work.webhook_health where webhook_id = w.id))`,
  )
  for (const { id } of rows) await deleteLog(pool, id)
}

const forgetOlder = (pool: pg.Pool, webhookId: string): Promise<void> =>
  inBatches(
    pool,
    `delete from work.webhook_delivery where id in (
       select id from work.webhook_delivery
       where webhook_id = $1 and status in ('delivered', 'failed') and not unreported
         and place < (select place from work.webhook_delivery where webhook_id = $1
           order by place desc, id desc offset ${String(LOG_LENGTH - 1)} limit 1)
       limit ${String(BATCH)})`,
    [webhookId],
  )

const giveUpOldest = (
  pool: pg.Pool,
  webhookId: string,
  most: number,
  underWay: readonly string[],
): Promise<void> =>
  inBatches(
    pool,
    `update work.webhook_delivery set status = 'failed', next_attempt_at = null,
       error_text = 'dropped: more than ${String(most)} deliveries were queued',
       unreported = event_type <> '${FAILURE_TYPE}', body = case when erased_at is null then body end
     where id in (
       select d.id from work.webhook_delivery d
       where d.webhook_id = $1 and d.status in ('queued', 'retrying') and d.id <> all ($3)
         and d.place <= (select place from work.webhook_delivery
           where webhook_id = $1 and status in ('queued', 'retrying')
           order by place desc, id desc offset $2 limit 1)
       order by d.place limit ${String(BATCH)})`,
    [webhookId, most, underWay],
  )

const forgetErased = (pool: pg.Pool, webhookId: string, now: Now): Promise<void> =>
  inBatches(
    pool,
    `update work.webhook_delivery set status = 'failed', body = null, next_attempt_at = null,
       error_text = 'the person it was about was erased'
     where id in (
       select id from work.webhook_delivery
       where webhook_id = $1 and status in ('queued', 'retrying')
         and erased_at < ${NOW('$2')} - interval '${String(ERASURE_SECONDS)} seconds' limit ${String(BATCH)})`,
    [webhookId, now()],
  )

/** After the database's clock was set back, limits each wait to its planned duration from now. */
const bringNear = (pool: pg.Pool, webhookId: string, now: Now): Promise<void> =>
  inBatches(
    pool,
    `update work.webhook_delivery d
     set next_attempt_at = ${NOW('$2')} + make_interval(secs => ($3::integer[])[d.attempts])
     where d.id in (
       select id from work.webhook_delivery
       where webhook_id = $1 and status = 'retrying' and next_attempt_at > ${NOW('$2')}
         + make_interval(secs => ($3::integer[])[attempts] + ${String(CLOCK_TOLERANCE_SECONDS)})
       limit ${String(BATCH)})`,
    [webhookId, now(), RETRY_SECONDS],
  )

/**
 * Deletes deliveries that are neither shown nor pending, and the remaining data of deleted endpoints and
 * erased users.
 * @param most maximum pending deliveries per endpoint
 * @param underWay ids of deliveries in progress
 */
export const tidyUp = async (
  pool: pg.Pool,
  now: Now,
  most = MAX_WAITING,
  underWay: readonly string[] = [],
): Promise<void> => {
  await forgetDeleted(pool)
  const { rows } = await pool.query<{ id: string }>(`select id from webhooks where status <> 'deleted'`)
  for (const { id } of rows) {
    await giveUpOldest(pool, id, most, underWay)
    await forgetErased(pool, id, now)
    await bringNear(pool, id, now)
    await forgetOlder(pool, id)
  }
}
