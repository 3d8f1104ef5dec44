/** Helpers of the event log's tests. */
import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { START } from '../../adapters/engines/event-log/event-log.ts'
import type {
  Batch,
  EventLog,
  NewEvent,
  Position,
  RecordedEvent,
} from '../../adapters/engines/event-log/event-log.ts'

export const newEvent = (data: NewEvent['data'] = {}, type = 'thing.happened'): NewEvent => ({
  id: randomUUID(),
  type,
  data,
  metadata: { time: '2026-01-01T00:00:00.000000Z' },
})

export const newStream = (category = 'thing'): string => `${category}-${randomUUID()}`

/** Resolves when the condition holds; fails after `ms`. */
export const until = async (condition: () => boolean | Promise<boolean>, ms = 15_000): Promise<void> => {
  for (const end = Date.now() + ms; !(await condition());) {
    if (Date.now() > end) throw new Error('waited too long')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

export const rejection = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

export interface Reader {
  readonly events: RecordedEvent[]
  readonly batches: Batch[]
  readonly stop: () => void
}

/** Collects everything that a subscription delivers. */
export const readOn = (log: EventLog, after: Position, batchSize = 500): Reader => {
  const events: RecordedEvent[] = []
  const batches: Batch[] = []
  const subscription = log.subscribe(after, { batchSize }).subscribe((batch) => {
    batches.push(batch)
    events.push(...batch.events)
  })
  return { events, batches, stop: () => subscription.unsubscribe() }
}

export const expectOrdered = (events: readonly RecordedEvent[]): void => {
  for (const [at, event] of events.entries()) {
    expect(event.position > (events[at - 1]?.position ?? START), 'positions rise').to.equal(true)
  }
}
