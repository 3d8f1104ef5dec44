import type { EventMetadata, Recorded } from '../../../domain/catalogue.ts'
import { isEventType, rowOf } from '../../../domain/catalogue.ts'
import { openEvents, sealEvents, type RowFor } from '../vault/personal-fields.ts'
import type { Vault } from '../vault/vault.ts'
import type { EventLog, NewEvent, RecordedEvent } from './event-log.ts'
import { leafOf } from './leaf.ts'
import { upcast } from './upcast.ts'

const rowFor: RowFor = (type) => (isEventType(type) ? rowOf(type) : undefined)

/** Seals on the way in; opens and lifts to the current shape on the way out, leaving unknown types out. */
export interface Serializer {
  seal(events: readonly (NewEvent & { stream: string })[]): Promise<readonly NewEvent[]>
  /** @param options.withOrigin false leaves out `metadata.ip` and `userAgent`, whose opening is what costs most */
  open(
    events: readonly RecordedEvent[],
    options?: { readonly withOrigin?: boolean },
  ): Promise<readonly Recorded[]>
}

/** Personal fields sealed on the way in; opened, and lifted to the current shape, on the way out. */
export const eventSerializer = (vault: Vault): Serializer => ({
  seal: (events) => sealEvents(vault, events, rowFor),
  open: async (events, { withOrigin = true } = {}) => {
    const known = events.filter(({ type }) => isEventType(type))
    // Another instance may have destroyed the key; from this event on nothing of the person's may open here.
    for (const { type, data } of known)
      if (type === 'user.erased') vault.forget((data as { userId: string }).userId)
    const opened = await openEvents(vault, known, rowFor, withOrigin)
    return opened.map((event) => {
      const metadata = event.metadata as unknown as EventMetadata
      const data = upcast(event.type, metadata.schema, event.data)
      return { ...event, data, metadata: { ...metadata, ip: metadata.ip ?? null } } as unknown as Recorded
    })
  },
})

/** An event of a known type whose data cannot be had: of a later release, malformed, or sealed under a key that is not there. */
export class UnreadableEvent extends Error {
  readonly eventId: string

  constructor({ id, type, position }: RecordedEvent, cause: unknown) {
    super(`event ${id} (${type} at ${position}) cannot be read`, { cause })
    this.name = 'UnreadableEvent'
    this.eventId = id
  }
}

/** Whether an event may be of the same append as the one before it, of which nothing is known at the beginning. */
const follows = (event: RecordedEvent | undefined, before: RecordedEvent | undefined): boolean =>
  event !== undefined &&
  (before === undefined || (event.stream === before.stream && event.revision === before.revision + 1))

interface Opened {
  readonly events: readonly Recorded[]
  readonly unknown: number
  readonly leftOut: number
  /** What could not be opened, and the event before it. */
  readonly failure?: { readonly before: RecordedEvent | undefined; readonly error: UnreadableEvent }
}

/**
 * The log as projections and subscribers read it: opened, current, without types this version does not know.
 * @param wants leaves further types out, unopened: those there are most of cost whoever only passes over them most
 * @param withOrigin false for those who do not look at `metadata.ip` and `userAgent`
 * @param withLeaf true for those who keep the event as it is stored
 */
export const openedSource = (
  log: EventLog,
  serializer: Serializer,
  {
    batchSize = 500,
    wants = () => true,
    withOrigin = true,
    withLeaf = false,
  }: {
    batchSize?: number
    wants?: (type: string) => boolean
    withOrigin?: boolean
    withLeaf?: boolean
  } = {},
) => {
  const openBatch = async (all: readonly RecordedEvent[]): Promise<Opened> => {
    // Whoever reads the log forgets the keys of the erased, wanted or not: see `open`.
    const wanted = all.filter(({ type }) => !isEventType(type) || type === 'user.erased' || wants(type))
    const events = withLeaf ? wanted.map((event) => ({ ...event, leaf: leafOf(event) })) : wanted
    const leftOut = all.length - events.length
    try {
      const opened = await serializer.open(events, { withOrigin })
      return { events: opened, unknown: events.length - opened.length, leftOut }
    } catch (error) {
      const opened: Recorded[] = []
      for (const [at, event] of events.entries())
        try {
          opened.push(...(await serializer.open([event], { withOrigin })))
        } catch (cause) {
          return {
            events: opened,
            unknown: at - opened.length,
            leftOut,
            failure: {
              before: all[all.findIndex(({ id }) => id === event.id) - 1],
              error: new UnreadableEvent(event, cause),
            },
          }
        }
      throw error
    }
  }
  return {
    subscribe: (after: string, handle: (batch: OpenedBatch) => Promise<void>) => {
      let last: RecordedEvent | undefined
      return log.subscribe(after as RecordedEvent['position'], {
        batchSize,
        handle: async ({ events, position, caughtUp }) => {
          const { failure, ...opened } = await openBatch(events)
          const continues = follows(events[0], last)
          last = events.at(-1) ?? last
          if (failure === undefined) {
            await handle({ ...opened, position, caughtUp, continues })
            return
          }
          const { before } = failure
          if (before !== undefined)
            await handle({ ...opened, position: before.position, caughtUp: false, continues })
          throw failure.error
        },
      })
    },
    read: async (after: string, limit: number): Promise<OpenedBatch> => {
      const events = await log.readAll(after as RecordedEvent['position'], limit)
      const position = events.at(-1)?.position ?? after
      const { failure, ...opened } = await openBatch(events)
      if (failure !== undefined) throw failure.error
      return { ...opened, position, caughtUp: events.length < limit }
    },
    head: () => log.head(),
  }
}

/**
 * The log as it is stored, every type, nothing opened: of an event only its id, stream, place, `metadata.time`,
 * `recorded` and leaf may be looked at.
 */
export const storedSource = (log: EventLog, { batchSize = 500 }: { batchSize?: number } = {}) => {
  const withLeaves = (events: readonly RecordedEvent[]): readonly Recorded[] =>
    events.map((event) => ({ ...event, leaf: leafOf(event) }) as unknown as Recorded)
  const batchOf = (events: readonly RecordedEvent[], position: string, caughtUp: boolean): OpenedBatch => ({
    events: withLeaves(events),
    position,
    caughtUp,
    unknown: 0,
    leftOut: 0,
  })
  return {
    subscribe: (after: string, handle: (batch: OpenedBatch) => Promise<void>) =>
      log.subscribe(after as RecordedEvent['position'], {
        batchSize,
        handle: ({ events, position, caughtUp }) => handle(batchOf(events, position, caughtUp)),
      }),
    read: async (after: string, limit: number): Promise<OpenedBatch> => {
      const events = await log.readAll(after as RecordedEvent['position'], limit)
      return batchOf(events, events.at(-1)?.position ?? after, events.length < limit)
    },
    head: () => log.head(),
  }
}

interface OpenedBatch {
  readonly events: readonly Recorded[]
  readonly position: string
  readonly caughtUp: boolean
  readonly unknown: number
  readonly leftOut: number
  readonly continues?: boolean
}
