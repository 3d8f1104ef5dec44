/** The OpenAPI 3.1 document, generated from the route declarations. */
import { stringify } from 'yaml'
import { own } from '../../../domain/own.ts'
import { errors, type ErrorCode } from '../../../domain/errors.ts'
import { sufficient } from '../../../domain/roles.ts'
import { RECENT_PROOF_SECONDS } from '../../../domain/session/proof.ts'
import { COMPONENT_NAME } from './expectation.ts'
import { errorsOf, isOpen, isRepeatable, type CredentialKind, type Reauthentication } from './declaration.ts'
import { IDEMPOTENCY_HOURS, IDEMPOTENCY_KEY } from './idempotency.ts'
import { failureHeadersOf, responseHeaders, successHeadersOf } from './openapi-headers.ts'
import { tagDescriptions } from './tags.ts'
import { API_KEY_PREFIX } from '../../engines/vault/api-key-form.ts'
import { SESSION_COOKIE } from './cookies.ts'
import { BASE_PATH, route, type Route } from './route.ts'

type Json = Record<string, unknown>

export interface DocumentInfo {
  /** `info.version` */
  readonly version: string
  readonly publicUrl: string
}

const MEDIA_TYPE = 'application/yaml'

const securitySchemes: Record<Exclude<CredentialKind, 'none'>, Json> = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description:
      'The session of a signed-in user. The cookie is named `__Host-svc_session` if the service uses https.',
  },
  api_key: {
    type: 'http',
    scheme: 'bearer',
    description: `An API key (${API_KEY_PREFIX}…) with the scope api. It has the roles of its service account.`,
  },
  cli_token: {
    type: 'http',
    scheme: 'bearer',
    description: 'The access token that the command-line tool gets at sign-in.',
  },
  admin_token: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The access token that `svc login --admin` gets: it has the scope admin and the roles of its user, for at most 15 minutes.',
  },
}

/** One schema for all failures, so that generated clients need to catch only one type. */
const errorSchema: Json = {
  title: 'Error',
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', description: 'One of x-error-codes of the response' },
        message: { type: 'string', description: 'Human-readable' },
        field: { type: 'string', description: 'JSON pointer to the invalid field' },
        risk: {
          type: 'string',
          description: 'The type of the risk event for which a policy refused the sign-in',
        },
        requestId: { type: 'string' },
      },
    },
  },
}

/** Moves each schema whose title is a type name into `components` once. */
const extractor = (components: Map<string, { text: string; schema: unknown }>) => {
  const extract = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(extract)
    if (typeof schema !== 'object' || schema === null) return schema
    const copied = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, extract(value)]))
    // Clients in typed languages treat an integer without a format as 32 bits.
    const plain = copied['type'] === 'integer' ? { format: 'int64', ...copied } : copied
    const name: unknown = plain['title']
    if (typeof name !== 'string' || !COMPONENT_NAME.test(name)) return plain
    const text = JSON.stringify(plain)
    const known = components.get(name)
    if (known !== undefined && known.text !== text) throw new Error(`two schemas have the title ${name}`)
    components.set(name, { text, schema: plain })
    return { $ref: `#/components/schemas/${name}` }
  }
  return extract
}

/** `POST /users/{id}/roles` → `post_users_id_roles`. */
const operationIdOf = ({ method, path }: Route): string =>
  [method.toLowerCase(), ...path.split(/[^A-Za-z0-9]+/).filter((part) => part !== '')].join('_')

const parametersOf = (declared: Route, extract: (schema: unknown) => unknown): readonly Json[] => {
  const from = (schema: unknown, where: 'path' | 'query'): readonly Json[] => {
    const { properties = {}, required = [] } = (schema ?? {}) as {
      properties?: Record<string, Json>
      required?: readonly string[]
    }
    return Object.entries(properties).map(([name, property]) => {
      const { description, ...rest } = property
      return {
        name,
        in: where,
        required: where === 'path' || required.includes(name),
        ...(description === undefined ? {} : { description }),
        schema: extract(rest),
      }
    })
  }
  const header = (name: string, description: string, schema: Json): Json => ({
    name,
    in: 'header',
    required: false,
    description,
    schema,
  })
  return [
    ...from(declared.params, 'path'),
    ...from(declared.query, 'query'),
    ...(isRepeatable(declared)
      ? [
          header(
            'Idempotency-Key',
            `Requests with the same key and body within ${IDEMPOTENCY_HOURS} hours get the stored response.`,
            { type: 'string', minLength: 1, maxLength: 255, pattern: IDEMPOTENCY_KEY },
          ),
        ]
      : []),
    ...(declared.access.credentials.some((kind) => kind === 'api_key') && (declared.audit ?? []).length > 0
      ? [
          header(
            'X-Correlation-Id',
            'The id of a configuration plan (POST /configuration/plans), which becomes the correlation id of the audit entries. Other values are ignored.',
            { type: 'string' },
          ),
        ]
      : []),
    ...(declared.errors.includes('ERR_STALE')
      ? [header('If-Match', 'The ETag of the record when the client read it.', { type: 'string' })]
      : []),
  ]
}

const requestBodyOf = ({ body, upload }: Route, extract: (schema: unknown) => unknown): Json | undefined => {
  if (upload !== undefined)
    return { required: true, content: Object.fromEntries(upload.types.map((type) => [type, {}])) }
  if (body === undefined) return undefined
  const { required = [], type } = body as { required?: readonly string[]; type?: string }
  return {
    required: required.length > 0 || type !== 'object',
    content: { 'application/json': { schema: extract(body) } },
  }
}

const successOf = (declared: Route, extract: (schema: unknown) => unknown): Json => {
  const content = {
    ...(declared.result === undefined ? {} : { 'application/json': { schema: extract(declared.result) } }),
    ...Object.fromEntries((declared.produces ?? []).map((type) => [type, {}])),
  }
  const headers = successHeadersOf(declared)
  return {
    description: declared.status === 204 ? 'Done' : declared.summary,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(Object.keys(content).length === 0 ? {} : { content }),
  }
}

/** All operations that return the same codes with a status share one response, which they refer to. */
type Failures = Map<string, Json>

const failuresOf = (declared: Route, failures: Failures): Json => {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of errorsOf(declared)) {
    const { status } = errors[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([one], [other]) => one - other)
      .map(([status, codes]) => {
        const name = codes.join('.')
        const headers = failureHeadersOf(status)
        failures.set(name, {
          description: codes.map((code) => `${code}: ${errors[code].message}`).join('\n'),
          ...(Object.keys(headers).length === 0 ? {} : { headers }),
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
          'x-error-codes': codes,
        })
        return [String(status), { $ref: `#/components/responses/${name}` }]
      }),
  )
}

const proofOf = (reauthentication: Reauthentication): Json => ({
  maxAgeSeconds: RECENT_PROOF_SECONDS,
  strength: 'strongest_held',
  ...(reauthentication === 'always' ? {} : { whenSent: reauthentication.whenSent }),
})

const described = ({ description, access: { reauthentication, terminalsExempt } }: Route): Json => {
  const whenSent =
    typeof reauthentication === 'object' ? ` if the body has ${reauthentication.whenSent.join(', ')}` : ''
  const text = [
    description,
    reauthentication &&
      `Requires a session with a sign-in in the last ten minutes${whenSent}, by a method as strong as the strongest one that the user has.${
        terminalsExempt === true ? ' A token of the command-line client suffices.' : ''
      }`,
  ].filter((part) => part !== undefined)
  return text.length === 0 ? {} : { description: text.join(' ') }
}

const operationOf = (declared: Route, extract: (schema: unknown) => unknown, failures: Failures): Json => {
  const { access, audit, summary, tag, deprecated } = declared
  const requestBody = requestBodyOf(declared, extract)
  const parameters = parametersOf(declared, extract)
  return {
    operationId: operationIdOf(declared),
    tags: [tag],
    summary,
    ...described(declared),
    ...(deprecated === true ? { deprecated } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: { [String(declared.status)]: successOf(declared, extract), ...failuresOf(declared, failures) },
    security: [
      ...(isOpen(declared) ? [{}] : []),
      ...access.credentials.filter((kind) => kind !== 'none').map((kind) => ({ [kind]: [] })),
    ],
    'x-credentials': access.credentials,
    ...(access.roles === undefined ? {} : { 'x-required-roles': sufficient(access.roles) }),
    ...(access.reauthentication === undefined
      ? {}
      : { 'x-reauthentication': proofOf(access.reauthentication) }),
    ...(audit === undefined ? {} : { 'x-audit-action': audit }),
  }
}

/**
 * Returns the API document of a set of routes.
 * @throws Error if two different schemas have the same type name as title
 */
export const documentOf = (routes: readonly Route[], { version, publicUrl }: DocumentInfo): Json => {
  const components = new Map<string, { text: string; schema: unknown }>()
  const extract = extractor(components)
  extract(errorSchema)
  const failures: Failures = new Map()
  const paths: Record<string, Json> = {}
  for (const declared of routes) {
    const operations = (paths[declared.path] ??= {})
    operations[declared.method.toLowerCase()] = operationOf(declared, extract, failures)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Identity service',
      version,
      description:
        'Errors are `{"error":{"code","message"}}`; match on `code`. A path or method that is not listed returns 404 ERR_NO_ROUTE; ' +
        'HEAD is answered as GET is, without the body. Times are RFC 3339 in UTC with microseconds: `2026-01-02T03:04:05.123456Z`. ' +
        'Clients must ignore unknown fields: new fields can be added at any time.',
      contact: { name: 'The operator of this service', url: publicUrl },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: publicUrl + BASE_PATH }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => {
      const description = own(tagDescriptions, name)
      return { name, ...(description === undefined ? {} : { description }) }
    }),
    paths,
    components: {
      schemas: Object.fromEntries([...components].map(([name, { schema }]) => [name, schema])),
      responses: Object.fromEntries(failures),
      headers: responseHeaders,
      securitySchemes,
    },
  }
}

/** Serves the API document of the other routes and of itself. */
export const openApiRoute = (routes: readonly Route[], info: DocumentInfo): Route => {
  let bytes: Buffer | undefined
  const self: Route = route({
    method: 'GET',
    path: '/openapi.yaml',
    tag: 'Public information',
    summary: 'Get this document',
    access: { credentials: ['none'] },
    produces: [MEDIA_TYPE],
    status: 200,
    errors: [],
    handle: () => {
      bytes ??= Buffer.from(stringify(documentOf([...routes, self], info), { aliasDuplicateObjects: false }))
      return Promise.resolve({ content: { type: MEDIA_TYPE, data: bytes } })
    },
  })
  return self
}

/** Returns every route that `jsonApi` would serve, for documents that are generated without a server. */
export const allRoutes = (routes: readonly Route[], info: DocumentInfo): readonly Route[] => [
  ...routes,
  openApiRoute(routes, info),
]
