/** The formats of event lists: a page of JSON, or all events one per line, in our format or OCSF. */
import { Readable } from 'node:stream'
import { preferredType } from '../http/accept.ts'
import type { ChronologicalPage } from '../../../read-models/queries/page.ts'
import { DomainError } from '../../../domain/errors.ts'
import { isId, type Id } from '../../../domain/ids.ts'
import { decodeCursor, MAX_LIMIT } from '../http/cursor.ts'
import { EVENT_STREAM } from '../http/event-stream.ts'
import type { Content, HttpContext, StreamContext } from '../http/route.ts'
import { foreignCursor } from '../http/schemas.ts'

export const NDJSON = 'application/x-ndjson'
/** Newline-delimited events of the Open Cybersecurity Schema Framework (https://schema.ocsf.io). */
export const OCSF = 'application/vnd.ocsf+x-ndjson'

/** The media types that routes of lines declare besides JSON. */
export const lineFormats = [NDJSON, OCSF] as const
export type LineFormat = (typeof lineFormats)[number]

/** The media types of lists that can also be followed. */
export const eventFormats = [...lineFormats, EVENT_STREAM] as const

/** The same address returns several formats. */
export const VARIES = { Vary: 'Accept' } as const

/** The requested line format; null for a page of JSON. */
export const lineFormatOf = (accept: string): LineFormat | null => {
  const type = preferredType(accept, ['application/json', ...lineFormats])
  return type === 'application/json' ? null : type
}

export const wantsStream = (accept: string): boolean =>
  preferredType(accept, ['application/json', ...eventFormats]) === EVENT_STREAM

/**
 * Returns where an event stream starts: after the event that the client saw last, otherwise after the newest.
 * @param resume returns the position of an event
 * @param newest returns the newest position; undefined if there are no events
 * @throws DomainError ERR_INVALID
 */
export const streamStart = async <K extends 'auditEvent' | 'signInEvent'>(
  kind: K,
  { lastEventId }: Pick<StreamContext, 'lastEventId'>,
  after: Id<K> | undefined,
  resume: (id: Id<K>) => Promise<string>,
  newest: () => Promise<string | undefined>,
): Promise<string> => {
  if (lastEventId !== undefined) {
    if (!isId(kind, lastEventId))
      throw new DomainError('ERR_INVALID', 'Last-Event-ID must be the id of an event in this list.')
    return resume(lastEventId)
  }
  return after === undefined ? ((await newest()) ?? '') : resume(after)
}

/** What the documents of both event lists say of the format. */
export const STREAM_DESCRIPTION =
  `With \`Accept: ${EVENT_STREAM}\`, the response stays open and sends each new entry as a server-sent event, ` +
  'beginning after `Last-Event-ID` or `after`, otherwise with the next one. It ends when the access of the caller ends.'

interface Row {
  readonly position: string
}

/**
 * Returns all rows after a position, one page at a time, so that no query waits for a slow reader.
 * @param read returns the rows after a position, up to a limit
 * @param write formats rows, one line each
 * @param most maximum number of rows; undefined for all: the page's default limit does not apply here
 */
export const lineContent = <R extends Row>(
  type: LineFormat,
  first: string | undefined,
  most: number | undefined,
  read: (after: string | undefined, limit: number) => Promise<readonly R[]>,
  write: (rows: readonly R[]) => Promise<readonly object[]>,
): Content => {
  const lines = async function* (): AsyncGenerator<string> {
    let after = first
    for (let left = most ?? Infinity; left > 0;) {
      const limit = Math.min(left, MAX_LIMIT)
      const rows = await read(after, limit)
      if (rows.length > 0) yield (await write(rows)).map((event) => `${JSON.stringify(event)}\n`).join('')
      if (rows.length < limit) return
      after = rows.at(-1)?.position
      left -= rows.length
    }
  }
  return { type, data: Readable.from(lines(), { highWaterMark: 1 }) }
}

/** Returns the requested number of lines; undefined for all. */
export const wantsLines = (
  { url }: Pick<HttpContext, 'url'>,
  limit: number | undefined,
): number | undefined => (url.searchParams.has('limit') ? limit : undefined)

/**
 * Returns where the first page of a list in log order starts: oldest first after an id, newest first without one.
 * @throws DomainError ERR_INVALID for the cursor of another list
 */
export const startOf = async <I extends string>(
  { after, cursor }: { readonly after?: I | undefined; readonly cursor?: string | undefined },
  resume: (id: I) => Promise<string>,
): Promise<Pick<ChronologicalPage, 'order' | 'after'>> => {
  const order = after === undefined ? 'newest' : 'oldest'
  const [of, position] = decodeCursor(cursor, 2) ?? []
  if (of === undefined) return { order, after: after === undefined ? undefined : await resume(after) }
  if (of !== order || typeof position !== 'string') throw foreignCursor()
  return { order, after: position }
}
