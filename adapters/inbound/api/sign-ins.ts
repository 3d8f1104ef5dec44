import { Type } from 'typebox'
import { OCSF_VERSION } from '../../../domain/audit/ocsf-classes.ts'
import { ocsfOfSignIn } from '../../../domain/audit/ocsf.ts'
import { timeOfId } from '../../../domain/audit/id.ts'
import type { Id } from '../../../domain/ids.ts'
import {
  findSignIn,
  listSignIns,
  resumeSignIns,
  signInsInOrder,
  type SignInFilters,
  type SignInRow,
} from '../../../read-models/queries/sign-ins.ts'
import { findUser } from '../../../read-models/queries/users.ts'
import type { Services } from '../../application/services/services.ts'
import { DEFAULT_LIMIT, listPage, listReply } from '../http/cursor.ts'
import { fields, idOf, route, type HttpContext, type Route } from '../http/route.ts'
import {
  eventFormats,
  lineContent,
  lineFormatOf,
  STREAM_DESCRIPTION,
  streamStart,
  wantsLines,
  wantsStream,
  NDJSON,
  OCSF,
  startOf,
  VARIES,
} from './event-formats.ts'
import type { Caller } from '../http/caller.ts'
import { eventStreams, STREAM_HEADERS } from '../http/event-stream.ts'
import { existing, readers } from '../http/schemas.ts'
import { newestFirst } from './session-schemas.ts'
import { between, SignIn, signInQuery } from './sign-in-schemas.ts'

const tag = 'Sign-in events'
const person = { credentials: ['session', 'cli_token'] } as const

type Query = Omit<SignInFilters, 'userId'> & {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

type OrderedQuery = Query & {
  readonly userId?: string | undefined
  readonly after?: Id<'signInEvent'> | undefined
}

const order = {
  after: Type.Optional(
    idOf('signInEvent', {
      description:
        'Returns attempts after this one, oldest first, in the order they were recorded. New attempts always follow existing ' +
        'ones, so a client can store the last id and continue from it at any time.',
    }),
  ),
}

/** Routes for sign-in attempts: by whom, when, how, from where, and with what result. */
export const signInRoutes = (
  services: Pick<Services, 'pool' | 'clock' | 'publicUrl' | 'version' | 'moved'>,
): readonly Route[] => {
  const { pool, clock, version, publicUrl, moved } = services
  const streams = eventStreams(moved('core'))
  const source = { version, url: publicUrl }

  const filtersOf = (query: Query, userId: string | undefined): SignInFilters => {
    const { appId, result, method, ip } = query
    return { userId, appId, result, method, ip, ...between(query) }
  }

  const list = async (query: Query, userId: string | undefined, url: URL) => {
    const { page, shown, toCursor } = newestFirst(query)
    const rows = await listSignIns(pool, filtersOf(query, userId), page)
    return listReply(listPage(rows, shown, toCursor, url), ({ sortKey: _, ...row }) => row)
  }

  const resume = (id: Id<'signInEvent'>) => resumeSignIns(pool, id, timeOfId(id))
  const shownOf = ({ position: _, ...row }: SignInRow & { readonly position: string }): SignInRow => row

  /** Returns attempts in log order, for clients that keep a copy. */
  const inOrder = async (query: OrderedQuery, http: Pick<HttpContext, 'accept' | 'url'>) => {
    const format = lineFormatOf(http.accept)
    if (format === null && query.after === undefined) {
      const { headers, ...reply } = await list(query, query.userId, http.url)
      return { ...reply, headers: { ...headers, ...VARIES } }
    }
    const filters = filtersOf(query, query.userId)
    const first = await startOf(query, resume)
    if (format !== null) {
      const content = lineContent(
        format,
        first.after,
        wantsLines(http, query.limit),
        (after, limit) => signInsInOrder(pool, filters, { ...first, after, limit }),
        (rows) =>
          Promise.resolve(rows.map((row) => (format === OCSF ? ocsfOfSignIn(row, source) : shownOf(row)))),
      )
      return { content, headers: VARIES }
    }
    const shown = query.limit ?? DEFAULT_LIMIT
    const rows = await signInsInOrder(pool, filters, { ...first, limit: shown + 1 })
    const paged = listPage(rows, shown, ({ position }) => [first.order, position], http.url)
    return listReply({ ...paged, headers: { ...paged.headers, ...VARIES } }, shownOf)
  }

  const follow = async (query: OrderedQuery, http: HttpContext, caller: Caller) => {
    const filters = filtersOf(query, query.userId)
    const newest = async () => (await signInsInOrder(pool, {}, { order: 'newest', limit: 1 }))[0]?.position
    const content = streams.open(caller, http.stream, {
      first: await streamStart('signInEvent', http.stream, query.after, resume, newest),
      read: (after, limit) => signInsInOrder(pool, filters, { order: 'oldest', limit, after }),
      write: (rows) => Promise.resolve(rows.map(shownOf)),
    })
    return { content, headers: { ...VARIES, ...STREAM_HEADERS } }
  }

  return [
    route({
      method: 'GET',
      path: '/sign-ins',
      tag,
      summary: 'List sign-in attempts, newest first',
      description:
        `With \`after\`, oldest first. With \`Accept: ${NDJSON}\`, all attempts, one per line, unless \`limit\` is sent; ` +
        `with \`Accept: ${OCSF}\`, the same attempts as OCSF ${OCSF_VERSION} events, class Authentication. ` +
        STREAM_DESCRIPTION,
      access: readers,
      query: signInQuery({ userId: Type.Optional(idOf('user')), ...order }),
      result: Type.Array(SignIn),
      produces: eventFormats,
      status: 200,
      errors: [],
      handle: ({ query, http, caller }) =>
        wantsStream(http.accept) ? follow(query, http, caller) : inOrder(query, http),
    }),
    route({
      method: 'GET',
      path: '/sign-ins/{id}',
      tag,
      summary: 'Get a sign-in attempt',
      access: readers,
      params: fields({ id: idOf('signInEvent') }),
      result: SignIn,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: await existing(findSignIn(pool, id)) }),
    }),
    route({
      method: 'GET',
      path: '/users/{id}/sign-ins',
      tag,
      summary: "List a user's sign-in attempts, newest first",
      access: readers,
      params: fields({ id: idOf('user') }),
      query: signInQuery({}),
      result: Type.Array(SignIn),
      status: 200,
      errors: [],
      handle: async ({ params: { id }, query, http }) => {
        await existing(findUser(pool, id, clock.now()))
        return list(query, id, http.url)
      },
    }),
    route({
      method: 'GET',
      path: '/me/sign-ins',
      tag: 'Account',
      summary: 'List your sign-in attempts, newest first',
      access: person,
      query: signInQuery({}),
      result: Type.Array(SignIn),
      status: 200,
      errors: [],
      // Users must not learn which policies they have to satisfy.
      handle: async ({ query, caller, http }) => {
        const reply = await list(query, caller.userId, http.url)
        return {
          ...reply,
          body: (reply.body ?? []).map((row) => ({
            ...row,
            decision: null,
            policyIds: [],
            riskEventIds: [],
          })),
        }
      },
    }),
  ]
}
