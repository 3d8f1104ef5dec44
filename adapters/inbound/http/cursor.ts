/** Paging of lists: top-level arrays, `Link: <…>; rel="next"` (RFC 8288), an opaque cursor. */
import { Type, type TProperties } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { isStorable } from '../../../domain/text.ts'
import { fields, type Reply, type ReplyHeaders } from './route.ts'

export const DEFAULT_LIMIT = 50
export const MAX_LIMIT = 200

/** The content of a cursor: the sort keys of the last row of the page. */
export type CursorKeys = readonly (string | number | null)[]

const paging = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_LIMIT,
      default: DEFAULT_LIMIT,
      description: 'Items per page',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      pattern: '^[A-Za-z0-9_-]+$',
      description: 'From the Link header of the previous page',
    }),
  ),
}

/** The query of a list: its own filters, `limit` and `cursor`. */
export const listQuery = <T extends TProperties>(filters: T) => fields({ ...filters, ...paging })

export const encodeCursor = (keys: CursorKeys): string =>
  Buffer.from(JSON.stringify(keys)).toString('base64url')

const isKeys = (value: unknown): value is CursorKeys =>
  Array.isArray(value) &&
  value.every((key) => (typeof key === 'string' ? isStorable(key) : key === null || Number.isFinite(key)))

/**
 * Returns the sort keys after which the page starts; undefined on the first page.
 * @param length how many keys the list sorts by
 * @throws DomainError ERR_INVALID for a cursor that this list did not return
 */
export const decodeCursor = (cursor: string | undefined, length: number): CursorKeys | undefined => {
  if (cursor === undefined) return undefined
  try {
    const keys: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (isKeys(keys) && keys.length === length) return keys
  } catch {
    // rejected below, like any other invalid cursor
  }
  throw new DomainError(
    'ERR_INVALID',
    'cursor: expected an unchanged cursor from a Link header; omit it to start from the first page',
    '/cursor',
  )
}

/**
 * Returns the response of a list. Query `limit + 1` rows: the extra one shows that there is a next page.
 * @param url the requested address (`http.url`); its other parameters are kept
 */
export const listPage = <Row>(
  rows: readonly Row[],
  limit: number,
  toCursor: (last: Row) => CursorKeys,
  url: URL,
  total?: number,
): { readonly rows: readonly Row[]; readonly headers: ReplyHeaders } => {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const headers: Record<string, string> = {}
  if (total !== undefined) headers['X-Total-Count'] = String(total)
  if (rows.length > limit && last !== undefined) {
    const next = new URL(url)
    next.searchParams.set('limit', String(limit))
    next.searchParams.set('cursor', encodeCursor(toCursor(last)))
    headers['Link'] = `<${next.href}>; rel="next"`
  }
  return { rows: shown, headers }
}

/** The same as a reply, for rows that are returned unchanged or converted by `toItem`. */
export const listReply = <Row, Item>(
  paged: { readonly rows: readonly Row[]; readonly headers: ReplyHeaders },
  toItem: (row: Row) => Item,
): Reply<readonly Item[]> => ({ body: paged.rows.map(toItem), headers: paged.headers })
