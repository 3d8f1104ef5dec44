import type pg from 'pg'
import type { Id } from '../../domain/ids.ts'
import type { Instant } from '../../domain/time.ts'
import type { WebhookStatus } from '../../domain/webhook/decider.ts'
import { parameters, readListPage, type ListPage, type Sorted } from './page.ts'

export type DeliveryStatus = 'queued' | 'retrying' | 'delivered' | 'failed'

export interface WebhookRow {
  readonly id: Id<'webhook'>
  readonly url: string
  readonly description: string | null
  readonly events: readonly string[]
  readonly status: WebhookStatus
  readonly sealedSecret: string
  readonly createdAt: Instant
  readonly createdBy: Id<'user'> | null
  readonly updatedAt: Instant
  readonly lastDeliveryAt: Instant | null
  readonly lastDeliveryStatus: DeliveryStatus | null
  /** The first failed attempt since the last success */
  readonly failingSince: Instant | null
  readonly version: number
}

const columns = `
  w.id, w.url, w.description, w.events, w.status, w.sealed_secret as "sealedSecret", w.created_at as "createdAt",
  w.created_by as "createdBy", w.updated_at as "updatedAt", h.last_attempt_at as "lastDeliveryAt",
  h.last_status as "lastDeliveryStatus", h.failing_since as "failingSince", w.version`
const tables = 'webhooks w left join work.webhook_health h on h.webhook_id = w.id'

export const findWebhook = async (pool: pg.Pool, id: string): Promise<WebhookRow | null> => {
  const { rows } = await pool.query<WebhookRow>(
    `select ${columns} from ${tables} where w.id = $1 and w.status <> 'deleted'`,
    [id],
  )
  return rows[0] ?? null
}

/** Returns endpoints, oldest first. */
export const listWebhooks = (
  pool: pg.Pool,
  page: Omit<ListPage, 'sort'>,
): Promise<readonly (WebhookRow & Sorted)[]> =>
  readListPage<WebhookRow>(
    pool,
    { ...page, sort: 'createdAt' },
    'w',
    columns,
    tables,
    [`w.status <> 'deleted'`],
    parameters(),
  )

export const countWebhooks = async (pool: pg.Pool): Promise<number> => {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*) as count from webhooks where status <> 'deleted'`,
  )
  return rows[0]?.count ?? 0
}

export interface WebhookFigures {
  /** Number of active endpoints whose last attempt failed */
  readonly failing: number
  /** Pending deliveries of active endpoints */
  readonly waiting: readonly {
    readonly status: DeliveryStatus
    readonly count: number
    /** Age of the oldest one */
    readonly oldestSeconds: number
  }[]
}

export const webhookFigures = async (pool: pg.Pool): Promise<WebhookFigures> => {
  const [failing, waiting] = await Promise.all([
    pool.query<{ count: number }>(
      `select count(*) as count from webhooks w join work.webhook_health h on h.webhook_id = w.id
       where w.status = 'active' and h.failing_since is not null`,
    ),
    pool.query<WebhookFigures['waiting'][number]>(
      `select s.status, count(d.id) as count,
         coalesce(extract(epoch from clock_timestamp() - min(d.created_at)), 0)::float8 as "oldestSeconds"
       from (values ('queued'), ('retrying')) s (status)
         left join (work.webhook_delivery d join webhooks w on w.id = d.webhook_id and w.status = 'active')
           on d.status = s.status
       group by s.status`,
    ),
  ])
  return { failing: failing.rows[0]?.count ?? 0, waiting: waiting.rows }
}
