/** Checks a request's input against its route: first the body, then the path, then the query and values. */
import { own } from '../../../domain/own.ts'
import type { IncomingMessage } from 'node:http'
import { DomainError } from '../../../domain/errors.ts'
import { BodyProblem, hasBody, readBody } from './body.ts'
import { isOpen, isUnsafe } from './declaration.ts'
import { ApiError } from './errors.ts'
import { expectation, type Schema } from './expectation.ts'
import { JsonProblem, parseJson, type JsonLimits } from './json.ts'
import type { Route, Upload } from './route.ts'
import { coercing, fieldName, strictly, unknownField, type Check } from './validate.ts'

/** Limits of a body: its size in bytes after decoding, and the number of values to parse. */
interface BodyLimits extends JsonLimits {
  readonly bytes: number
}

/** For authenticated callers, who may send long lists in one request. */
export const BODY_LIMITS: BodyLimits = { bytes: 1024 * 1024, tokens: 100_000 }

/** For public routes: just enough for a sign-in. */
export const OPEN_BODY_LIMITS: BodyLimits = { bytes: 64 * 1024, tokens: 1000 }

/** Maximum number of parameters in a query. No route has a tenth of that. */
const MAX_PARAMETERS = 100

/** The checks of one route. */
export interface Checks {
  readonly params: Check
  readonly query: Check
  readonly body: Check
  readonly result: Check
}

const nothing: Schema = { type: 'object', properties: {}, additionalProperties: false }

export const checksOf = (route: Route): Checks => ({
  params: coercing(route.params ?? nothing),
  query: coercing(route.query ?? nothing),
  body: strictly(route.body ?? nothing),
  result: strictly(route.result ?? {}),
})

const invalidJson = (message: string, field?: string): DomainError =>
  new DomainError('ERR_INVALID_JSON', message, field)

const mediaType = (request: IncomingMessage): string =>
  (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

const isJson = (request: IncomingMessage): boolean => {
  const charset = /;\s*charset\s*=\s*"?([^";]*)/i.exec(request.headers['content-type'] ?? '')?.[1]
  return mediaType(request) === 'application/json' && /^utf-?8$/i.test(charset?.trim() ?? 'utf-8')
}

const tooLarge = ({ bytes }: BodyLimits): string =>
  `The body exceeds ${bytes === BODY_LIMITS.bytes ? '1 MiB' : `${String(bytes / 1024)} KiB`}.`

const bodyMessages = {
  too_slow: 'The body did not arrive in time.',
  encoding: 'The body cannot be decoded: Content-Encoding must be gzip, deflate, br or omitted.',
  aborted: 'The body ended early.',
} as const

/** The body: its bytes and, if it is JSON, its value. */
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

/** Whether a PATCH sends a field that the record has but the route cannot change. */
const isReadOnly = ({ method, result }: Route, pointer: string): boolean => {
  const { properties, anyOf = [] } = (result ?? {}) as Schema
  return (
    method === 'PATCH' &&
    [properties, ...anyOf.map((branch) => branch.properties)].some(
      (known) => own(known ?? {}, pointer.slice(1)) !== undefined,
    )
  )
}

/** Invalid JSON and repeated or unknown fields never reach a handler. */
export const receive = async (
  request: IncomingMessage,
  route: Route,
  timeoutMs: number,
): Promise<Received> => {
  if (!isUnsafe(route)) return { bytes: none }
  if (route.upload !== undefined) return receiveUpload(request, route, timeoutMs)
  const schema = (route.body ?? nothing) as Schema
  const limits = isOpen(route) ? OPEN_BODY_LIMITS : BODY_LIMITS
  const bytes = hasBody(request)
    ? await readBody(request, limits.bytes, timeoutMs).catch((error: unknown) => {
        if (!(error instanceof BodyProblem) || error.reason === 'aborted') throw error
        const message = error.reason === 'too_large' ? tooLarge(limits) : bodyMessages[error.reason]
        throw new ApiError('ERR_INVALID_JSON', message, {
          headers: { Connection: 'close' },
        })
      })
    : none
  if (bytes.length === 0) {
    if ((schema.required ?? []).length > 0 || schema.type !== 'object')
      throw invalidJson('The body is empty. Send a JSON object.')
    return { bytes, value: {} }
  }
  if (!isJson(request)) throw invalidJson('Send the body as JSON, with Content-Type: application/json.')
  let value: unknown
  try {
    value = parseJson(bytes, limits)
  } catch (error) {
    throw error instanceof JsonProblem ? invalidJson(error.message) : error
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidJson('The body must be a JSON object.')
  const unknown = unknownField(schema, value)
  if (unknown !== undefined)
    throw invalidJson(
      isReadOnly(route, unknown)
        ? `The field cannot be changed: ${fieldName(unknown)}.`
        : `The body has an unknown field: ${fieldName(unknown)}.`,
      unknown,
    )
  return { bytes, value }
}

/**
 * Returns query parameters by name; a repeated one is a list.
 * @throws DomainError ERR_INVALID for too many
 */
const queryOf = ({ search, searchParams }: URL): Record<string, unknown> => {
  if (search.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS)
    throw new DomainError('ERR_INVALID', `expected at most ${String(MAX_PARAMETERS)} query parameters`)
  const values = new Map<string, string[]>()
  for (const [name, value] of searchParams) {
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all]))
}

/**
 * Only decimal digits: the compiled checks would also accept `0x10`, `1e1`, and more digits than a number can
 * represent.
 */
const NUMERAL = /^-?\d+(\.\d+)?$/

const isNumeral = (text: string): boolean => NUMERAL.test(text) && Number.isFinite(Number(text))

/** Returns the first numeric parameter with an invalid value. */
const misspelled = (
  { properties = {} }: Schema,
  query: Readonly<Record<string, unknown>>,
): DomainError | undefined => {
  for (const [name, value] of Object.entries(query)) {
    const { type, ...schema } = own(properties, name) ?? {}
    if ((type === 'integer' || type === 'number') && typeof value === 'string' && !isNumeral(value))
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
 * Returns path, query and body with the types of the route's schemas.
 * @throws DomainError ERR_NOT_FOUND for invalid path parameters, ERR_INVALID for anything else
 */
export const valuesOf = (
  route: Route,
  checks: Checks,
  pathParams: Readonly<Record<string, string>>,
  url: URL,
  received: Received,
): Values => {
  const params: Record<string, unknown> = { ...pathParams }
  if (checks.params(params) !== undefined) throw new DomainError('ERR_NOT_FOUND')
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
    checks.query(query) ??
    (received.upload === undefined && isUnsafe(route) ? checks.body(received.value) : undefined)
  if (problem !== undefined) throw new DomainError('ERR_INVALID', problem.message, problem.field)
  return { params, query, body: received.value }
}
