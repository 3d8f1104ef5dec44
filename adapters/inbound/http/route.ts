/**
 * A route of the JSON API, declared once: validation, authorization, the OpenAPI document and the types of
 * the web front end derive from this object.
 */
import type { Readable } from 'node:stream'
import { Type, type Static, type TObject, type TProperties, type TSchema, type TSchemaOptions } from 'typebox'
import { idPattern, type Id, type IdKind } from '../../../domain/ids.ts'
import type { AnonymousCaller, ApiKeyCaller, CliTokenCaller, SessionCaller } from './caller.ts'
import type { Cookies } from './cookies.ts'
import {
  checkDeclaration,
  type Access,
  type CredentialKind,
  type Declared,
  type DeclaredInWords,
  type Method,
} from './declaration.ts'

/** Where the JSON API is served, below the public address. */
export const BASE_PATH = '/api/v1'

interface CallerByCredential {
  none: AnonymousCaller
  session: SessionCaller
  api_key: ApiKeyCaller
  cli_token: CliTokenCaller
}
/** The callers that a list of credentials lets through. */
export type CallerOf<C extends CredentialKind> = CallerByCredential[C]

/** What a handler may want to know about the request besides its input. */
export interface HttpContext {
  /** Unique id of this request, for event metadata; never taken from the request. */
  readonly correlationId: string
  /**
   * The value of `X-Request-Id` in the response: the client's id if it sent a safe one, otherwise the correlation id.
   */
  readonly requestId: string
  /** The peer's address, past trusted proxies. */
  readonly ip: string
  /** As `keptUserAgent` gives it. */
  readonly userAgent: string | null
  readonly method: Method | 'HEAD'
  /** The requested address, on the public origin. */
  readonly url: URL
  readonly origin?: string
  /** The Host header as sent: where the client believes to be. */
  readonly host: string
  readonly accept: string
  readonly cookies: Cookies
  /** The version that `If-Match` names. A handler that finds another refuses with ERR_STALE. */
  readonly ifMatch?: number
  /** Unique per caller, route and body: derive event ids from it, so that a repeated request repeats nothing. */
  readonly idempotencyKey?: string
}

export interface Upload {
  /** Media type without parameters, in lower case. */
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

/** Headers by name: `Location` on 201 and redirects (a path is put below the public address), `Set-Cookie` (several), `Link`, `X-Total-Count`. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[]>>

/** The answer of a handler; the status is the route's. Either `body` (JSON) or `content`, or neither (204). */
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
  /** One string per `{name}` of the path. A value that does not fit answers 404. */
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  readonly result?: R
  handle(
    request: ApiRequest<StaticOr<P, undefined>, StaticOr<Q, undefined>, StaticOr<B, undefined>, C>,
  ): Promise<Reply<DeepReadonly<StaticOr<R, undefined>>>>
}

/**
 * Declares a route; its schemas type `handle`.
 * @throws Error when the declaration contradicts itself
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

/** An object with these fields and no others, for request bodies and queries. */
export const fields = <T extends TProperties>(properties: T, options: TSchemaOptions = {}): TObject<T> =>
  Type.Object(properties, { additionalProperties: false, ...options })

/** One of several forms of a body. Constant fields, or else the fields that are sent, tell which one is meant. */
export const oneOf = <const S extends readonly TSchema[]>(branches: S, options: TSchemaOptions = {}) =>
  Type.Unsafe<Static<S[number]>>({ oneOf: branches, ...options })

/** The id of a kind, as a field, query or path parameter. */
export const idOf = <K extends IdKind>(kind: K, options: TSchemaOptions = {}) =>
  Type.Unsafe<Id<K>>({ type: 'string', pattern: idPattern(kind), ...options })

/** A 201 answer: the new record and where it is, as a path below the public address (`/api/v1/users/usr_…`). */
export const created = <Result>(
  location: string,
  body: Result,
  headers: ReplyHeaders = {},
): Reply<Result> => ({
  body,
  headers: { ...headers, Location: location },
})

/** A 204 answer. */
export const done: Reply<undefined> = {}
