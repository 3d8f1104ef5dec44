/** The declaration of a route, the rules that follow from it, and its contradictions. */
import type { TSchema } from 'typebox'
import type { ErrorCode } from '../../../domain/errors.ts'
import type { Role } from '../../../domain/roles.ts'
import type { Schema } from './expectation.ts'
import { pathParameters } from './path.ts'
import type { LimitName } from './rate-limit-rules.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Only `none`: public. `none` with others: the caller may be anonymous. A token of the command-line client is a
 * `cli_token` for what belongs to its user, and an `admin_token` where it needs the scope `admin` and a role.
 */
export type CredentialKind = 'none' | 'session' | 'api_key' | 'cli_token' | 'admin_token'

/**
 * Which requests of a route require a proof from a user: as strong as the user's strongest method, and not
 * older than ten minutes (domain/session/proof.ts). Either all requests, or those whose body has one of the
 * fields.
 */
export type Reauthentication = 'always' | { readonly whenSent: readonly string[] }

export interface Access<C extends CredentialKind = CredentialKind> {
  readonly credentials: readonly C[]
  /** The caller needs one of these roles; `global_admin` always suffices. If omitted, no role is needed. */
  readonly roles?: readonly Role[]
  /**
   * If omitted, any session is accepted. API keys are exempt, because programs cannot prove a recent sign-in. Of a token
   * with the scope `admin`, the sign-in before its approval counts.
   */
  readonly reauthentication?: Reauthentication
  /** The proof is not required from terminals, which cannot give one: their user has approved them for this. */
  readonly terminalsExempt?: true
}

/** A request body of bytes instead of JSON. */
export interface UploadRule {
  readonly types: readonly string[]
  readonly maxBytes: number
}

/** The part of a declaration that does not depend on its type parameters. */
export interface DeclaredInWords {
  readonly method: Method
  /** Below /api/v1, with `{name}` for parameters */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly upload?: UploadRule
  /** Media types of `content` replies */
  readonly produces?: readonly string[]
  /** Additional headers of successful responses, with their descriptions */
  readonly headers?: Readonly<Record<string, string>>
  readonly status: 200 | 201 | 202 | 204 | 302 | 303
  /** Only the codes of this route; the document adds those that every route can return. */
  readonly errors: readonly ErrorCode[]
  /** Audit actions that the route may cause */
  readonly audit?: readonly string[]
  readonly deprecated?: boolean
  /** The rate limit that its requests count towards; default: the general one */
  readonly bucket?: LimitName
  /** A second rate limit, by the address in the body's field `email` */
  readonly emailBucket?: LimitName
}

/** A route without its handler. */
export interface Declared extends DeclaredInWords {
  readonly access: Access
  readonly params?: TSchema
  readonly query?: TSchema
  readonly body?: TSchema
  readonly result?: TSchema
}

export const isUnsafe = (route: Pick<Declared, 'method'>): boolean => route.method !== 'GET'

/** Whether anonymous callers may use the route. */
export const isOpen = (route: Pick<Declared, 'access'>): boolean => route.access.credentials.includes('none')

/** Whether the route supports `Idempotency-Key`. Keys belong to a credential, so open routes do not. */
export const isRepeatable = (route: Pick<Declared, 'access' | 'method'>): boolean =>
  route.method === 'POST' && !isOpen(route)

/** What access policies may decide about a session. */
const ANY_POLICY = ['ERR_BLOCKED_BY_POLICY', 'ERR_STRONGER_AUTH_REQUIRED', 'ERR_REAUTH_REQUIRED'] as const

/**
 * Whether this request to a route requires a proof.
 * @param body as received; undefined before that
 */
export const asksForProof = ({ access }: Pick<Declared, 'access'>, body?: unknown): boolean => {
  const { reauthentication } = access
  if (reauthentication === undefined || typeof body !== 'object' || body === null)
    return reauthentication === 'always'
  return (
    reauthentication === 'always' || reauthentication.whenSent.some((field) => Object.hasOwn(body, field))
  )
}

/** Returns the errors that the API layer itself may return for a route. */
export const impliedErrors = (route: Declared): readonly ErrorCode[] => [
  ...(isOpen(route) ? [] : (['ERR_UNAUTHENTICATED'] as const)),
  ...(route.access.roles !== undefined || (!isOpen(route) && route.access.credentials.includes('api_key'))
    ? (['ERR_FORBIDDEN'] as const)
    : []),
  ...(!isOpen(route) && route.access.credentials.includes('session') ? ANY_POLICY : []),
  // Requests of users from a blocked network zone.
  ...(['ERR_BLOCKED_BY_POLICY'] as const),
  ...(isUnsafe(route) ? (['ERR_CROSS_SITE'] as const) : []),
  ...(isUnsafe(route) && route.upload === undefined ? (['ERR_INVALID_JSON'] as const) : []),
  ...(route.upload === undefined ? [] : (['ERR_TOO_LARGE'] as const)),
  ...(route.params === undefined ? [] : (['ERR_NOT_FOUND'] as const)),
  ...(isRepeatable(route) ? (['ERR_CONFLICT'] as const) : []),
  'ERR_INVALID',
  'ERR_RATE_LIMITED',
  'ERR_INTERNAL',
  'ERR_UNAVAILABLE',
]

/** Returns every error that a route may return, without duplicates. */
export const errorsOf = (route: Declared): readonly ErrorCode[] => [
  ...new Set([...impliedErrors(route), ...route.errors]),
]

const objectsIn = (schema: Schema): readonly Schema[] => {
  const branches = schema.anyOf ?? schema.oneOf
  if (branches !== undefined) return branches.flatMap(objectsIn)
  if (schema.type === 'array') return schema.items === undefined ? [] : objectsIn(schema.items)
  if (schema.type !== 'object') return []
  return [schema, ...Object.values(schema.properties ?? {}).flatMap(objectsIn)]
}

const fieldsOf = (schema: TSchema = {}): readonly string[] => Object.keys((schema as Schema).properties ?? {})

const contradictions = (route: Declared): readonly string[] => {
  const { credentials, roles, reauthentication } = route.access
  const inBody = fieldsOf(route.body)
  const accepts = new Set(credentials)
  const named = fieldsOf(route.params)
  const inPath = pathParameters(route.path)
  const personal = route.path === '/me' || route.path.startsWith('/me/') || route.path.startsWith('/auth/')
  const open = [route.body, route.query].flatMap((schema) =>
    schema === undefined ? [] : objectsIn(schema as Schema),
  )
  return [
    [credentials.length === 0, 'access.credentials is empty'],
    [accepts.has('none') && roles !== undefined, 'roles need a route that requires authentication'],
    [
      reauthentication !== undefined && (!isUnsafe(route) || !accepts.has('session')),
      'proof and reauthentication are only for session routes that change something',
    ],
    [
      typeof reauthentication === 'object' &&
        !reauthentication.whenSent.every((field) => inBody.includes(field)),
      'reauthentication names fields that are not in the body schema',
    ],
    [personal && accepts.has('api_key'), 'API keys are ignored on personal and sign-in routes'],
    [accepts.has('cli_token') && !route.path.startsWith('/me/'), 'CLI tokens are accepted only below /me/'],
    [
      accepts.has('admin_token') && (roles === undefined || personal),
      'tokens with the scope admin are accepted only where a role is needed',
    ],
    [
      [...named].sort().join() !== [...inPath].sort().join(),
      'params do not match the parameters of the path',
    ],
    [!isUnsafe(route) && (route.body ?? route.upload) !== undefined, 'GET has no body'],
    [route.body !== undefined && route.upload !== undefined, 'body and upload are mutually exclusive'],
    [
      open.some(({ additionalProperties }) => additionalProperties === undefined),
      'an object in body or query does not set additionalProperties: use fields()',
    ],
    [route.status === 204 && route.result !== undefined, 'status 204 has no result'],
    [!/^(\/[a-z0-9._-]+|\/\{\w+\})+$/.test(route.path), 'path parameters must be written as /like/{this}'],
  ].flatMap(([wrong, why]) => (wrong === true ? [String(why)] : []))
}

/** @throws Error naming the route and the contradiction */
export const checkDeclaration = (route: Declared): void => {
  const problems = contradictions(route)
  if (problems.length > 0) throw new Error(`${route.method} ${route.path}: ${problems.join('; ')}`)
}
