/** A catch-up subscription to `$all` that reconnects. */
import { excludeSystemEvents } from '@eventstore/db-client'
import type { EventStoreDBClient, ResolvedEvent } from '@eventstore/db-client'
import { Observable } from 'rxjs'
import type { Batch, Position, RecordedEvent, SubscribeOptions } from '../event-log.ts'
import { backOff } from '../../../kernel/back-off.ts'
import { createWakeUp } from '../../../kernel/wake-up.ts'
import { READ_TIMEOUT_MS, eventOf, positionOf, readHead, subscribeFrom } from './reads.ts'

export interface FollowOptions extends SubscribeOptions {
  readonly client: EventStoreDBClient
  readonly random: () => number
  readonly log: (message: string, error: unknown) => void
  readonly closing: AbortSignal
}

const RETRY_FIRST_MS = 50
const RETRY_MOST_MS = 5_000
const CONFIRM_MS = 5_000
/** Maximum number of objects in each stream buffer of the client */
const BUFFER = 32

interface Connection {
  /** Returns at most `most` events since the last call, and the position that was reached. */
  readonly take: (most: number) => { events: RecordedEvent[]; position: Position; caughtUp: boolean }
  /** Resolves when there may be new events; rejects once the connection has ended and all events were taken. */
  readonly news: () => Promise<void>
  readonly close: () => void
}

const open = async (after: Position, options: FollowOptions, stop: AbortSignal): Promise<Connection> => {
  const { client, batchSize = 500 } = options
  const head = await readHead(client, READ_TIMEOUT_MS)
  const fromPosition = await subscribeFrom(client, after)
  const wakeUp = createWakeUp()
  const pending: RecordedEvent[] = []
  let searched = after
  let live = false
  let confirmed = false
  let failure: Error | undefined

  const onCheckpoint = (position: { commit: bigint }): void => {
    // Events that were received but not yet delivered lie before the checkpoint, so they come first.
    if (pending.length > 0 || subscription.readableLength > 0) return
    const reached = positionOf(position.commit)
    if (reached > searched) searched = reached
    wakeUp.wake()
  }
  const filter = excludeSystemEvents({
    checkpointInterval: 32,
    checkpointReached: (_, position) => {
      onCheckpoint(position)
      return Promise.resolve()
    },
  })
  const subscription = client.subscribeToAll({ fromPosition, filter }, { highWaterMark: BUFFER })
  const fail = (error?: Error): void => {
    failure ??= error ?? new Error('the subscription ended')
    wakeUp.wake()
  }
  const unconfirmed = setTimeout(
    () => fail(new Error('the subscription was not confirmed in time')),
    CONFIRM_MS,
  )
  subscription
    .on('confirmation', () => {
      clearTimeout(unconfirmed)
      confirmed = true
      wakeUp.wake()
    })
    .on('caughtUp', () => {
      live = true
      wakeUp.wake()
    })
    .on('fellBehind', () => {
      live = false
    })
    .on('data', (resolved: ResolvedEvent) => {
      const event = eventOf(resolved)
      // Already delivered by this connection or an earlier one
      if (event === undefined || event.position <= (pending.at(-1)?.position ?? searched)) return
      pending.push(event)
      if (pending.length >= batchSize) subscription.pause()
      wakeUp.wake()
    })
    .on('error', fail)
    .on('end', () => fail())
    .on('close', () => fail())

  let announced = false
  return {
    take: (most) => {
      const events = pending.splice(0, most)
      const last = events.at(-1)
      if (last !== undefined && last.position > searched) searched = last.position
      if (pending.length < batchSize && subscription.isPaused()) subscription.resume()
      const drained = pending.length === 0 && subscription.readableLength === 0
      // Older servers do not report that they have reached the end.
      const caughtUp = drained && confirmed && (live || searched >= head)
      announced = caughtUp
      return { events, position: searched, caughtUp }
    },
    news: async () => {
      for (;;) {
        const mark = wakeUp.now()
        if (pending.length > 0 || stop.aborted) return
        if (failure !== undefined) throw failure
        if (confirmed && !announced && (live || searched >= head) && subscription.readableLength === 0) return
        const before = searched
        await wakeUp.after(mark, 60_000, stop)
        if (searched !== before) return
      }
    },
    close: () => {
      clearTimeout(unconfirmed)
      subscription.unsubscribe().catch(() => undefined)
    },
  }
}

export const follow = (after: Position, options: FollowOptions): Observable<Batch> =>
  new Observable((subscriber) => {
    const { batchSize = 500, handle, closing } = options
    const sleep = createWakeUp()
    const stop = new AbortController()
    const end = (): void => stop.abort()
    closing.addEventListener('abort', end)
    let position = after

    const deliver = async (batch: Batch): Promise<void> => {
      if (handle !== undefined) await handle(batch)
      position = batch.position
      if (!stop.signal.aborted) subscriber.next(batch)
    }
    const run = async (): Promise<void> => {
      for (let failures = 0; !stop.signal.aborted;) {
        let connection: Connection | undefined
        try {
          connection = await open(position, options, stop.signal)
          await connection.news()
        } catch (error) {
          connection?.close()
          options.log('event log subscription lost, retrying', error)
          await sleep.after(
            sleep.now(),
            backOff(failures++, RETRY_FIRST_MS, RETRY_MOST_MS, options.random),
            stop.signal,
          )
          continue
        }
        try {
          for (let broken = false; !broken && !stop.signal.aborted;) {
            const batch = connection.take(batchSize)
            if (batch.events.length > 0 || batch.caughtUp || batch.position !== position) {
              await deliver(batch)
              failures = 0
            }
            broken = await connection.news().then(
              () => false,
              (error: unknown) => {
                options.log('event log subscription lost, retrying', error)
                return true
              },
            )
          }
        } finally {
          connection.close()
        }
        await sleep.after(
          sleep.now(),
          backOff(failures++, RETRY_FIRST_MS, RETRY_MOST_MS, options.random),
          stop.signal,
        )
      }
    }

    if (closing.aborted) end()
    run().then(
      () => subscriber.complete(),
      (error: unknown) => subscriber.error(error),
    )
    return () => {
      closing.removeEventListener('abort', end)
      end()
    }
  })
