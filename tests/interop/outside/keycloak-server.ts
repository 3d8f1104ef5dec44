/** Keycloak as an identity provider, with users who sign in with a password. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { freePort } from '../../support/service/service.ts'
import { answers, startDaemon, type Daemon } from '../daemon.ts'
import { mavenFile, output, versions, workplace } from './tools.ts'

type Json = Readonly<Record<string, unknown>>

export interface KeycloakUser {
  readonly login: string
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly groups: readonly string[]
}

export interface Keycloak {
  /** Of its realm */
  readonly issuer: string
  readonly samlMetadata: () => Promise<string>
  /** Registers an OpenID client. @returns its secret */
  readonly addOpenIdClient: (client: {
    readonly clientId: string
    readonly redirectUri: string
    readonly backchannelLogoutUrl: string
  }) => Promise<string>
  /** Registers a SAML service provider with its metadata. */
  readonly addServiceProvider: (metadata: string) => Promise<void>
  /** Signs in on the page of Keycloak. */
  readonly signIn: (page: Page, login: string) => Promise<void>
  /** Enables or disables an account, and ends its sessions. */
  readonly enable: (login: string, enabled: boolean) => Promise<void>
  /** Ends the sessions of an account; Keycloak tells the clients. */
  readonly signOut: (login: string) => Promise<void>
  /** Stops the server, and returns the export of the realm, as `kc.sh export` writes it. */
  readonly exported: () => Promise<string>
  readonly stop: () => Promise<void>
}

const REALM = 'contoso'
const PASSWORD = 'only-for-this-test'
const ADMIN = 'operator'

const realmOf = (users: readonly KeycloakUser[]): Json => ({
  realm: REALM,
  enabled: true,
  groups: [...new Set(users.flatMap(({ groups }) => groups))].map((name) => ({ name })),
  users: users.map(({ login, groups, ...profile }) => ({
    ...profile,
    username: login,
    enabled: true,
    emailVerified: true,
    groups: groups.map((name) => `/${name}`),
    attributes: { department: ['Analytics'] },
    credentials: [{ type: 'password', value: PASSWORD }],
  })),
})

const groupMapper = (protocol: string, config: Json): Json => ({
  name: 'groups',
  protocol,
  protocolMapper: protocol === 'saml' ? 'saml-group-membership-mapper' : 'oidc-group-membership-mapper',
  config,
})

const samlProperty = (property: string, attribute: string): Json => ({
  name: attribute,
  protocol: 'saml',
  protocolMapper: 'saml-user-property-mapper',
  config: {
    'user.attribute': property,
    'attribute.name': attribute,
    'attribute.nameformat': 'Basic',
  },
})

/** Fetches and starts Keycloak in development mode, with one realm. */
export const startKeycloak = async (users: readonly KeycloakUser[]): Promise<Keycloak> => {
  const { folder, remove } = await workplace()
  const zip = await mavenFile(folder, 'org.keycloak', 'keycloak-quarkus-dist', versions.keycloak, 'zip')
  await output('unzip', ['-q', zip, '-d', folder])
  const home = join(folder, `keycloak-${versions.keycloak}`)
  const program = join(home, 'bin', 'kc.sh')
  const port = await freePort()
  // Not `localhost`: cookies do not distinguish ports, and the service under test is there.
  const origin = `http://127.0.0.1:${String(port)}`
  const server: Daemon = await startDaemon(
    program,
    ['start-dev', '--http-host=127.0.0.1', `--http-port=${String(port)}`, `--hostname=${origin}`],
    {
      ready: () => answers(`${origin}/realms/master`),
      env: { KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN, KC_BOOTSTRAP_ADMIN_PASSWORD: PASSWORD },
      patience: 180_000,
    },
  )

  const token = async (): Promise<string> => {
    const response = await fetch(`${origin}/realms/master/protocol/openid-connect/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'password', client_id: 'admin-cli', username: ADMIN, password: PASSWORD },
      }),
    })
    return ((await response.json()) as { access_token: string }).access_token
  }
  const admin = async <T = unknown>(
    method: string,
    path: string,
    body?: unknown,
    type = 'application/json',
  ): Promise<T> => {
    const response = await fetch(`${origin}/admin/realms${path}`, {
      method,
      headers: { Authorization: `Bearer ${await token()}`, 'Content-Type': type },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${String(response.status)} ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
  const find = async (login: string): Promise<string> => {
    const [user] = await admin<readonly { id: string }[]>(
      'GET',
      `/${REALM}/users?exact=true&username=${login}`,
    )
    if (user === undefined) throw new Error(`${login} does not exist`)
    return user.id
  }

  await admin('POST', '', realmOf(users))
  return {
    issuer: `${origin}/realms/${REALM}`,
    samlMetadata: async () => (await fetch(`${origin}/realms/${REALM}/protocol/saml/descriptor`)).text(),
    addOpenIdClient: async ({ clientId, redirectUri, backchannelLogoutUrl }) => {
      const secret = `${PASSWORD}-${clientId}`
      await admin('POST', `/${REALM}/clients`, {
        ...{ clientId, secret, protocol: 'openid-connect', publicClient: false, redirectUris: [redirectUri] },
        attributes: {
          'backchannel.logout.url': backchannelLogoutUrl,
          'backchannel.logout.session.required': 'true',
          'pkce.code.challenge.method': 'S256',
        },
        protocolMappers: [
          groupMapper('openid-connect', {
            ...{ 'claim.name': 'groups', 'full.path': 'false', 'id.token.claim': 'true' },
            'userinfo.token.claim': 'true',
          }),
        ],
      })
      return secret
    },
    addServiceProvider: async (metadata) => {
      const client = await admin<Json>(
        'POST',
        `/${REALM}/client-description-converter`,
        metadata,
        'application/xml',
      )
      await admin('POST', `/${REALM}/clients`, {
        ...client,
        attributes: {
          ...(client['attributes'] as Json),
          // By default, Keycloak signs only the document.
          'saml.assertion.signature': 'true',
          'saml.force.post.binding': 'true',
          saml_name_id_format: 'persistent',
        },
        protocolMappers: [
          ...[samlProperty('email', 'mail'), samlProperty('firstName', 'displayName')],
          groupMapper('saml', { 'attribute.name': 'member', 'full.path': 'false', single: 'true' }),
        ],
      })
    },
    signIn: async (page, login) => {
      await page.waitForURL((url) => url.origin === origin)
      await page.fill('#username', login)
      await page.fill('#password', PASSWORD)
      await page.press('#password', 'Enter')
    },
    enable: async (login, enabled) => {
      const id = await find(login)
      await admin('PUT', `/${REALM}/users/${id}`, { enabled })
      await admin('POST', `/${REALM}/users/${id}/logout`)
    },
    signOut: async (login) => {
      await admin('POST', `/${REALM}/users/${await find(login)}/logout`)
    },
    exported: async () => {
      await server.stop()
      const file = join(folder, 'realm.json')
      await output(program, ['export', '--file', file, '--realm', REALM])
      return readFile(file, 'utf8')
    },
    stop: async () => {
      await server.stop()
      await remove()
    },
  }
}
