/** A listening server with a few routes that cover the API layer. */
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { Type } from 'typebox'
import { anonymous, type KnownCaller } from '../../adapters/inbound/http/caller.ts'
import { listQuery, listPage, listReply } from '../../adapters/inbound/http/cursor.ts'
import type { Authenticate } from '../../adapters/inbound/http/identify.ts'
import type { Begun, IdempotencyStore, StoredAnswer } from '../../adapters/inbound/http/idempotency.ts'
import { createApp } from '../../adapters/inbound/http/app.ts'
import { jsonApi, type ApiOptions } from '../../adapters/inbound/http/api.ts'
import { endpointTable } from '../../adapters/inbound/http/table.ts'
import { created, done, fields, idOf, route, type Route } from '../../adapters/inbound/http/route.ts'
import { allowed } from '../support/sign-in/decisions.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Role } from '../../domain/roles.ts'

export const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
export const USER = `usr_${ULID}` as const

const person = (roles: readonly Role[]): KnownCaller => ({
  kind: 'session',
  userId: USER,
  name: 'Ada',
  email: 'ada@example.com',
  roles,
  sessionId: `ses_${ULID}`,
  authTime: '2026-01-31T09:30:00Z',
  methods: ['passkey'],
  newRoles: [],
  decision: allowed,
})

const key = (secret: string, roles: readonly Role[], scopes: readonly string[]): KnownCaller => ({
  kind: 'api_key',
  userId: `usr_${secret === 'svk_other' ? ULID.replace('V', 'W') : ULID}`,
  name: 'Robot',
  roles,
  keyId: `key_${secret === 'svk_other' ? ULID.replace('V', 'W') : ULID}`,
  scopes,
})

const known: Record<string, KnownCaller> = {
  plain: person([]),
  auditor: person(['auditor']),
  admin: person(['global_admin']),
  svk_user: key('svk_user', ['user_admin'], ['api']),
  svk_other: key('svk_other', ['user_admin'], ['api']),
  svk_scim: key('svk_scim', ['user_admin'], ['scim']),
  cli: {
    kind: 'cli_token',
    userId: USER,
    name: 'Ada',
    email: 'ada@example.com',
    roles: [],
    tokenId: `atk_${ULID}`,
    decision: allowed,
  },
}

export const authenticate: Authenticate = ({ kind, secret }) =>
  Promise.resolve(known[secret]?.kind === kind ? known[secret] : undefined)

const Thing = Type.Object(
  { id: idOf('user'), name: Type.String(), version: Type.Integer(), secret: Type.Optional(Type.String()) },
  { title: 'Thing' },
)

const thingBody = fields({
  email: Type.String({ format: 'email', maxLength: 254 }),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  note: Type.Optional(Type.Union([Type.String({ maxLength: 20 }), Type.Null()])),
  roles: Type.Optional(Type.Array(Type.Enum(['auditor', 'app_admin']), { maxItems: 6 })),
  manager: Type.Optional(idOf('user')),
})

export interface Seen {
  created: number
  keys: (string | undefined)[]
  /** Blocks POST /things until released. */
  gate: Promise<void>
}

export const demoRoutes = (seen: Seen): readonly Route[] => [
  route({
    method: 'POST',
    path: '/things',
    tag: 'Things',
    summary: 'Create a thing',
    access: { credentials: ['session', 'api_key'], roles: ['user_admin'] },
    body: thingBody,
    result: Thing,
    status: 201,
    errors: ['ERR_CONFLICT'],
    audit: ['thing.create'],
    handle: async ({ body, http }) => {
      seen.keys.push(http.idempotencyKey)
      await seen.gate
      if (body.name === 'taken') throw new DomainError('ERR_CONFLICT', 'The name is taken.', '/name')
      if (body.name === 'broken') throw new Error('password=hunter2')
      if (body.name === 'down') throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
      if (body.name === 'wrong') throw new DomainError('ERR_SELF_APPROVAL')
      seen.created++
      const thing = { id: USER, name: body.name, version: seen.created, secret: `once-${seen.created}` }
      const leaky = body.name === 'leaky' ? { ...thing, hash: 'x' } : thing
      return created(`/api/v1/things/${USER}`, leaky, { 'Set-Cookie': ['a=1', 'b=2'] })
    },
  }),
  route({
    method: 'GET',
    path: '/things',
    tag: 'Things',
    summary: 'List things',
    access: { credentials: ['session', 'api_key'] },
    query: listQuery({ status: Type.Optional(Type.Enum(['active', 'gone'])) }),
    result: Type.Array(Thing),
    status: 200,
    errors: [],
    handle: ({ query, http }) => {
      const all = [1, 2, 3].map((version) => ({ id: USER, name: `t${version}`, version }))
      const limit = query.limit ?? 50
      return Promise.resolve(
        listReply(
          listPage(all.slice(0, limit + 1), limit, ({ version }) => [version], http.url, 3),
          (row) => row,
        ),
      )
    },
  }),
  route({
    method: 'GET',
    path: '/things/mine',
    tag: 'Things',
    summary: 'My thing',
    access: { credentials: ['session'] },
    result: Type.Object({ mine: Type.Boolean() }),
    status: 200,
    errors: [],
    handle: () => Promise.resolve({ body: { mine: true } }),
  }),
  route({
    method: 'PATCH',
    path: '/things/{id}',
    tag: 'Things',
    summary: 'Change a thing',
    access: { credentials: ['session', 'api_key'], roles: ['user_admin'] },
    params: fields({ id: idOf('user') }),
    body: fields({ name: Type.Optional(Type.String({ minLength: 1 })) }),
    result: Thing,
    status: 200,
    errors: ['ERR_STALE'],
    handle: ({ params, body, http }) => {
      if (http.ifMatch !== undefined && http.ifMatch !== 7) throw new DomainError('ERR_STALE')
      return Promise.resolve({ body: { id: params.id, name: body.name ?? 'as before', version: 7 } })
    },
  }),
  route({
    method: 'POST',
    path: '/things/{id}/poke',
    tag: 'Things',
    summary: 'Poke a thing',
    access: { credentials: ['session', 'api_key'] },
    params: fields({ id: idOf('user') }),
    status: 204,
    errors: [],
    handle: () => Promise.resolve(done),
  }),
  route({
    method: 'PUT',
    path: '/picture',
    tag: 'Things',
    summary: 'Upload a picture',
    access: { credentials: ['session'] },
    upload: { types: ['image/png'], maxBytes: 256 * 1024 },
    status: 204,
    errors: [],
    handle: () => Promise.resolve(done),
  }),
  route({
    method: 'GET',
    path: '/me/ping',
    tag: 'Me',
    summary: 'Ping',
    access: { credentials: ['session', 'cli_token'] },
    result: Type.Object({ kind: Type.String(), ip: Type.String() }),
    status: 200,
    errors: [],
    handle: ({ caller, http }) => Promise.resolve({ body: { kind: caller.kind, ip: http.ip } }),
  }),
  route({
    method: 'POST',
    path: '/auth/echo',
    tag: 'Sign-in',
    summary: 'Echo',
    access: { credentials: ['none', 'session'] },
    body: fields({ any: Type.Optional(Type.Unknown()) }),
    result: Type.Object({ caller: Type.String() }),
    status: 200,
    errors: [],
    handle: ({ caller }) =>
      Promise.resolve({ body: { caller: caller.kind === anonymous.kind ? 'nobody' : caller.userId } }),
  }),
  route({
    method: 'POST',
    path: '/me/echo',
    tag: 'Account',
    summary: 'Echo to somebody',
    access: { credentials: ['session'] },
    body: fields({ any: Type.Optional(Type.Unknown()) }),
    result: Type.Object({ caller: Type.String() }),
    status: 200,
    errors: [],
    handle: ({ caller }) => Promise.resolve({ body: { caller: caller.userId } }),
  }),
]

/** Idempotency keys in memory: the same contract as the Postgres store, for tests of the API layer only. */
export const memoryIdempotency = (): IdempotencyStore => {
  const rows = new Map<
    string,
    { fingerprint: string; startedAt: Date; free: boolean; answer?: StoredAnswer }
  >()
  return {
    begin: (name, fingerprint, now) => {
      const row = rows.get(name)
      const begun = (): Begun => {
        if (row === undefined) {
          rows.set(name, { fingerprint, startedAt: now, free: false })
          return { state: 'new', attempt: 1, startedAt: now }
        }
        if (row.fingerprint !== fingerprint) return { state: 'different' }
        if (row.answer !== undefined) return { state: 'done', answer: row.answer }
        if (!row.free) return { state: 'running' }
        row.free = false
        return { state: 'new', attempt: 2, startedAt: row.startedAt }
      }
      return Promise.resolve(begun())
    },
    finish: (name, _, answer) => {
      const row = rows.get(name)
      if (row !== undefined) row.answer = answer
      return Promise.resolve()
    },
    release: (name) => {
      const row = rows.get(name)
      if (row !== undefined) row.free = true
      return Promise.resolve()
    },
  }
}

export interface Api {
  readonly url: string
  readonly port: number
  readonly seen: Seen
  readonly logged: Readonly<Record<string, unknown>>[]
  /** Sends JSON as an administrator by default. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  close(): Promise<void>
}

export const startApi = async (
  options: Partial<ApiOptions> = {},
  routes: (seen: Seen) => readonly Route[] = demoRoutes,
): Promise<Api> => {
  const seen: Seen = { created: 0, keys: [], gate: Promise.resolve() }
  const logged: Readonly<Record<string, unknown>>[] = []
  const { area, endpoints } = jsonApi(routes(seen), {
    publicUrl: 'https://id.example.com',
    version: '1.2.3',
    authenticate,
    requireProof: () => Promise.resolve(),
    logger: { error: (entry) => void logged.push(entry) },
    now: () => new Date(),
    idempotency: memoryIdempotency(),
    ...options,
  })
  const { app, serverOptions } = createApp(endpointTable([{ ...area, under: ['/'] }], endpoints))
  const server: Server = createServer(serverOptions, app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/api/v1`
  return {
    url,
    port,
    seen,
    logged,
    send: (method, path, body, headers = {}) =>
      fetch(url + path, {
        method,
        headers: {
          cookie: 'svc_session=admin',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : {
              body:
                body instanceof Uint8Array
                  ? new Uint8Array(body)
                  : typeof body === 'string'
                    ? body
                    : JSON.stringify(body),
            }),
        redirect: 'manual',
      }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** Sends raw bytes to the server; returns everything received until the connection closes or `enough` is true. */
export const raw = (
  port: number,
  chunks: readonly (string | Uint8Array)[],
  enough: (text: string) => boolean = () => false,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    const finish = (): void => {
      socket.destroy()
      resolve(text)
    }
    socket.on('data', (chunk) => {
      text += chunk.toString()
      if (enough(text)) finish()
    })
    socket.on('close', finish)
    socket.on('error', reject)
    for (const chunk of chunks) socket.write(chunk)
  })

export const errorOf = async (
  response: Response,
): Promise<{ status: number; code: string; message: string; field?: string; requestId?: string }> => {
  const { error } = (await response.json()) as {
    error: { code: string; message: string; field?: string; requestId?: string }
  }
  return { status: response.status, ...error }
}
