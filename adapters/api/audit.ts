import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { timeOfAuditId } from '../../domain/audit/id.ts'
import type { Id } from '../../domain/ids.ts'
import {
  findAudit,
  listAudit,
  resumeAfter,
  type AuditFilters,
  type AuditPage,
} from '../../read-models/queries/audit.ts'
import { findUser } from '../../read-models/queries/users.ts'
import { auditEntries } from '../audit/entries.ts'
import type { Services } from '../commands/deps.ts'
import { decodeCursor, DEFAULT_LIMIT, listQuery, MAX_LIMIT, page, pageReply } from '../http/cursor.ts'
import { fields, idOf, route, type Reply, type Route } from '../http/route.ts'
import { AuditEvent } from './audit-schemas.ts'
import { foreignCursor, found, instantOf, readers } from './schemas.ts'

const tag = 'Audit'
const NDJSON = 'application/x-ndjson'

const filters = {
  action: Type.Optional(
    Type.String({
      maxLength: 100,
      pattern: '^(?:[a-z_]+\\.)*(?:[a-z_]+|\\*)$',
      title: 'an action, a family of them (user.*) or *',
      examples: ['user.invite', 'user.*'],
    }),
  ),
  actorId: Type.Optional(idOf('user')),
  targetType: Type.Optional(Type.String({ maxLength: 50, pattern: '^[a-z_]+$', examples: ['user'] })),
  targetId: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  from: Type.Optional(Type.String({ description: 'The moment it begins with, RFC 3339' })),
  to: Type.Optional(Type.String({ description: 'The moment it ends before, RFC 3339' })),
}

const order = {
  after: Type.Optional(
    idOf('auditEvent', {
      description:
        'Oldest first, from the entry after this one. Entries never appear before one that was seen: whoever keeps the last id goes on from it at any time.',
    }),
  ),
}

interface AuditQuery extends AuditFilters {
  readonly after?: Id<'auditEvent'> | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export const auditRoutes = ({ pool, clock, vault }: Services): readonly Route[] => {
  const open = auditEntries(vault)

  const wanted = ({ from, to, ...rest }: AuditFilters): AuditFilters => ({
    ...rest,
    from: from === undefined ? undefined : instantOf(from, 'from'),
    to: to === undefined ? undefined : instantOf(to, 'to'),
  })

  /** Where the first page begins. */
  const start = async ({ after, cursor }: AuditQuery): Promise<Pick<AuditPage, 'order' | 'after'>> => {
    const direction = after === undefined ? 'newest' : 'oldest'
    const [of, position] = decodeCursor(cursor, 2) ?? []
    if (of === undefined)
      return {
        order: direction,
        after: after === undefined ? undefined : await resumeAfter(pool, after, timeOfAuditId(after)),
      }
    if (of !== direction || typeof position !== 'string') throw foreignCursor()
    return { order: direction, after: position }
  }

  /** All entries from a place on, a page at a time, so that no query waits for a slow reader. */
  const lines = async function* (
    given: AuditFilters,
    first: Pick<AuditPage, 'order' | 'after'>,
    most: number,
  ): AsyncGenerator<string> {
    let { after } = first
    for (let left = most; left > 0;) {
      const limit = Math.min(left, MAX_LIMIT)
      const rows = await listAudit(pool, given, { ...first, limit, after })
      if (rows.length > 0) yield (await open(rows)).map((entry) => `${JSON.stringify(entry)}\n`).join('')
      if (rows.length < limit) return
      after = rows.at(-1)?.position
      left -= rows.length
    }
  }

  const list = async (
    query: AuditQuery,
    { accept, url }: { readonly accept: string; readonly url: URL },
    about: AuditFilters = {},
  ): Promise<Reply<Awaited<ReturnType<typeof open>>>> => {
    const { after: _after, limit, cursor: _cursor, ...rest } = query
    const given = { ...wanted(rest), ...about }
    const first = await start(query)
    if (accept.includes(NDJSON)) {
      // A limit that nobody sent is the default of a page, and this is none.
      const most = url.searchParams.has('limit') ? limit : undefined
      const data = Readable.from(lines(given, first, most ?? Infinity), { highWaterMark: 1 })
      return { content: { type: NDJSON, data } }
    }
    const shown = limit ?? DEFAULT_LIMIT
    const rows = await listAudit(pool, given, { ...first, limit: shown + 1 })
    const paged = page(rows, shown, ({ position }) => [first.order, position], url)
    return pageReply({ ...paged, rows: await open(paged.rows) }, (entry) => entry)
  }

  return [
    route({
      method: 'GET',
      path: '/audit',
      tag,
      summary: 'List the audit trail, newest first',
      description:
        `With \`after\` oldest first. With \`Accept: ${NDJSON}\` all of it, one entry a line, unless \`limit\` says how ` +
        'many. Entries follow a change within moments. Those of sessions, tokens and sign-ins on other devices are kept as ' +
        'long as sign-in events, all others for ever.',
      access: readers,
      query: listQuery({ ...filters, ...order }),
      result: Type.Array(AuditEvent),
      produces: [NDJSON],
      status: 200,
      errors: [],
      handle: ({ query, http }) => list(query, http),
    }),
    route({
      method: 'GET',
      path: '/audit/{id}',
      tag,
      summary: 'Read an entry of the audit trail',
      access: readers,
      params: fields({ id: idOf('auditEvent') }),
      result: AuditEvent,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => {
        const row = await found(findAudit(pool, id))
        return { body: await found(open([row]).then(([entry]) => entry ?? null)) }
      },
    }),
    route({
      method: 'GET',
      path: '/users/{id}/audit',
      tag: 'Users',
      summary: 'List what happened to a person, newest first',
      description: 'What they did themselves is in /audit under their actorId.',
      access: readers,
      params: fields({ id: idOf('user') }),
      query: listQuery({ action: filters.action, from: filters.from, to: filters.to, ...order }),
      result: Type.Array(AuditEvent),
      produces: [NDJSON],
      status: 200,
      errors: [],
      handle: async ({ params: { id }, query, http }) => {
        await found(findUser(pool, id, clock.now()))
        return list(query, http, { personId: id })
      },
    }),
  ]
}
