/** The requests that need no credential, and how often to repeat each to reach its limit. */
import { authnRequestXml, redirectQuery } from '../saml/saml.ts'
import { basic, CALLBACK } from '../oidc/oidc.ts'

/** The users that the attack tries to lock out. */
export interface Victims {
  readonly email: string
  readonly userId: string
  readonly web: { readonly clientId: string; readonly applicationId: string }
  readonly machine: { readonly clientId: string }
  readonly cli: { readonly clientId: string }
  readonly provider: { readonly entityId: string; readonly applicationId: string }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One request by a stranger. */
export interface StrangeRequest {
  readonly path: string
  readonly method: Method
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
}

export interface AnonymousOperation {
  /** Requests from each network. */
  readonly times: number
  /** The n-th request. */
  readonly request: (victims: Victims, n: number) => StrangeRequest
}

/** More than the limit per minute. */
const SIGN_IN = 22
/** For requests that use up no limit. */
const FEW = 3
const token = (n: number) => `${String(n).padStart(4, '0')}${'x'.repeat(39)}`

const api =
  (method: 'GET' | 'POST', path: (n: number) => string, body?: (victims: Victims, n: number) => object) =>
  (victims: Victims, n: number): StrangeRequest => ({
    method,
    path: `/api/v1${path(n)}`,
    ...(body === undefined ? {} : { json: body(victims, n) }),
  })
const enroll = (rest: string, body?: object): AnonymousOperation => ({
  times: FEW,
  request: api('POST', (n) => `/auth/enroll/${token(n)}${rest}`, body === undefined ? undefined : () => body),
})
const once = (request: AnonymousOperation['request']): AnonymousOperation => ({ times: FEW, request })
const get = (path: string): AnonymousOperation => once(() => ({ method: 'GET', path }))
const post = (path: string, form: Readonly<Record<string, string>>): AnonymousOperation =>
  once(() => ({ method: 'POST', path, form }))

const authorizeQuery = ({ web }: Victims, n: number): string =>
  new URLSearchParams({
    client_id: web.clientId,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid',
    state: String(n),
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }).toString()

/** Wrong secrets, for the victim and for unknown clients. */
const guessedClient =
  (path: string, more: Readonly<Record<string, string>>): AnonymousOperation['request'] =>
  ({ machine }, n) => {
    const known = n % 3 !== 0
    const clientId = known ? machine.clientId : `sv_${String(n)}`
    return n % 2 === 0
      ? {
          method: 'POST',
          path,
          headers: { Authorization: basic(clientId, `guess ${String(n % 7)}`) },
          form: more,
        }
      : { method: 'POST', path, form: { ...more, client_id: clientId, client_secret: `guess ${String(n)}` } }
  }

/** Statements that no identity provider has signed. */
const providerStatement = (path: string): AnonymousOperation => ({
  times: 20,
  request: (_, n) => ({
    method: 'POST',
    path: path.replace('{id}', 'idp_01ARZ3NDEKTSV4RRFFQ69G5FAV'),
    form: { logout_token: `${token(n)}.${token(n)}.${token(n)}` },
  }),
})

/** What only receivers of shared signals may request. */
const receiverOperations: readonly (readonly [method: Method, path: string])[] = [
  ...(['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const).map((method) => [method, '/ssf/stream'] as const),
  ['GET', '/ssf/status'],
  ['POST', '/ssf/status'],
  ['POST', '/ssf/verify'],
  ['POST', '/ssf/poll/{id}'],
]

const forged = ([method, path]: readonly [Method, string]): [string, AnonymousOperation] => [
  `${method} ${path}`,
  {
    times: FEW,
    request: (_, n) => ({
      method,
      path: path.replace('{id}', 'sst_01JZ0000000000000000000000'),
      headers: { Authorization: `Bearer ${token(n)}` },
      ...(method === 'GET' || method === 'DELETE' ? {} : { json: {} }),
    }),
  },
]

/**
 * By method and path as routes and endpoints declare them. Every operation that needs no credential is listed here
 * with what an attacker would do with it. The availability test does all of it and then checks who can still sign in.
 */
export const anonymousOperations: ReadonlyMap<string, AnonymousOperation> = new Map<
  string,
  AnonymousOperation
>([
  [
    'POST /auth/code',
    {
      times: SIGN_IN,
      request: api(
        'POST',
        () => '/auth/code',
        ({ email }, n) => ({ email, code: n % 2 === 0 ? '000000' : '00000-00000' }),
      ),
    },
  ],
  [
    'POST /auth/magic-link',
    {
      times: SIGN_IN,
      request: api(
        'POST',
        () => '/auth/magic-link',
        ({ email }) => ({ email }),
      ),
    },
  ],
  [
    'POST /auth/magic-link/redeem',
    {
      times: SIGN_IN,
      request: api(
        'POST',
        () => '/auth/magic-link/redeem',
        (_, n) => ({ token: token(n) }),
      ),
    },
  ],
  [
    'POST /auth/verify-email',
    {
      times: SIGN_IN,
      request: api(
        'POST',
        () => '/auth/verify-email',
        (_, n) => ({ token: token(n) }),
      ),
    },
  ],
  [
    'POST /auth/passkey/options',
    {
      times: SIGN_IN,
      request: api(
        'POST',
        () => '/auth/passkey/options',
        () => ({}),
      ),
    },
  ],
  [
    'POST /auth/passkey/verify',
    {
      times: SIGN_IN,
      request: api(
        'POST',
        () => '/auth/passkey/verify',
        (_, n) => ({ ceremonyId: token(n), credential: {} }),
      ),
    },
  ],
  ['GET /auth/enroll/{token}', { times: SIGN_IN, request: api('GET', (n) => `/auth/enroll/${token(n)}`) }],
  ['POST /auth/enroll/{token}/passkey/options', enroll('/passkey/options')],
  ['POST /auth/enroll/{token}/passkey', enroll('/passkey', { ceremonyId: token(0), credential: {} })],
  ['POST /auth/enroll/{token}/authenticator', enroll('/authenticator')],
  [
    'POST /auth/enroll/{token}/authenticator/verify',
    enroll('/authenticator/verify', { ceremonyId: token(0), code: '000000' }),
  ],
  [
    'GET /oauth2/authorize',
    { times: 20, request: (v, n) => ({ method: 'GET', path: `/oauth2/authorize?${authorizeQuery(v, n)}` }) },
  ],
  [
    'POST /oauth2/authorize',
    {
      times: 20,
      request: (v, n) => ({
        method: 'POST',
        path: '/oauth2/authorize',
        form: Object.fromEntries(new URLSearchParams(authorizeQuery(v, n))),
      }),
    },
  ],
  ['GET /oauth2/authorize/resume', get(`/oauth2/authorize/resume?authRequest=${token(0)}`)],
  ['GET /oauth2/logout', get('/oauth2/logout')],
  ['POST /oauth2/logout', post('/oauth2/logout', {})],
  ['POST /oauth2/logout/confirm', post('/oauth2/logout/confirm', {})],
  [
    'POST /oauth2/token',
    { times: 25, request: guessedClient('/oauth2/token', { grant_type: 'client_credentials' }) },
  ],
  ['POST /oauth2/revoke', { times: 25, request: guessedClient('/oauth2/revoke', { token: 'x' }) }],
  ['POST /oauth2/introspect', { times: 25, request: guessedClient('/oauth2/introspect', { token: 'x' }) }],
  [
    'POST /oauth2/device_authorization',
    {
      times: 20,
      request: ({ cli }) => ({
        method: 'POST',
        path: '/oauth2/device_authorization',
        form: { client_id: cli.clientId },
      }),
    },
  ],
  [
    'POST /oauth2/providers/{id}/backchannel-logout',
    providerStatement('/oauth2/providers/{id}/backchannel-logout'),
  ],
  ['POST /ssf/providers/{id}/events', providerStatement('/ssf/providers/{id}/events')],
  ['GET /oauth2/userinfo', get('/oauth2/userinfo')],
  ['POST /oauth2/userinfo', post('/oauth2/userinfo', { access_token: 'x' })],
  [
    'GET /saml/sso',
    {
      times: 20,
      request: ({ provider }) => ({
        method: 'GET',
        path: `/saml/sso${redirectQuery(authnRequestXml({ issuer: provider.entityId }))}`,
      }),
    },
  ],
  [
    'POST /saml/sso',
    {
      times: SIGN_IN,
      request: ({ provider }) => ({
        method: 'POST',
        path: '/saml/sso',
        form: {
          SAMLRequest: Buffer.from(authnRequestXml({ issuer: provider.entityId })).toString('base64'),
        },
      }),
    },
  ],
  ['GET /ssh/revoked-keys', once(api('GET', () => '/ssh/revoked-keys'))],
  ['GET /saml/sso/resume', get(`/saml/sso/resume?authRequest=${token(0)}`)],
  ['GET /saml/launch/', once(() => ({ method: 'GET', path: '/saml/launch/' }))],
  [
    'GET /saml/launch/{id}',
    once(({ provider }) => ({ method: 'GET', path: `/saml/launch/${provider.applicationId}` })),
  ],
  [
    'GET /auth/providers/{id}/start',
    { times: SIGN_IN, request: api('GET', () => '/auth/providers/idp_01ARZ3NDEKTSV4RRFFQ69G5FAV/start') },
  ],
  [
    'GET /auth/providers/{id}/callback',
    {
      times: SIGN_IN,
      request: api(
        'GET',
        (n) => `/auth/providers/idp_01ARZ3NDEKTSV4RRFFQ69G5FAV/callback?code=x&state=${token(n)}`,
      ),
    },
  ],
  [
    'POST /auth/providers/{id}/saml-response',
    {
      times: SIGN_IN,
      request: api(
        'POST',
        () => '/auth/providers/idp_01ARZ3NDEKTSV4RRFFQ69G5FAV/saml-response',
        () => ({ samlResponse: 'PHg+', relayState: token(0) }),
      ),
    },
  ],
  [
    'POST /saml/providers/{id}/acs',
    post('/saml/providers/idp_01ARZ3NDEKTSV4RRFFQ69G5FAV/acs', {
      SAMLResponse: 'PHg+',
      RelayState: token(0),
    }),
  ],
  [
    'POST /auth/home-realm',
    {
      times: SIGN_IN,
      request: api(
        'POST',
        () => '/auth/home-realm',
        ({ email }) => ({ email }),
      ),
    },
  ],
  ['POST /auth/sign-out', { times: FEW, request: api('POST', () => '/auth/sign-out') }],
  ['GET /sign-in/test', get(`/sign-in/test?authRequest=${token(0)}`)],
  ...receiverOperations.map(forged),
  ['POST /sign-in/cancel', post('/sign-in/cancel', { authRequest: token(0) })],
])

/** Responses that are the same for everyone and have no side effects. */
export const harmlessOperations: ReadonlySet<string> = new Set([
  'GET /.well-known/oauth-authorization-server',
  'GET /.well-known/openid-configuration',
  'GET /.well-known/ssf-configuration',
  'GET /audit/key.pub',
  'GET /branding/logo',
  'GET /applications/{id}/logo',
  'GET /branding/theme.css',
  'GET /auth/methods',
  'GET /auth/providers',
  'GET /auth/requests/{id}',
  'GET /organization',
  'GET /ssh/ca.pub',
  'GET /ssh/known-hosts',
  'GET /oauth2/keys',
  'GET /saml/metadata',
  'GET /saml/certificate',
  'GET /saml/providers/{id}/metadata',
])
