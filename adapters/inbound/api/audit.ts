import { Type } from 'typebox'
import { timeOfId } from '../../../domain/audit/id.ts'
import { OCSF_VERSION } from '../../../domain/audit/ocsf-classes.ts'
import { ocsfOfEntry } from '../../../domain/audit/ocsf.ts'
import type { Id } from '../../../domain/ids.ts'
import { findAudit, listAudit, resumeAudit, type AuditFilters } from '../../../read-models/queries/audit.ts'
import { findUser } from '../../../read-models/queries/users.ts'
import { auditEntries } from '../../engines/audit/entries.ts'
import type { Services } from '../../application/services/services.ts'
import { DEFAULT_LIMIT, listQuery, listPage, listReply } from '../http/cursor.ts'
import { fields, idOf, route, type HttpContext, type Reply, type Route } from '../http/route.ts'
import type { Caller } from '../http/caller.ts'
import { eventStreams, STREAM_HEADERS } from '../http/event-stream.ts'
import { AuditEvent } from './audit-schemas.ts'
import {
  eventFormats,
  lineContent,
  lineFormatOf,
  lineFormats,
  STREAM_DESCRIPTION,
  streamStart,
  wantsLines,
  wantsStream,
  NDJSON,
  OCSF,
  startOf,
  VARIES,
} from './event-formats.ts'
import { existing, instantOf, printable, readers, timeInput } from '../http/schemas.ts'

const tag = 'Audit'

const filters = {
  action: Type.Optional(
    Type.String({
      maxLength: 100,
      pattern: '^(?:[a-z_]+\\.)*(?:[a-z_]+|\\*)$',
      title: 'an action, a family of actions (user.*) or *',
      examples: ['user.invite', 'user.*'],
    }),
  ),
  actorId: Type.Optional(idOf('user')),
  targetType: Type.Optional(Type.String({ maxLength: 50, pattern: '^[a-z_]+$', examples: ['user'] })),
  targetId: Type.Optional(printable(100)),
  correlationId: Type.Optional(printable(100, 'Entries of one request only')),
  q: Type.Optional(
    printable(200, 'Prefix of the current or an earlier name of the actor, the target or the other party'),
  ),
  from: Type.Optional(timeInput('Start time (inclusive)')),
  to: Type.Optional(timeInput('End time (exclusive)')),
}

const order = {
  after: Type.Optional(
    idOf('auditEvent', {
      description:
        'Returns entries after this one, oldest first. New entries always follow existing ones, so a client can store the last id and continue from it at any time.',
    }),
  ),
}

interface AuditQuery extends AuditFilters {
  readonly after?: Id<'auditEvent'> | undefined
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export const auditRoutes = ({
  pool,
  clock,
  vault,
  version,
  publicUrl,
  moved,
}: Pick<Services, 'pool' | 'vault' | 'clock' | 'publicUrl' | 'version' | 'moved'>): readonly Route[] => {
  const streams = eventStreams(moved('audit'))
  const open = auditEntries(vault)
  const source = { version, url: publicUrl }

  const wanted = ({ from, to, ...rest }: AuditFilters): AuditFilters => ({
    ...rest,
    from: from === undefined ? undefined : instantOf(from, 'from'),
    to: to === undefined ? undefined : instantOf(to, 'to'),
  })

  const resume = (id: Id<'auditEvent'>) => resumeAudit(pool, id, timeOfId(id))

  const list = async (
    query: AuditQuery,
    http: Pick<HttpContext, 'accept' | 'url'>,
    about: AuditFilters = {},
  ): Promise<Reply<Awaited<ReturnType<typeof open>>>> => {
    const { after: _after, limit, cursor: _cursor, ...rest } = query
    const allFilters = { ...wanted(rest), ...about }
    const { order, after } = await startOf(query, resume)
    const format = lineFormatOf(http.accept)
    if (format !== null) {
      const content = lineContent(
        format,
        after,
        wantsLines(http, limit),
        (from, most) => listAudit(pool, allFilters, { order, limit: most, after: from }),
        async (rows) => {
          const entries = await open(rows)
          return format === OCSF ? entries.map((entry) => ocsfOfEntry(entry, source)) : entries
        },
      )
      return { content, headers: VARIES }
    }
    const shown = limit ?? DEFAULT_LIMIT
    const rows = await listAudit(pool, allFilters, { order, after, limit: shown + 1 })
    const paged = listPage(rows, shown, ({ position }) => [order, position], http.url)
    const headers = { ...paged.headers, ...VARIES }
    return listReply({ headers, rows: await open(paged.rows) }, (entry) => entry)
  }

  const follow = async (query: AuditQuery, http: HttpContext, caller: Caller) => {
    const { after, limit: _limit, cursor: _cursor, ...rest } = query
    const allFilters = wanted(rest)
    const newest = async () => (await listAudit(pool, {}, { order: 'newest', limit: 1 }))[0]?.position
    const content = streams.open(caller, http.stream, {
      first: await streamStart('auditEvent', http.stream, after, resume, newest),
      read: (from, limit) => listAudit(pool, allFilters, { order: 'oldest', limit, after: from }),
      write: open,
    })
    return { content, headers: { ...VARIES, ...STREAM_HEADERS } }
  }

  return [
    route({
      method: 'GET',
      path: '/audit',
      tag,
      summary: 'List the audit trail, newest first',
      description:
        `With \`after\`, oldest first. With \`Accept: ${NDJSON}\`, all entries, one per line, unless \`limit\` is sent; ` +
        `with \`Accept: ${OCSF}\`, the same entries as OCSF ${OCSF_VERSION} events, with the entry id as metadata.uid. ` +
        'Entries appear within moments of a change. Entries for sessions, tokens and sign-ins on other devices are kept as ' +
        'long as sign-in events; all others are kept permanently. ' +
        STREAM_DESCRIPTION,
      access: readers,
      query: listQuery({ ...filters, ...order }),
      result: Type.Array(AuditEvent),
      produces: eventFormats,
      status: 200,
      errors: [],
      handle: ({ query, http, caller }) =>
        wantsStream(http.accept) ? follow(query, http, caller) : list(query, http),
    }),
    route({
      method: 'GET',
      path: '/audit/{id}',
      tag,
      summary: 'Get an audit entry',
      access: readers,
      params: fields({ id: idOf('auditEvent') }),
      result: AuditEvent,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => {
        const row = await existing(findAudit(pool, id))
        return { body: await existing(open([row]).then(([entry]) => entry ?? null)) }
      },
    }),
    route({
      method: 'GET',
      path: '/users/{id}/audit',
      tag: 'Users',
      summary: 'List audit entries about a user, newest first',
      description: "For a user's own actions, use /audit with actorId.",
      access: readers,
      params: fields({ id: idOf('user') }),
      query: listQuery({ action: filters.action, from: filters.from, to: filters.to, ...order }),
      result: Type.Array(AuditEvent),
      produces: lineFormats,
      status: 200,
      errors: [],
      handle: async ({ params: { id }, query, http }) => {
        await existing(findUser(pool, id, clock.now()))
        return list(query, http, { personId: id })
      },
    }),
  ]
}
