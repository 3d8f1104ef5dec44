/**
 * RFC 6749 §3.3, OpenID Connect Core §3.1.2.1 and §5.4, RFC 8707 §2: the scopes that a request gets. `scope`
 * contains scopes of the service and of APIs; `resource` identifies an API and means all granted scopes of it. A
 * refused API scope is never dropped silently: the whole request fails. Other unknown scopes are ignored in an OpenID
 * Connect request, which is one with `openid`; in any other they are an error too. The scope `admin` is never dropped.
 */

/** Scopes of the service itself. */
export const servedScopes = ['openid', 'profile', 'email', 'phone', 'groups', 'offline_access'] as const

/**
 * The scope of a terminal that acts with the roles of its user. Only the command-line client can have it, only by the
 * device flow (RFC 8628), and never for longer than one access token.
 */
export const ADMIN_SCOPE = 'admin'

/** How long an access token with the scope `admin` lasts at most, whatever the settings of the application say. */
export const ADMIN_TOKEN_SECONDS = 900

/** The granted scopes of one API. */
export interface GrantedApi {
  readonly apiResourceId: string
  /** Its identifier in `resource` and `aud`. */
  readonly identifier: string
  readonly scopes: readonly string[]
}

export interface ScopeClient {
  /** The service's own scopes that it can have */
  readonly served: readonly string[]
  readonly apis: readonly GrantedApi[]
  /** Whether a scope belongs to any API. */
  readonly isApiScope: (name: string) => boolean
  /** Whether its requests can be OpenID Connect's. */
  readonly signsIn: boolean
}

export interface GrantedScopes {
  readonly scopes: readonly string[]
  readonly apiResourceIds: readonly string[]
}

/** Whether a grant is for a terminal that acts with its user's roles. An API may have an old scope of the same name. */
export const isAdminGrant = ({ scopes, apiResourceIds }: GrantedScopes): boolean =>
  scopes.includes(ADMIN_SCOPE) && apiResourceIds.length === 0

export type ScopeDecision =
  | { readonly granted: GrantedScopes }
  | { readonly error: 'invalid_scope' | 'invalid_target'; readonly description: string }

/** Names with a colon belong to APIs; other unknown ones may be claims that another provider serves. */
const looksLikeApi = (name: string): boolean => name.includes(':')

const printable = (name: string): string => name.replaceAll(/[^\w.:/-]/g, '?').slice(0, 100)

/**
 * @param scope as sent
 * @param resources every `resource` sent
 */
export const decideScopes = (
  scope: string | undefined,
  resources: readonly string[],
  { served, apis, isApiScope, signsIn }: ScopeClient,
): ScopeDecision => {
  const named = resources.map((resource) => ({
    resource,
    api: apis.find(({ identifier }) => identifier === resource),
  }))
  const missing = named.find(({ api }) => api === undefined)
  if (missing !== undefined)
    return {
      error: 'invalid_target',
      description: `the application has no grant for the resource ${printable(missing.resource)}`,
    }

  const requested = new Set((scope ?? '').split(' ').filter((name) => name !== ''))
  const grantedBy = (name: string): GrantedApi | undefined => apis.find((api) => api.scopes.includes(name))
  const ignoresUnknown = signsIn && requested.has('openid')
  const refused = [...requested].find(
    (name) =>
      !served.includes(name) &&
      grantedBy(name) === undefined &&
      (isApiScope(name) || looksLikeApi(name) || name === ADMIN_SCOPE || !ignoresUnknown),
  )
  if (refused !== undefined)
    return {
      error: 'invalid_scope',
      description: `the application has no grant for the scope ${printable(refused)}`,
    }

  const targets = new Set(named.flatMap(({ api }) => api ?? []))
  const apiScopes = new Set([...targets].flatMap((api) => api.scopes))
  for (const name of requested) {
    const api = grantedBy(name)
    if (api === undefined) continue
    targets.add(api)
    apiScopes.add(name)
  }
  const isAdmin = requested.has(ADMIN_SCOPE) && served.includes(ADMIN_SCOPE)
  if (isAdmin && (requested.has('offline_access') || targets.size > 0))
    return {
      error: 'invalid_scope',
      description: 'the scope admin cannot be combined with offline_access or with an API',
    }
  return {
    granted: {
      scopes: [
        ...[...servedScopes, ADMIN_SCOPE].filter((name) => requested.has(name) && served.includes(name)),
        ...apiScopes,
      ],
      apiResourceIds: [...targets].map(({ apiResourceId }) => apiResourceId),
    },
  }
}

/**
 * The remaining scopes of a grant if the grants of the application were reduced. APIs without remaining
 * scopes are omitted.
 */
export const stillGranted = (
  { scopes, apiResourceIds }: GrantedScopes,
  { served, apis }: Pick<ScopeClient, 'served' | 'apis'>,
): GrantedScopes & { readonly audience: readonly string[] } => {
  const left = apis.filter(
    (api) => apiResourceIds.includes(api.apiResourceId) && api.scopes.some((name) => scopes.includes(name)),
  )
  return {
    scopes: scopes.filter((name) => served.includes(name) || left.some((api) => api.scopes.includes(name))),
    apiResourceIds: left.map(({ apiResourceId }) => apiResourceId),
    audience: left.map(({ identifier }) => identifier),
  }
}

/**
 * RFC 6749 §6: the scopes of a refresh. Null if the request exceeds the grant.
 * @param granted the current scopes of the grant
 */
export const narrowedScopes = (
  scope: string | undefined,
  granted: readonly string[],
): readonly string[] | null => {
  const requested = (scope ?? '').split(' ').filter((name) => name !== '')
  if (requested.length === 0) return granted
  return requested.every((name) => granted.includes(name))
    ? granted.filter((name) => requested.includes(name))
    : null
}
