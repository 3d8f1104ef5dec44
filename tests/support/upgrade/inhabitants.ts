/** A small organization, created through the public interfaces of a running service of any release. */
import { createHash, randomBytes } from 'node:crypto'
import { softPasskey } from '../sign-in/soft-passkey.ts'
import { cookiesOf, request, succeeded, type Json, type Sent } from './http.ts'

/** What the tests of a later release need, to check that everything still works. */
export interface Credentials {
  /** When the data set was frozen, RFC 3339. */
  readonly frozenAt: string
  readonly publicUrl: string
  readonly admin: { readonly userId: string; readonly cookie: string }
  readonly user: {
    readonly userId: string
    readonly cookie: string
    readonly name: string
    readonly email: string
  }
  readonly erasedUserId: string
  readonly web: { readonly clientId: string; readonly clientSecret: string; readonly redirectUri: string }
  readonly service: {
    readonly clientId: string
    readonly clientSecret: string
    readonly scope: string
    readonly resource: string
  }
  readonly refreshToken: string
  readonly accessToken: string
  readonly apiKey: string
  readonly scimKey: string
  /** Signed before the last events, and the key that signed it. */
  readonly checkpoint: string
  readonly publicKey: string
  readonly counts: Readonly<Record<string, number>>
}

const REDIRECT_URI = 'https://wiki.example.com/callback'
const RESOURCE = 'https://payroll.example.com'
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'

const EDITS = 180

/** The lists whose lengths are compared after an upgrade. */
export const countedLists = [
  '/users',
  '/groups',
  '/applications',
  '/service-accounts',
  '/api-keys',
  '/webhooks',
  '/signing-keys',
  '/saml/certificates',
  '/api-resources',
] as const

export interface Place {
  /** SVC_PUBLIC_URL */
  readonly publicUrl: string
  /** Where the service listens. */
  readonly url: string
  /** The link of the first administrator. */
  readonly setupLink: string
  /** A SCIM service and a webhook endpoint that respond. */
  readonly scim: { readonly baseUrl: string; readonly token: string }
  readonly hook: string
}

const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

export const tokensFor = async (
  url: string,
  client: { readonly clientId: string; readonly clientSecret: string },
  form: Readonly<Record<string, string>>,
): Promise<Json> =>
  succeeded(
    await request(`${url}/oauth2/token`, 'POST', {
      body: new URLSearchParams(form),
      headers: { Authorization: basic(client.clientId, client.clientSecret) },
    }),
  )

/** Creates everything. @throws Error with the first response that is not successful */
export const inhabit = async ({ publicUrl, url, setupLink, scim, hook }: Place): Promise<Credentials> => {
  const api = async (method: string, path: string, sent: Sent = {}): Promise<Json> =>
    succeeded(await request(`${url}/api/v1${path}`, method, sent))

  const enroll = async (link: string, profile: object): Promise<{ userId: string; cookie: string }> => {
    const path = `${url}/api/v1/auth/enroll/${link.split('/').at(-1) ?? ''}`
    const { asksProfile } = succeeded(await request(path, 'GET'))
    const said = asksProfile === true ? { profile } : {}
    const { ceremonyId, publicKey } = succeeded(
      await request(`${path}/passkey/options`, 'POST', { body: said }),
    )
    const credential = softPasskey(publicUrl).create(publicKey)
    const answer = await request(`${path}/passkey`, 'POST', { body: { ceremonyId, credential, ...said } })
    succeeded(answer)
    const cookie = cookiesOf(answer)
    const { id } = await api('GET', '/me', { cookie })
    return { userId: id, cookie }
  }

  const admin = await enroll(setupLink, { name: 'Ada Lovelace', email: 'ada@example.com' })
  const as = (body?: unknown): Sent => ({ cookie: admin.cookie, ...(body === undefined ? {} : { body }) })

  const everyone = await api(
    'POST',
    '/groups',
    as({
      name: 'Engineering',
      description: 'By department',
      rule: { match: 'all', conditions: [{ attribute: 'department', operator: 'eq', value: 'Engineering' }] },
    }),
  )
  const board = await api('POST', '/groups', as({ name: 'Board' }))
  const invite = (name: string, more: object = {}): Promise<Json> =>
    api(
      'POST',
      '/users',
      as({ name, email: `${name.split(' ')[0]?.toLowerCase() ?? ''}@example.com`, ...more }),
    )
  const grace = await invite('Grace Hopper', {
    department: 'Engineering',
    title: 'Compiler engineer',
    phone: '+15551234567',
  })
  const graceIn = await enroll(grace.enrollUrl, {})
  const alan = await invite('Alan Turing', { department: 'Research' })
  const mary = await invite('Mary Jackson', { department: 'Engineering' })
  await enroll(mary.enrollUrl, {})
  await invite('Edsger Dijkstra')
  await api('PUT', `/groups/${board.id}/members/${grace.id}`, as({}))
  await api('PUT', `/users/${grace.id}/roles`, as({ roles: ['auditor'] }))
  const { ceremonyId, publicKey } = await api('POST', '/me/methods/passkey/options', as())
  await api(
    'POST',
    '/me/methods/passkey/verify',
    as({ ceremonyId, credential: softPasskey(publicUrl).create(publicKey), name: 'Laptop' }),
  )
  await api('POST', '/me/methods/recovery-codes', as())
  await api('POST', `/users/${alan.id}/suspend`, as({ reason: 'On leave' }))

  const payroll = await api(
    'POST',
    '/api-resources',
    as({
      name: 'Payroll API',
      identifier: RESOURCE,
      scopes: [{ name: 'payroll:read', description: 'Read' }, { name: 'payroll:write' }],
    }),
  )
  const wiki = await api(
    'POST',
    '/applications',
    as({
      name: 'Wiki',
      protocol: 'oidc',
      type: 'web',
      redirectUris: [REDIRECT_URI],
      groupIds: [everyone.id],
    }),
  )
  const robot = await api('POST', '/applications', as({ name: 'Robot', protocol: 'oidc', type: 'service' }))
  await api('PUT', `/api-resources/${payroll.id}/grants/${robot.id}`, as({ scopes: ['payroll:read'] }))
  const expenses = await api(
    'POST',
    '/applications',
    as({
      name: 'Expenses',
      protocol: 'saml',
      groupIds: [everyone.id, board.id],
      saml: {
        entityId: 'https://expenses.example.com/saml',
        acsUrls: ['https://expenses.example.com/saml/acs'],
      },
    }),
  )
  await api('POST', '/saml/certificate/rotate', as())
  // Enough events for a full tile of the audit tree.
  for (let n = 1; n <= EDITS; n++)
    await api('PATCH', `/applications/${robot.id}`, as({ description: `Edit ${String(n)}` }))
  const account = await api('POST', '/service-accounts', as({ name: 'directory-sync' }))
  await api('PUT', `/service-accounts/${account.id}/roles`, as({ roles: ['user_admin'] }))
  const keyWith = (name: string, scopes: readonly string[]): Promise<Json> =>
    api('POST', `/service-accounts/${account.id}/keys`, as({ name, scopes }))
  const apiKey = await keyWith('reader', ['api'])
  const scimKey = await keyWith('directory', ['scim'])
  const revoked = await keyWith('revoked', ['api'])
  await api('DELETE', `/api-keys/${revoked.id}`, as())

  await api('POST', '/webhooks', as({ url: hook, description: 'Tickets', events: ['user.*', 'group.*'] }))
  await api('PUT', `/provisioning/applications/${expenses.id}`, as({ ...scim, enabled: true }))

  const viaScim = (method: string, path: string, body: object): Promise<Json> =>
    request(`${url}/scim/v2${path}`, method, {
      body,
      headers: { Authorization: `Bearer ${scimKey.key}`, 'Content-Type': 'application/scim+json' },
    }).then(succeeded)
  const barbara = await viaScim('POST', '/Users', {
    schemas: [USER],
    userName: 'barbara@example.com',
    externalId: 'hr-17',
    name: { formatted: 'Barbara Liskov' },
    emails: [{ value: 'barbara@example.com', primary: true }],
    active: true,
  })
  await viaScim('POST', '/Groups', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: 'Finance',
    members: [{ value: barbara.id }],
  })

  const client = { clientId: wiki.clientId, clientSecret: wiki.clientSecret }
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: wiki.clientId,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: 'openid profile email offline_access',
    state: 's',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const authorized = await request(`${url}/oauth2/authorize?${query.toString()}`, 'GET', {
    cookie: graceIn.cookie,
  })
  const code = new URL(authorized.headers.get('location') ?? 'none:').searchParams.get('code')
  if (code === null)
    throw new Error(`no code: ${String(authorized.status)} ${authorized.headers.get('location') ?? ''}`)
  const first = await tokensFor(url, client, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: verifier,
  })
  await api('POST', '/signing-keys/rotate', as())
  const tokens = await tokensFor(url, client, {
    grant_type: 'refresh_token',
    refresh_token: first.refresh_token,
  })
  const service = {
    clientId: robot.clientId,
    clientSecret: robot.clientSecret,
    scope: 'payroll:read',
    resource: RESOURCE,
  }
  await tokensFor(url, service, {
    grant_type: 'client_credentials',
    scope: service.scope,
    resource: service.resource,
  })

  const checkpoint = await api('GET', '/audit/checkpoint', { ...as(), headers: { Accept: 'text/plain' } })
  const key = await api('GET', '/audit/key.pub', as())
  await api('DELETE', `/users/${mary.id}`, as())
  await api('POST', `/users/${mary.id}/erase`, as())

  const counts: Record<string, number> = {}
  for (const path of countedLists) counts[path] = (await api('GET', path, as())).length
  return {
    frozenAt: new Date().toISOString(),
    publicUrl,
    admin,
    user: { ...graceIn, name: 'Grace Hopper', email: 'grace@example.com' },
    erasedUserId: mary.id,
    web: { ...client, redirectUri: REDIRECT_URI },
    service,
    refreshToken: tokens.refresh_token,
    accessToken: tokens.access_token,
    apiKey: apiKey.key,
    scimKey: scimKey.key,
    checkpoint,
    publicKey: key,
    counts,
  }
}
