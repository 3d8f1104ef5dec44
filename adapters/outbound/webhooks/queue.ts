/**
 * Queues each event once for every endpoint that subscribed to it. The cursor is a log position that is updated in the
 * same transaction, so no event is lost or queued twice, even if an instance crashes.
 */
import type pg from 'pg'
import type { NewId } from '../../../domain/ids.ts'
import type { Instant } from '../../../domain/time.ts'
import { wantsType } from '../../../domain/webhook/event-types.ts'
import { activePeriods, type WebhookPeriod } from '../../../read-models/queries/outbound-events.ts'
import { inTransaction } from '../../../read-models/transaction.ts'
import type { Vault } from '../../engines/vault/vault.ts'
import { BODY_PURPOSE, forgetSubjects, queueDeliveries, type NewDelivery } from './deliveries.ts'
import { envelopeOf } from './envelope.ts'
import type { OutboundEvent, OutboundSource } from '../../application/services/outbound-source.ts'
import type { Now } from './now.ts'

const CURSOR = 'webhooks'

/** Sent to one endpoint immediately, without the queue. */
export const TEST_TYPE = 'webhook.test'

const ERASURE_TYPE = 'user.erase'

/**
 * Seconds by which the time of an event may be in the future. If it is further ahead, the clock has been set back
 * since, and the event is not held back.
 */
const CLOCK_TOLERANCE_SECONDS = 60

const isOldEnough = (time: Instant, now: Instant, seconds: number): boolean => {
  const age = (Date.parse(now) - Date.parse(time)) / 1000
  return age >= seconds || age < -CLOCK_TOLERANCE_SECONDS
}

/** Whether an endpoint gets an event: it was active at that time, created before it, and subscribed to it. */
const gets = (period: WebhookPeriod, { position, type }: OutboundEvent): boolean =>
  type !== TEST_TYPE &&
  period.createdPosition < position &&
  period.fromPosition <= position &&
  (period.toPosition === null || position < period.toPosition) &&
  wantsType(period.events, type)

const readCursor = async (client: pg.Pool | pg.ClientBase, lock: string): Promise<string> => {
  const { rows } = await client.query<{ position: string }>(
    `select position from work.checkpoint where name = '${CURSOR}' ${lock}`,
  )
  return rows[0]?.position ?? ''
}

export const eventQueue = (deps: {
  readonly pool: pg.Pool
  readonly source: OutboundSource
  readonly vault: Pick<Vault, 'seal'>
  readonly newId: NewId
  readonly now: Now
  /** Minimum age of an event in seconds */
  readonly minimumAge: number
}) => {
  const { pool, source, vault, newId, now, minimumAge } = deps

  const deliveriesOf = (
    events: readonly OutboundEvent[],
    periods: readonly WebhookPeriod[],
  ): readonly NewDelivery[] =>
    events.flatMap((event) => {
      const subscribed = periods.filter((period) => gets(period, event))
      if (subscribed.length === 0) return []
      const body = envelopeOf(event)
      const { id: eventId, type: eventType, position: place, subjects } = event
      return subscribed.map(({ webhookId }) => {
        const id = newId('delivery')
        return {
          id,
          webhookId,
          eventId,
          eventType,
          place,
          subjects,
          body: vault.seal(BODY_PURPOSE, body, id),
        }
      })
    })

  /** @returns false if another instance has moved the cursor meanwhile */
  const commit = async (
    from: string,
    to: string,
    deliveries: readonly NewDelivery[],
    erased: readonly string[],
  ): Promise<boolean> =>
    inTransaction(pool, async (client) => {
      await client.query(
        `insert into work.checkpoint (name, position) values ('${CURSOR}', '') on conflict do nothing`,
      )
      if ((await readCursor(client, 'for update')) !== from) return false
      await queueDeliveries(client, deliveries, now)
      await forgetSubjects(client, erased, now)
      await client.query(`update work.checkpoint set position = $1 where name = '${CURSOR}'`, [to])
      return true
    })

  const time = async (): Promise<Instant> => {
    const { rows } = await pool.query<{ now: Instant }>(
      'select coalesce($1::timestamptz, clock_timestamp()) as now',
      [now()],
    )
    return rows[0]?.now ?? ''
  }

  /** Returns where to start reading: no endpoint gets events from before the oldest endpoint. */
  const begin = (cursor: string, upTo: string, periods: readonly WebhookPeriod[]): string => {
    const first = periods.map(({ fromPosition }) => fromPosition).sort()[0] ?? upTo
    return first > cursor && cursor === '' ? first : cursor
  }

  /** @returns whether there is more to queue right away */
  const lookAtPage = async (): Promise<boolean> => {
    const [cursor, upTo] = await Promise.all([readCursor(pool, ''), source.known()])
    if (upTo <= cursor) return false
    const periods = await activePeriods(pool, cursor, upTo)
    const after = begin(cursor, upTo, periods)
    const page = await source.page(after, upTo)
    const at = await time()
    const young = page.events.findIndex((event) => !isOldEnough(event.time, at, minimumAge))
    const events = young === -1 ? page.events : page.events.slice(0, young)
    const to = young === -1 ? page.position : (events.at(-1)?.position ?? after)
    if (to <= cursor) return false
    const erased = events.filter(({ type }) => type === ERASURE_TYPE).flatMap(({ subjects }) => subjects)
    const moved = await commit(cursor, to, deliveriesOf(events, periods), erased)
    return moved && young === -1 && page.more
  }

  return {
    /** Queues all events that are old enough. */
    look: async (signal?: AbortSignal): Promise<void> => {
      while ((await lookAtPage()) && signal?.aborted !== true) {
        // The loop queues page by page.
      }
    },
  }
}
