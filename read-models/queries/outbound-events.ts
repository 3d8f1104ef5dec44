import type pg from 'pg'

/** An endpoint between two places in the log, with the event types that it subscribed to. */
export interface WebhookPeriod {
  readonly webhookId: string
  readonly createdPosition: string
  readonly fromPosition: string
  /** Null while it lasts. */
  readonly toPosition: string | null
  readonly events: readonly string[]
}

/** Periods in which endpoints were active anywhere after one place in the log and up to another. */
export const activePeriods = async (
  client: pg.ClientBase | pg.Pool,
  after: string,
  upTo: string,
): Promise<readonly WebhookPeriod[]> => {
  const { rows } = await client.query<WebhookPeriod>(
    `select webhook_id as "webhookId", created_position as "createdPosition", from_position as "fromPosition",
       to_position as "toPosition", events
     from webhook_periods
     where active and from_position <= $2 and (to_position is null or to_position > $1)`,
    [after, upTo],
  )
  return rows
}
