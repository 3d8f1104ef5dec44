import type pg from 'pg'

/** An endpoint between two log positions, with the event types that it selected. */
export interface WebhookPeriod {
  readonly webhookId: string
  readonly createdPosition: string
  readonly fromPosition: string
  /** Null for the current period */
  readonly toPosition: string | null
  readonly events: readonly string[]
}

/** Returns the periods of active endpoints that overlap a range of the log: after one position, up to another. */
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
