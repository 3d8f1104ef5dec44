/**
 * A route of the JSON API, declared once: validation, authorization, the OpenAPI document and the types of
 * the web front end derive from this object.
 */
import type { Readable } from 'node:stream'
import { Type, type Static, type TObject, type TProperties, type TSchema, type TSchemaOptions } from 'typebox'
import { idPattern, type Id, type IdKind } from '../../../domain/ids.ts'
import type {
  AdminTokenCaller,
  AnonymousCaller,
  ApiKeyCaller,
  CliTokenCaller,
  SessionCaller,
} from './caller.ts'
import type { Cookies } from './cookies.ts'
import {
  checkDeclaration,
  type Access,
  type CredentialKind,
  type Declared,
  type DeclaredInWords,
  type Method,
} from './declaration.ts'

/** The path of the JSON API below the public address. */
export const BASE_PATH = '/api/v1'

interface CallerByCredential {
  none: AnonymousCaller
  session: SessionCaller
  api_key: ApiKeyCaller
  cli_token: CliTokenCaller
  admin_token: AdminTokenCaller
}
/** The callers that a list of credentials allows. */
export type CallerOf<C extends CredentialKind> = CallerByCredential[C]

/** What a response that stays open needs to know. */
export interface StreamContext {
  /** The `Last-Event-ID` header, as sent */
  readonly lastEventId: string | undefined
  /** Whether the request would still be allowed: its credential is valid, and its user has the role. */
  readonly stillAllowed: () => Promise<boolean>
  /** Aborted when the service stops */
  readonly ending: AbortSignal
}

/** What a handler can use of the request besides its input. */
export interface HttpContext {
  /** For event metadata: unique id of this request, or the configuration plan that a program carries out with it */
  readonly correlationId: string
  /**
   * The value of `X-Request-Id` in the response: the client's id if it sent a safe one, otherwise the correlation id.
   */
  readonly requestId: string
  /** The client's address, after trusted proxies */
  readonly ip: string
  /** As returned by `keptUserAgent` */
  readonly userAgent: string | null
  readonly method: Method | 'HEAD'
  /** The requested address, on the public origin */
  readonly url: URL
  readonly origin?: string
  /** The Host header as sent: the host that the client requested */
  readonly host: string
  readonly accept: string
  readonly cookies: Cookies
  /** The version in `If-Match`. If the record has another version, the handler throws ERR_STALE. */
  readonly ifMatch?: number
  /** Unique per caller, route and body. Derive event ids from it, so that a repeated request records nothing twice. */
  readonly idempotencyKey?: string
  readonly stream: StreamContext
}

export interface Upload {
  /** Media type without parameters, in lower case */
  readonly type: string
  readonly bytes: Buffer
}

type StaticOr<S, Otherwise> = S extends TSchema ? Static<S> : Otherwise

/** Rows are read-only; a result may be built from them. */
export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T

export interface ApiRequest<Params = never, Query = never, Body = never, C extends CredentialKind = never> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** Set on routes that declare `upload`. */
  readonly upload?: Upload
  readonly caller: CallerOf<C>
  readonly http: HttpContext
}

/** A non-JSON result: the media type and the bytes. */
export interface Content {
  readonly type: string
  readonly data: string | Uint8Array | Readable
}

/**
 * Headers by name: `Location` on 201 and redirects (paths are appended to the public address), `Set-Cookie` (several),
 * `Link`, `X-Total-Count`.
 */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[]>>

/** The result of a handler; the route declares the status. Either `body` (JSON) or `content`, or neither (204). */
export interface Reply<Result = unknown> {
  readonly body?: Result
  readonly content?: Content
  readonly headers?: ReplyHeaders
}

export interface Route extends Declared {
  handle(request: ApiRequest): Promise<Reply>
}

export interface RouteDeclaration<
  C extends CredentialKind,
  P extends TSchema | undefined,
  Q extends TSchema | undefined,
  B extends TSchema | undefined,
  R extends TSchema | undefined,
> extends DeclaredInWords {
  readonly access: Access<C>
  /** One string per `{name}` of the path. An invalid value returns 404. */
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  readonly result?: R
  handle(
    request: ApiRequest<StaticOr<P, undefined>, StaticOr<Q, undefined>, StaticOr<B, undefined>, C>,
  ): Promise<Reply<DeepReadonly<StaticOr<R, undefined>>>>
}

/**
 * Declares a route; its schemas determine the types of `handle`.
 * @throws Error if the declaration contradicts itself
 */
export const route = <
  const C extends CredentialKind,
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
  R extends TSchema | undefined = undefined,
>(
  declaration: RouteDeclaration<C, P, Q, B, R>,
): Route => {
  const declared = declaration as unknown as Route
  checkDeclaration(declared)
  return declared
}

/** Returns the schema of an object with only these fields, for request bodies and queries. */
export const fields = <T extends TProperties>(properties: T, options: TSchemaOptions = {}): TObject<T> =>
  Type.Object(properties, { additionalProperties: false, ...options })

/**
 * Returns the schema for one of several forms of a body. Constant fields, or otherwise the sent fields, determine the
 * form.
 */
export const oneOf = <const S extends readonly TSchema[]>(branches: S, options: TSchemaOptions = {}) =>
  Type.Unsafe<Static<S[number]>>({ oneOf: branches, ...options })

/** Returns the schema for an id of a kind, as a field, query or path parameter. */
export const idOf = <K extends IdKind>(kind: K, options: TSchemaOptions = {}) =>
  Type.Unsafe<Id<K>>({ type: 'string', pattern: idPattern(kind), ...options })

/** Returns a 201 reply: the new record and its location, a path below the public address (`/api/v1/users/usr_…`). */
export const created = <Result>(
  location: string,
  body: Result,
  headers: ReplyHeaders = {},
): Reply<Result> => ({
  body,
  headers: { ...headers, Location: location },
})

/** The reply of a 204 response. */
export const done: Reply<undefined> = {}
