/**
 * A separate process with npm's `oidc-provider` and its in-memory adapter: the same clients, users, scopes, claims,
 * token formats and algorithms as ours. Where its settings offer a choice, the faster one is used.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import Provider, { type Adapter } from 'oidc-provider'
import { PEOPLE, REDIRECT_URI, type Client, type Target } from './oidc-target.ts'
import { serveAsTarget } from './processes.ts'

const API = 'https://api.example.com'
const DAY_SECONDS = 86_400
/** Replaces `offline_access`, for which it would request the user's consent each time. */
const REFRESHABLE = 'refreshable'
const newClient = (): Client => ({
  clientId: `sv_${randomBytes(16).toString('hex')}`,
  clientSecret: `svs_${randomBytes(32).toString('base64url')}`,
})
const web = newClient()
const service = newClient()
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

// The package's adapter on a store without its limit of 1000 entries, which would drop users' sessions under load.
const memoryAdapter: string = 'oidc-provider/lib/adapters/memory_adapter.js'
const { default: MemoryAdapter } = (await import(memoryAdapter)) as {
  default: new (model: string, store: Map<string, unknown>) => Adapter
}
const store = new Map<string, unknown>()

const provider = new Provider('http://localhost', {
  adapter: (model) => new MemoryAdapter(model, store),
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
  clients: [
    {
      client_id: web.clientId,
      client_secret: web.clientSecret,
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'client_secret_basic',
    },
    {
      client_id: service.clientId,
      client_secret: service.clientSecret,
      redirect_uris: [],
      response_types: [],
      grant_types: ['client_credentials'],
      token_endpoint_auth_method: 'client_secret_basic',
    },
  ],
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({
      sub: id,
      amr: [],
      email: `${id}@example.com`,
      email_verified: false,
      name: `Person ${id}`,
      preferred_username: `${id}@example.com`,
      groups: ['Everyone'],
    }),
  }),
  claims: {
    openid: ['sub', 'amr'],
    email: ['email', 'email_verified'],
    profile: ['name', 'preferred_username'],
    groups: ['groups'],
  },
  scopes: ['openid', REFRESHABLE],
  // Our service also puts the claims into the ID token.
  conformIdTokenClaims: false,
  features: {
    devInteractions: { enabled: false },
    introspection: { enabled: true, allowedPolicy: (_, client, token) => token.clientId === client.clientId },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      // Users' tokens stay opaque; those of services are JWTs.
      defaultResource: (_, client) => (client.clientId === service.clientId ? API : []),
      getResourceServerInfo: () => ({
        scope: '',
        audience: API,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
  issueRefreshToken: (_, client, source) =>
    client.grantTypeAllowed('refresh_token') && source.scopes.has(REFRESHABLE),
  rotateRefreshToken: true,
  expiresWithSession: () => false,
  pkce: { required: () => true },
  cookies: { keys: [] },
  routes: {
    authorization: '/oauth2/authorize',
    token: '/oauth2/token',
    introspection: '/oauth2/introspect',
    userinfo: '/oauth2/userinfo',
  },
  ttl: {
    AccessToken: 900,
    AuthorizationCode: 60,
    ClientCredentials: 900,
    IdToken: 300,
    RefreshToken: 28_800,
    Grant: DAY_SECONDS,
    Session: DAY_SECONDS,
  },
})

const signedIn = async (n: number): Promise<string> => {
  const accountId = `person${String(n)}`
  const grant = new provider.Grant({ accountId, clientId: web.clientId })
  grant.addOIDCScope(`openid profile email groups ${REFRESHABLE}`)
  const grantId = await grant.save()
  const session = Object.assign(new provider.Session(), {
    accountId,
    loginTs: Math.floor(Date.now() / 1000),
    authorizations: { [web.clientId]: { grantId, sid: randomBytes(16).toString('base64url') } },
  })
  // The type definitions omit the lifetime parameter.
  await (session as { save: (seconds?: number) => Promise<string> }).save(DAY_SECONDS)
  return `_session=${session.jti}`
}

const server = provider.listen(0, '127.0.0.1', () => {
  void Promise.all(Array.from({ length: PEOPLE }, (_, n) => signedIn(n))).then((cookies) => {
    const { port } = server.address() as AddressInfo
    serveAsTarget<Target>({
      port,
      web,
      service,
      redirectUri: REDIRECT_URI,
      refreshScope: REFRESHABLE,
      cookies,
    })
  })
})
