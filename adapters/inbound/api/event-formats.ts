/** The formats of event lists: a page of JSON, or all events one per line, in our format or OCSF. */
import { Readable } from 'node:stream'
import { preferredType } from '../http/accept.ts'
import type { ChronologicalPage } from '../../../read-models/queries/page.ts'
import { decodeCursor, MAX_LIMIT } from '../http/cursor.ts'
import type { Content, HttpContext } from '../http/route.ts'
import { foreignCursor } from '../http/schemas.ts'

export const NDJSON = 'application/x-ndjson'
/** Newline-delimited events of the Open Cybersecurity Schema Framework (https://schema.ocsf.io). */
export const OCSF = 'application/vnd.ocsf+x-ndjson'

/** The media types that line-format routes declare. */
export const lineFormats = [NDJSON, OCSF] as const
export type LineFormat = (typeof lineFormats)[number]

/** The same address returns several formats. */
export const VARIES = { Vary: 'Accept' } as const

/** The requested line format; null for a page of JSON. */
export const lineFormatOf = (accept: string): LineFormat | null => {
  const type = preferredType(accept, ['application/json', ...lineFormats])
  return type === 'application/json' ? null : type
}

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
