/** Reading from EventStoreDB with a time limit, without its own (`$…`) events. */
import { BACKWARDS, END, FORWARDS, START as BEGINNING, StreamNotFoundError } from '@eventstore/db-client'
import type { EventStoreDBClient, ResolvedEvent, StreamingRead } from '@eventstore/db-client'
import { START } from '../event-log.ts'
import type { JsonObject, Position, RecordedEvent } from '../event-log.ts'

export const READ_TIMEOUT_MS = 10_000
const PAGE = 500
/** The time limit is that of a page: a page of the largest events fits into it, whatever the length of the stream. */
const STREAM_PAGE = 200

/** 19 digits fit every commit position, so that text order is log order. */
export const positionOf = (commit: bigint): Position => commit.toString().padStart(19, '0') as Position

/** Commit and prepare positions are the same for plain appends, and this interface makes no others. */
export const logPosition = (position: Position): { commit: bigint; prepare: bigint } | typeof BEGINNING =>
  position === START ? BEGINNING : { commit: BigInt(position), prepare: BigInt(position) }

/** The event, unless it is one of the server's own or the target of its link was deleted. */
export const eventOf = ({ event }: ResolvedEvent): RecordedEvent | undefined => {
  if (event === undefined || event.type.startsWith('$') || event.streamId.startsWith('$')) return undefined
  return {
    stream: event.streamId,
    revision: Number(event.revision),
    position: event.position === undefined ? START : positionOf(event.position.commit),
    id: event.id,
    type: event.type,
    data: event.data as JsonObject,
    metadata: (event.metadata ?? {}) as JsonObject,
    recorded: String(event.created.getTime() * 1000),
  }
}

/** The client library neither ends nor fails a cancelled read, so a separate timer is needed. */
const collect = <E extends ResolvedEvent>(stream: StreamingRead<E>, limitMs: number): Promise<E[]> =>
  new Promise((resolve, reject) => {
    const events: E[] = []
    const timer = setTimeout(() => {
      stream.cancel().catch(() => undefined)
      reject(new Error('the read took too long'))
    }, limitMs)
    stream.on('data', (event) => events.push(event))
    stream.on('end', () => {
      clearTimeout(timer)
      resolve(events)
    })
    stream.on('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
  })

const readPage = async (
  client: EventStoreDBClient,
  stream: string,
  options: {
    fromRevision: bigint | typeof END
    direction: typeof FORWARDS | typeof BACKWARDS
    maxCount: number
  },
): Promise<readonly ResolvedEvent[]> => {
  try {
    const deadline = READ_TIMEOUT_MS
    return await collect(client.readStream(stream, { ...options, deadline }), READ_TIMEOUT_MS)
  } catch (error) {
    if (error instanceof StreamNotFoundError) return []
    throw error
  }
}

const shown = (page: readonly ResolvedEvent[]): readonly RecordedEvent[] =>
  page.flatMap((one) => eventOf(one) ?? [])

export const readStreamEvents = async (
  client: EventStoreDBClient,
  stream: string,
  from: number,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = []
  for (let fromRevision = BigInt(from); ;) {
    const maxCount = Math.min(STREAM_PAGE, limit - events.length)
    const page = await readPage(client, stream, { fromRevision, direction: FORWARDS, maxCount })
    events.push(...shown(page))
    const last = page.at(-1)?.event?.revision
    if (page.length < maxCount || last === undefined || events.length >= limit) return events
    fromRevision = last + 1n
  }
}

/** Reads the last events of a stream, newest first. */
export const readStreamEnd = async (
  client: EventStoreDBClient,
  stream: string,
  count: number,
): Promise<readonly RecordedEvent[]> =>
  shown(await readPage(client, stream, { fromRevision: END, direction: BACKWARDS, maxCount: count }))

export const readAllEvents = async (
  client: EventStoreDBClient,
  after: Position,
  limit: number,
): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = []
  let from = logPosition(after)
  for (;;) {
    const options = {
      fromPosition: from,
      direction: FORWARDS,
      maxCount: PAGE,
      deadline: READ_TIMEOUT_MS,
    } as const
    const page = await collect(client.readAll(options), READ_TIMEOUT_MS)
    for (const one of page) {
      const event = eventOf(one)
      // A read starts with the event at the position itself, which is skipped.
      if (event === undefined || event.position <= (events.at(-1)?.position ?? after)) continue
      events.push(event)
      if (events.length === limit) return events
    }
    const last = page.at(-1)?.event?.position
    if (page.length < PAGE || last === undefined) return events
    from = last
  }
}

/** Returns the position of the last event that is not one of the server's own. */
export const readHead = async (client: EventStoreDBClient, limitMs: number): Promise<Position> => {
  let from: { commit: bigint; prepare: bigint } | typeof END = END
  for (let maxCount = 16; ; maxCount = PAGE) {
    const options = { fromPosition: from, direction: BACKWARDS, maxCount, deadline: limitMs } as const
    const page: ResolvedEvent[] = await collect(client.readAll(options), limitMs)
    for (const one of page) {
      const event = eventOf(one)
      if (event !== undefined) return event.position
    }
    const last = page.at(-1)?.event?.position
    if (page.length < maxCount || last === undefined) return START
    from = last
  }
}

/**
 * Returns where to start a subscription that delivers everything after a position. The server skips the first event
 * that it finds there, assuming that it is the one at the position. If that event was scavenged, it would skip another
 * one.
 */
export const subscribeFrom = async (
  client: EventStoreDBClient,
  after: Position,
): Promise<{ commit: bigint; prepare: bigint } | typeof BEGINNING> => {
  const at = logPosition(after)
  if (at === BEGINNING) return BEGINNING
  const next = async (
    direction: typeof FORWARDS | typeof BACKWARDS,
  ): Promise<{ commit: bigint; prepare: bigint } | undefined> => {
    const options = { fromPosition: at, direction, maxCount: 1, deadline: READ_TIMEOUT_MS } as const
    const [last] = await collect(client.readAll(options), READ_TIMEOUT_MS)
    return last?.event?.position
  }
  const here = await next(FORWARDS)
  if (here === undefined || here.commit === at.commit) return at
  return (await next(BACKWARDS)) ?? BEGINNING
}
