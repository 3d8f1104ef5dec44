import type { EventMetadata, Recorded } from '../../../domain/catalogue.ts'
import { isEventType, rowOf } from '../../../domain/catalogue.ts'
import { openEvents, sealEvents, type RowFor } from '../vault/personal-fields.ts'
import type { Vault } from '../vault/vault.ts'
import type { EventLog, NewEvent, RecordedEvent } from './event-log.ts'
import { leafOf, sharedLeafOf } from './leaf.ts'
import { upcast } from './upcast.ts'

const rowFor: RowFor = (type) => (isEventType(type) ? rowOf(type) : undefined)

/** Encrypts on write; decrypts and upcasts on read, and skips unknown types. */
export interface Serializer {
  seal(events: readonly (NewEvent & { stream: string })[]): Promise<readonly NewEvent[]>
  /** @param options.withOrigin false omits `metadata.ip` and `userAgent`, whose decryption costs the most */
  open(
    events: readonly RecordedEvent[],
    options?: { readonly withOrigin?: boolean },
  ): Promise<readonly Recorded[]>
  /** `open` without origin, for consumers that read the same objects: each of them is decrypted once. */
  openShared(events: readonly RecordedEvent[]): Promise<readonly Recorded[]>
}

/** Encrypts personal fields on write; decrypts and upcasts on read. */
export const eventSerializer = (vault: Vault): Serializer => {
  let shared = new WeakMap<RecordedEvent, Recorded>()
  let forgotten = vault.forgotten()
  /** Consumers wake up together. They take turns, so that the second finds what the first has decrypted. */
  let turn: Promise<unknown> = Promise.resolve()

  const knownOf = (events: readonly RecordedEvent[]): readonly RecordedEvent[] => {
    const known = events.filter(({ type }) => isEventType(type))
    // Another instance may have destroyed the key; after this event, this instance must not decrypt the user's data.
    for (const { type, data } of known)
      if (type === 'user.erased') vault.forget((data as { userId: string }).userId)
    return known
  }
  const openKnown = async (known: readonly RecordedEvent[], withOrigin: boolean): Promise<Recorded[]> => {
    const opened = await openEvents(vault, known, rowFor, withOrigin)
    return opened.map((event) => {
      const metadata = event.metadata as unknown as EventMetadata
      const data = upcast(event.type, metadata.schema, event.data)
      return { ...event, data, metadata: { ...metadata, ip: metadata.ip ?? null } } as unknown as Recorded
    })
  }

  const openMissing = async (known: readonly RecordedEvent[]): Promise<readonly Recorded[]> => {
    if (vault.forgotten() !== forgotten) {
      forgotten = vault.forgotten()
      shared = new WeakMap()
    }
    const current = shared
    const missing = known.filter((event) => !current.has(event))
    const opened = await openKnown(missing, false)
    for (const [at, event] of missing.entries()) current.set(event, opened[at]!)
    return known.map((event) => current.get(event)!)
  }

  return {
    seal: (events) => sealEvents(vault, events, rowFor),
    open: (events, { withOrigin = true } = {}) => openKnown(knownOf(events), withOrigin),
    openShared: (events) => {
      const opening = turn.then(() => openMissing(knownOf(events)))
      turn = opening.catch(() => undefined)
      return opening
    },
  }
}

/** An unreadable event of a known type: from a later release, malformed, or encrypted under a missing key. */
export class UnreadableEvent extends Error {
  readonly eventId: string

  constructor({ id, type, position }: RecordedEvent, cause: unknown) {
    super(`event ${id} (${type} at ${position}) cannot be read`, { cause })
    this.name = 'UnreadableEvent'
    this.eventId = id
  }
}

/**
 * Whether two consecutive events may belong to the same append. At the beginning nothing is known about the event
 * before.
 */
const follows = (event: RecordedEvent | undefined, before: RecordedEvent | undefined): boolean =>
  event !== undefined &&
  (before === undefined || (event.stream === before.stream && event.revision === before.revision + 1))

interface Opened {
  readonly events: readonly Recorded[]
  readonly unknown: number
  readonly leftOut: number
  /** The event that could not be decrypted, and the event before it */
  readonly failure?: { readonly before: RecordedEvent | undefined; readonly error: UnreadableEvent }
}

interface Reader {
  readonly open: (events: readonly RecordedEvent[]) => Promise<readonly Recorded[]>
  readonly leaf: (event: RecordedEvent) => string
}

/**
 * The log for projections and subscribers: decrypted, current, without unknown types.
 * @param wants filters further types before decryption; decrypting frequent types is expensive for readers that skip
 * them
 * @param withOrigin false for readers that do not need `metadata.ip` and `userAgent`
 * @param withLeaf true for readers that need the stored event
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
  const readers = {
    alone: { open: (events) => serializer.open(events, { withOrigin }), leaf: leafOf },
    shared: { open: withOrigin ? serializer.open : serializer.openShared, leaf: sharedLeafOf },
  } satisfies Record<string, Reader>

  const openBatch = async (all: readonly RecordedEvent[], { open, leaf }: Reader): Promise<Opened> => {
    // Every reader of the log drops the keys of erased users, even if it filters out the event: see `open`.
    const events = all.filter(({ type }) => !isEventType(type) || type === 'user.erased' || wants(type))
    const leftOut = all.length - events.length
    const withLeaves = (opened: readonly Recorded[]): readonly Recorded[] => {
      if (!withLeaf) return opened
      const stored = new Map(events.map((event) => [event.id, event]))
      return opened.map((event) => ({ ...event, leaf: leaf(stored.get(event.id)!) }))
    }
    try {
      const opened = await open(events)
      return { events: withLeaves(opened), unknown: events.length - opened.length, leftOut }
    } catch (error) {
      const opened: Recorded[] = []
      for (const [at, event] of events.entries())
        try {
          opened.push(...(await open([event])))
        } catch (cause) {
          return {
            events: withLeaves(opened),
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
          const { failure, ...opened } = await openBatch(events, readers.shared)
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
      const { failure, ...opened } = await openBatch(events, readers.alone)
      if (failure !== undefined) throw failure.error
      return { ...opened, position, caughtUp: events.length < limit }
    },
    head: () => log.head(),
  }
}

/**
 * The log as stored, with every type and without decryption. Readers may use only the id, stream, position,
 * `metadata.time`, `recorded` and leaf of an event.
 */
export const storedSource = (log: EventLog, { batchSize = 500 }: { batchSize?: number } = {}) => {
  const batchOf = (
    events: readonly RecordedEvent[],
    leaf: Reader['leaf'],
    position: string,
    caughtUp: boolean,
  ): OpenedBatch => ({
    events: events.map((event) => ({ ...event, leaf: leaf(event) }) as unknown as Recorded),
    position,
    caughtUp,
    unknown: 0,
    leftOut: 0,
  })
  return {
    subscribe: (after: string, handle: (batch: OpenedBatch) => Promise<void>) =>
      log.subscribe(after as RecordedEvent['position'], {
        batchSize,
        handle: ({ events, position, caughtUp }) => handle(batchOf(events, sharedLeafOf, position, caughtUp)),
      }),
    read: async (after: string, limit: number): Promise<OpenedBatch> => {
      const events = await log.readAll(after as RecordedEvent['position'], limit)
      return batchOf(events, leafOf, events.at(-1)?.position ?? after, events.length < limit)
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
