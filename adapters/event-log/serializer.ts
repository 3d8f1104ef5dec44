import type { EventMetadata, Recorded } from '../../domain/catalogue.ts'
import { isEventType, rowOf } from '../../domain/catalogue.ts'
import { openEvents, sealEvents, type RowFor } from '../vault/personal-fields.ts'
import type { Vault } from '../vault/vault.ts'
import type { EventLog, RecordedEvent } from './event-log.ts'
import type { Serializer } from './handle.ts'
import { upcast } from './upcast.ts'

const rowFor: RowFor = (type) => (isEventType(type) ? rowOf(type) : undefined)

/** Personal fields sealed on the way in; opened, and lifted to the current shape, on the way out. */
export const eventSerializer = (vault: Vault): Serializer => ({
  seal: (events) => sealEvents(vault, events, rowFor),
  open: async (events) => {
    const known = events.filter(({ type }) => isEventType(type))
    // Another instance may have destroyed the key; from this event on nothing of the person's may open here.
    for (const { type, data } of known)
      if (type === 'user.erased') vault.forget((data as { userId: string }).userId)
    const opened = await openEvents(vault, known, rowFor)
    return opened.map((event) => {
      const metadata = event.metadata as unknown as EventMetadata
      const data = upcast(event.type, metadata.schema, event.data)
      return { ...event, data, metadata: { ...metadata, ip: metadata.ip ?? null } } as unknown as Recorded
    })
  },
})

/** The log as projections and subscribers read it: opened, current, without types this version does not know. */
export const openedSource = (log: EventLog, serializer: Serializer, batchSize = 500) => {
  const openBatch = async (events: readonly RecordedEvent[]) => {
    const opened = await serializer.open(events)
    return { events: opened, unknown: events.length - opened.length }
  }
  return {
    subscribe: (after: string, handle: (batch: OpenedBatch) => Promise<void>) =>
      log.subscribe(after as RecordedEvent['position'], {
        batchSize,
        handle: async ({ events, position, caughtUp }) => {
          await handle({ ...(await openBatch(events)), position, caughtUp })
        },
      }),
    read: async (after: string, limit: number): Promise<OpenedBatch> => {
      const events = await log.readAll(after as RecordedEvent['position'], limit)
      const position = events.at(-1)?.position ?? after
      return { ...(await openBatch(events)), position, caughtUp: events.length < limit }
    },
    head: () => log.head(),
  }
}

interface OpenedBatch {
  readonly events: readonly Recorded[]
  readonly position: string
  readonly caughtUp: boolean
  readonly unknown: number
}
