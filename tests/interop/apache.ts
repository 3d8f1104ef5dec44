/** Debian's Apache with mod_auth_openidc as a relying party: a child process with a configuration of its own. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/service.ts'
import { until } from '../support/until.ts'

const program = process.env['APACHE_PATH'] ?? '/usr/sbin/apache2'
const modulesFolder = process.env['APACHE_MODULES'] ?? '/usr/lib/apache2/modules'
const modules = [
  'mpm_event',
  'authn_core',
  'authz_core',
  'authz_user',
  'proxy',
  'proxy_http',
  'headers',
  'auth_openidc',
]

/** @throws Error that names what is missing: these tests never pass by not running */
const requireInstalled = (): void => {
  const missing = [program, ...modules.map((name) => join(modulesFolder, `mod_${name}.so`))].filter(
    (path) => !existsSync(path),
  )
  if (missing.length > 0)
    throw new Error(
      `Apache as a relying party is not installed: ${missing.join(', ')} not found. ` +
        'Debian: apt-get install apache2 libapache2-mod-auth-openidc',
    )
}

const listen = async (server: Server, port: number): Promise<void> => {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
}

/** How the application behind the server asks for people to be signed in. */
export interface RelyingParty {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly tokenEndpointAuth: 'client_secret_basic' | 'client_secret_post'
}

/** Where the server answers; known before it starts, so that the application can be registered first. */
export interface ApachePlace {
  readonly origin: string
  readonly redirectUri: string
  readonly port: number
}

export const apachePlace = async (): Promise<ApachePlace> => {
  const port = await freePort()
  // Not `localhost`: cookies do not tell ports apart, and the service under test is there.
  const origin = `http://127.0.0.1:${String(port)}`
  return { origin, redirectUri: `${origin}/oidc`, port }
}

export interface Apache {
  readonly stop: () => Promise<void>
  /** The server's error log, where the module says why it refuses something. */
  readonly errorLog: () => Promise<string>
}

/**
 * `/people` wants a person signed in, `/fresh` a fresh access token on every request as well, `/api` a bearer token that the
 * service says is in force, `/open` nothing. What is behind answers with the request's headers as JSON.
 */
export const startApache = async (place: ApachePlace, party: RelyingParty): Promise<Apache> => {
  requireInstalled()
  const folder = await mkdtemp(join(tmpdir(), 'svc-apache-'))
  const log = join(folder, 'error.log')
  const upstreamPort = await freePort()
  const upstream = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ path: request.url, headers: request.headers }))
  })
  await listen(upstream, upstreamPort)

  const behind = (path: string) => `ProxyPass ${path} http://127.0.0.1:${String(upstreamPort)}${path}`
  const signedIn = (path: string, ...more: readonly string[]) =>
    [`<Location ${path}>`, 'AuthType openid-connect', 'Require valid-user', ...more, '</Location>'].join('\n')
  const configuration = [
    `ServerRoot ${folder}`,
    `PidFile ${join(folder, 'apache.pid')}`,
    `DefaultRuntimeDir ${folder}`,
    `Mutex file:${folder} default`,
    `ErrorLog ${log}`,
    'LogLevel warn auth_openidc:info',
    `Listen 127.0.0.1:${String(place.port)}`,
    `ServerName 127.0.0.1:${String(place.port)}`,
    ...(process.getuid?.() === 0 ? ['User www-data', 'Group www-data'] : []),
    ...modules.map((name) => `LoadModule ${name}_module ${join(modulesFolder, `mod_${name}.so`)}`),
    'StartServers 1',
    'ThreadsPerChild 25',
    'MaxRequestWorkers 100',
    `DocumentRoot ${join(folder, 'pages')}`,
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
    ...['/people', '/fresh', '/open', '/api'].map(behind),
  ]
  // The workers run as another user where root starts the server.
  await chmod(folder, 0o755)
  await mkdir(join(folder, 'pages'))
  await writeFile(join(folder, 'apache.conf'), `${configuration.join('\n')}\n`)

  const child = spawn(program, ['-f', join(folder, 'apache.conf'), '-D', 'FOREGROUND'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
    })
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => {
      resolve()
    })
  })
  const errorLog = () => readFile(log, 'utf8').catch(() => '')
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await exited
    upstream.closeAllConnections()
    upstream.close()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await until(
      async () => {
        if (child.exitCode !== null) throw new Error(`apache2 ended: ${said}${await errorLog()}`)
        return fetch(`${place.origin}/open`).then(
          ({ ok }) => ok,
          () => false,
        )
      },
      15_000,
      'Apache',
    )
  } catch (error) {
    await stop()
    throw error
  }
  return { stop, errorLog }
}
