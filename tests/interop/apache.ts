/** Debian's Apache with mod_auth_openidc as a relying party: a child process with its own configuration. */
import { freePort } from '../support/service/service.ts'
import { apacheServer, type ApacheServer } from './apache-server.ts'

/** The settings of the relying party. */
export interface RelyingParty {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly tokenEndpointAuth: 'client_secret_basic' | 'client_secret_post'
}

/** The address of the server; known before it starts, so that the application can be registered first. */
export interface ApachePlace {
  readonly origin: string
  readonly redirectUri: string
  readonly port: number
}

export const apachePlace = async (): Promise<ApachePlace> => {
  const port = await freePort()
  // Not `localhost`: cookies do not distinguish ports, and the service under test is there.
  const origin = `http://127.0.0.1:${String(port)}`
  return { origin, redirectUri: `${origin}/oidc`, port }
}

/**
 * `/people` requires a signed-in user, `/fresh` also a fresh access token on every request, `/api` a bearer token that
 * the service reports as active, `/open` nothing. The application behind it returns the request's headers as JSON.
 */
export const startApache = (place: ApachePlace, party: RelyingParty): Promise<ApacheServer> => {
  const signedIn = (path: string, ...more: readonly string[]) =>
    [`<Location ${path}>`, 'AuthType openid-connect', 'Require valid-user', ...more, '</Location>'].join('\n')
  const configuration = [
    'LogLevel warn auth_openidc:info',
    `OIDCProviderMetadataURL ${party.issuer}/.well-known/openid-configuration`,
    `OIDCClientID ${party.clientId}`,
    `OIDCClientSecret ${party.clientSecret}`,
    `OIDCProviderTokenEndpointAuth ${party.tokenEndpointAuth}`,
    `OIDCRedirectURI ${place.redirectUri}`,
    'OIDCCryptoPassphrase only-for-this-test',
    'OIDCScope "openid profile email groups offline_access"',
    'OIDCPKCEMethod S256',
    'OIDCRemoteUserClaim email',
    'OIDCPassClaimsAs headers',
    'OIDCPassUserInfoAs claims',
    `OIDCRedirectURLsAllowed ^${place.origin}/`,
    `OIDCOAuthServerMetadataURL ${party.issuer}/.well-known/oauth-authorization-server`,
    `OIDCOAuthIntrospectionEndpointAuth ${party.tokenEndpointAuth}`,
    `OIDCOAuthClientID ${party.clientId}`,
    `OIDCOAuthClientSecret ${party.clientSecret}`,
    'OIDCOAuthTokenIntrospectionInterval -1',
    'OIDCOAuthRemoteUserClaim username',
    signedIn('/oidc'),
    signedIn('/people'),
    signedIn('/fresh', 'OIDCRefreshAccessTokenBeforeExpiry 86400 logout_on_error'),
    '<Location /api>',
    'AuthType oauth20',
    `Require claim client_id:${party.clientId}`,
    '</Location>',
  ]
  return apacheServer(
    place.port,
    {
      file: 'mod_auth_openidc.so',
      identifier: 'auth_openidc_module',
      debianPackage: 'libapache2-mod-auth-openidc',
    },
    () => Promise.resolve(configuration),
    {
      application: (request, response) => {
        response.setHeader('Content-Type', 'application/json')
        response.end(JSON.stringify({ path: request.url, headers: request.headers }))
      },
      paths: ['/people', '/fresh', '/open', '/api'],
      ready: '/open',
    },
  )
}
