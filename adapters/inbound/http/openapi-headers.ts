/** Response headers in the API document, each described once, and the responses that contain them. */
import type { Schema } from './expectation.ts'
import type { Route } from './route.ts'

type Json = Record<string, unknown>

const text = (description: string, schema: Json = {}): Json => ({
  description,
  schema: { type: 'string', ...schema },
})

/** Components of the API document */
export const responseHeaders = {
  ETag: text('The version of the record in quotes, for If-Match'),
  Link: text('The address of the next page with rel="next" (RFC 8288); omitted on the last page'),
  Location: text('The address of the new record, or the address where the browser continues', {
    format: 'uri',
  }),
  RateLimit: text(
    'Remaining requests, and seconds until all are available again (IETF draft RateLimit fields)',
  ),
  'RateLimit-Policy': text('The limit that the request counts towards (IETF draft RateLimit fields)'),
  'Retry-After': {
    description: 'Seconds to wait before a retry',
    schema: { type: 'integer', format: 'int64' },
  },
  'WWW-Authenticate': text('The authentication scheme that the operation accepts (RFC 9110 §11.6.1)'),
  'X-Request-Id': text('The id of the request, as in the log of the service'),
} as const

const refer = (...names: readonly (keyof typeof responseHeaders)[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const propertiesOf = (schema: Schema | undefined): Readonly<Record<string, Schema>> =>
  schema?.properties ?? schema?.anyOf?.[0]?.properties ?? {}

/** Returns the headers of a successful response: those that follow from the declaration, and the declared ones. */
export const successHeadersOf = ({ status, result, query, headers = {} }: Route): Json => ({
  ...refer('X-Request-Id', 'RateLimit', 'RateLimit-Policy'),
  ...(status === 201 || status === 302 || status === 303 ? refer('Location') : {}),
  ...('version' in propertiesOf(result) ? refer('ETag') : {}),
  ...('cursor' in propertiesOf(query) ? refer('Link') : {}),
  ...Object.fromEntries(Object.entries(headers).map(([name, description]) => [name, text(description)])),
})

/** Returns the headers of error responses with a status. */
export const failureHeadersOf = (status: number): Json => ({
  ...refer('X-Request-Id'),
  ...(status === 401 ? refer('WWW-Authenticate') : {}),
  ...(status === 409 || status === 429 || status === 503 ? refer('Retry-After') : {}),
  ...(status === 429 ? refer('RateLimit', 'RateLimit-Policy') : {}),
})
