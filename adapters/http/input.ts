/** A request's input against its route: body, then path, then query and values, in that order. */
import type { IncomingMessage } from 'node:http'
import { DomainError } from '../../domain/errors.ts'
import { BodyProblem, hasBody, readBody } from './body.ts'
import { isUnsafe } from './declaration.ts'
import { ApiError } from './errors.ts'
import { expectation, type Schema } from './expectation.ts'
import { JsonProblem, parseJson } from './json.ts'
import type { Route, Upload } from './route.ts'
import { fieldName, unknownField, type Check, type Validators } from './validate.ts'

export const MAX_BODY_BYTES = 1024 * 1024

/** The checks of one route, compiled when first used. */
export interface Checks {
  readonly params: () => Check
  readonly query: () => Check
  readonly body: () => Check
  readonly result: () => Check
}

const nothing: Schema = { type: 'object', properties: {}, additionalProperties: false }

const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}

export const checksOf = (route: Route, { strictly, coercing }: Validators): Checks => ({
  params: once(() => coercing(route.params ?? nothing)),
  query: once(() => coercing(route.query ?? nothing)),
  body: once(() => strictly(route.body ?? nothing)),
  result: once(() => strictly(route.result ?? {})),
})

const invalidJson = (message: string, field?: string): DomainError =>
  new DomainError('ERR_INVALID_JSON', message, field)

const mediaType = (request: IncomingMessage): string =>
  (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

const isJson = (request: IncomingMessage): boolean => {
  const charset = /;\s*charset\s*=\s*"?([^";]*)/i.exec(request.headers['content-type'] ?? '')?.[1]
  return mediaType(request) === 'application/json' && /^utf-?8$/i.test(charset?.trim() ?? 'utf-8')
}

const bodyMessages = {
  too_large: 'The body exceeds 1 MiB.',
  too_slow: 'The body did not arrive in time.',
  encoding: 'The body cannot be decoded: Content-Encoding must be gzip, deflate, br or none.',
  aborted: 'The body ended early.',
} as const

/** What came as body: its bytes, and for JSON its value. */
export interface Received {
  readonly bytes: Buffer
  readonly value?: unknown
  readonly upload?: Upload
}

const none = Buffer.alloc(0)

const receiveUpload = async (
  request: IncomingMessage,
  route: Route,
  timeoutMs: number,
): Promise<Received> => {
  const { types, maxBytes } = route.upload ?? { types: [], maxBytes: 0 }
  const type = mediaType(request)
  const bytes = hasBody(request)
    ? await readBody(request, maxBytes, timeoutMs).catch((error: unknown) => {
        if (!(error instanceof BodyProblem) || error.reason === 'aborted') throw error
        if (error.reason === 'too_large')
          throw new ApiError('ERR_TOO_LARGE', `The upload exceeds ${Math.floor(maxBytes / 1024)} KB.`, {
            headers: { Connection: 'close' },
          })
        throw new ApiError('ERR_INVALID', bodyMessages[error.reason], { headers: { Connection: 'close' } })
      })
    : none
  if (bytes.length === 0)
    throw new DomainError('ERR_INVALID', 'body: is missing; expected the bytes of a file')
  if (!types.includes(type))
    throw new DomainError('ERR_INVALID', `Content-Type: expected ${types.join(' or ')}`)
  return { bytes, upload: { type, bytes } }
}

/** Text outside JSON, and repeated or unknown fields, never reach a handler. */
export const receive = async (
  request: IncomingMessage,
  route: Route,
  timeoutMs: number,
): Promise<Received> => {
  if (!isUnsafe(route)) return { bytes: none }
  if (route.upload !== undefined) return receiveUpload(request, route, timeoutMs)
  const schema = (route.body ?? nothing) as Schema
  const bytes = hasBody(request)
    ? await readBody(request, MAX_BODY_BYTES, timeoutMs).catch((error: unknown) => {
        if (!(error instanceof BodyProblem) || error.reason === 'aborted') throw error
        throw new ApiError('ERR_INVALID_JSON', bodyMessages[error.reason], {
          headers: { Connection: 'close' },
        })
      })
    : none
  if (bytes.length === 0) {
    if ((schema.required ?? []).length > 0 || schema.type !== 'object')
      throw invalidJson('The body is empty; send a JSON object.')
    return { bytes, value: {} }
  }
  if (!isJson(request)) throw invalidJson('Send the body as JSON, with Content-Type: application/json.')
  let value: unknown
  try {
    value = parseJson(bytes)
  } catch (error) {
    throw error instanceof JsonProblem ? invalidJson(error.message) : error
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidJson('The body must be a JSON object.')
  const unknown = unknownField(schema, value)
  if (unknown !== undefined)
    throw invalidJson(`The body has an unrecognised field: ${fieldName(unknown)}.`, unknown)
  return { bytes, value }
}

/** Query parameters by name; a repeated one is a list. */
const queryOf = (url: URL): Record<string, unknown> =>
  Object.fromEntries(
    [...new Set(url.searchParams.keys())].map((name) => {
      const values = url.searchParams.getAll(name)
      return [name, values.length === 1 ? values[0] : values]
    }),
  )

/** Digits as people write them; the compiled checks would also take `0x10` and `1e1`. */
const NUMERAL = /^-?\d+(\.\d+)?$/

/** The first parameter that is to be a number and is not written as one. */
const misspelled = (
  { properties = {} }: Schema,
  query: Readonly<Record<string, unknown>>,
): DomainError | undefined => {
  for (const [name, value] of Object.entries(query)) {
    const { type, ...schema } = properties[name] ?? {}
    if ((type === 'integer' || type === 'number') && typeof value === 'string' && !NUMERAL.test(value))
      return new DomainError(
        'ERR_INVALID',
        `${name}: expected ${expectation({ type, ...schema })}`,
        `/${name}`,
      )
  }
  return undefined
}

export interface Values {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/**
 * Path, query and body as the route's schemas type them.
 * @throws DomainError ERR_NOT_FOUND for a path that names nothing possible, ERR_INVALID for the rest
 */
export const valuesOf = (
  route: Route,
  checks: Checks,
  pathParams: Readonly<Record<string, string>>,
  url: URL,
  received: Received,
): Values => {
  const params: Record<string, unknown> = { ...pathParams }
  if (checks.params()(params) !== undefined) throw new DomainError('ERR_NOT_FOUND')
  const query = queryOf(url)
  const unknown = unknownField(route.query ?? nothing, query)
  if (unknown !== undefined)
    throw new DomainError(
      'ERR_INVALID',
      `${fieldName(unknown)}: is not a query parameter of this route`,
      unknown,
    )
  const numeral = misspelled(route.query ?? nothing, query)
  if (numeral !== undefined) throw numeral
  const problem =
    checks.query()(query) ??
    (received.upload === undefined && isUnsafe(route) ? checks.body()(received.value) : undefined)
  if (problem !== undefined) throw new DomainError('ERR_INVALID', problem.message, problem.field)
  return { params, query, body: received.value }
}
