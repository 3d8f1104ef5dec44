import { createHash, randomBytes } from 'node:crypto'
import type { ApplicationCommand } from '../../../domain/application/decider.ts'
import { applicationDecider, applicationStream } from '../../../domain/application/decider.ts'
import type { OidcApplicationType, OidcSettings } from '../../../domain/application/events.ts'
import { allGrantsDecider, allGrantsStream } from '../../../domain/grant/all.ts'
import { groupDecider, groupStream } from '../../../domain/group/decider.ts'
import { membershipDecider, membershipStream } from '../../../domain/membership/decider.ts'
import { apiResourceCommands } from '../../../adapters/application/commands/api-resources.ts'
import { newId } from '../../../adapters/kernel/ids.ts'
import { hashSecret, newSecret } from '../../../adapters/engines/vault/hash.ts'
import { system, type TestPerson, type TestService } from '../service/service.ts'

export const CALLBACK = 'https://app.example.com/callback'

/** An application, with what its registration returned. */
export interface TestApplication {
  readonly applicationId: string
  readonly clientId: string
  readonly name: string
  /** Empty for public clients. */
  readonly secret: string
  readonly secretId: string
  readonly groupId: string
}

/** An API for which access tokens can be issued. */
export interface TestApi {
  readonly apiResourceId: string
  readonly identifier: string
  readonly scopes: readonly string[]
}

/** Further fetch options, with headers as a plain record. */
type Init = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> }

/** Responses of every shape are inspected. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

/** A response from an endpoint at which clients authenticate. */
export interface ClientAnswer {
  readonly status: number
  readonly headers: Headers
  /** Null if there is none. */
  readonly body: Json
}

/** Status and `error` of a response. */
export const outcome = ({ status, body }: ClientAnswer): readonly [number, string | undefined] => [
  status,
  body?.error,
]

/** Parameters of a form; those with several values are repeated. */
type Form = Readonly<Record<string, string | readonly string[]>>

const encoded = (form: Form): string =>
  new URLSearchParams(
    Object.entries(form).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, each]),
    ),
  ).toString()

export interface Pkce {
  readonly verifier: string
  readonly challenge: string
}

export const pkce = (): Pkce => {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

export const basic = (clientId: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`).toString('base64')}`

let made = 0

/** Creates what OpenID Connect needs in a service, and uses the protocol without a browser. */
export const oidcWorld = (service: TestService) => {
  const { services } = service.core
  const { handle, random } = services

  const group = async (name = `Group ${String(++made)}`): Promise<string> => {
    const groupId = newId('group')
    await handle(
      groupDecider,
      groupStream(groupId),
      { type: 'create', groupId, fields: { name, ownerIds: [] }, rule: null, source: 'local' },
      system,
    )
    return groupId
  }

  const join = (groupId: string, userId: string, expiresAt?: string) =>
    handle(
      membershipDecider,
      membershipStream(groupId, userId),
      {
        type: 'grant',
        groupId,
        userId,
        via: 'assigned',
        now: services.clock.now(),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      },
      system,
    )

  const leave = (groupId: string, userId: string) =>
    handle(membershipDecider, membershipStream(groupId, userId), { type: 'remove', groupId, userId }, system)

  const change = (command: ApplicationCommand) =>
    handle(applicationDecider, applicationStream(command.applicationId), command, system)

  const application = async (
    type: OidcApplicationType = 'web',
    settings: Partial<OidcSettings> = {},
    options: { groups?: 'one' | 'none'; secretExpiresAt?: string } = {},
  ): Promise<TestApplication> => {
    const applicationId = newId('application')
    const clientId = `sv_${newId('application').slice(4)}`
    const secretId = newId('clientSecret')
    const secret = newSecret('svs_', random)
    const confidential = type === 'web' || type === 'service'
    const groupId = options.groups === 'none' ? '' : await group()
    const name = `Application ${String(++made)}`
    await change({
      type: 'create',
      applicationId,
      applicationType: type,
      clientId,
      builtIn: false,
      settings: { name, redirectUris: [CALLBACK], ...settings },
      groupIds: groupId === '' ? [] : [groupId],
      ...(confidential
        ? {
            secret: {
              secretId,
              prefix: secret.slice(0, 8),
              hash: hashSecret(secret),
              ...(options.secretExpiresAt === undefined ? {} : { expiresAt: options.secretExpiresAt }),
            },
          }
        : {}),
    })
    return { applicationId, clientId, name, secret: confidential ? secret : '', secretId, groupId }
  }

  /** An API with these permissions, with a unique name. */
  const api = async (
    permissions: readonly string[] = ['read', 'write'],
    options: { ownerApplicationIds?: readonly string[]; accessTokenLifetimeSeconds?: number } = {},
  ): Promise<TestApi> => {
    const name = `api-${String(++made)}`
    const identifier = `https://${name}.example.com`
    const scopes = permissions.map((permission) => `${name}:${permission}`)
    const { apiResourceId } = await apiResourceCommands(services).create(
      { identifier, name, scopes: scopes.map((scope) => ({ name: scope })), ...options },
      system,
    )
    return { apiResourceId, identifier, scopes }
  }

  /** Replaces all the API scopes that the application is granted. */
  const grantApis = ({ applicationId }: TestApplication, ...apis: readonly TestApi[]) =>
    change({
      type: 'set_api_grants',
      applicationId,
      apiGrants: apis.map(({ apiResourceId, scopes }) => ({
        apiResourceId,
        scopes,
        grantId: newId('grant'),
      })),
    })

  /** Sends an authorization request without following redirects. A value of null omits a default parameter. */
  const authorize = async (
    app: TestApplication,
    person: Pick<TestPerson, 'cookie'> | null,
    parameters: Readonly<Record<string, string | null>> = {},
    raw = '',
  ) => {
    const all = {
      client_id: app.clientId,
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope: 'openid',
      state: 'the state',
      ...parameters,
    }
    const query = new URLSearchParams(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null),
    )
    return browse(`/oauth2/authorize?${query.toString()}${raw}`, person)
  }

  const browse = async (path: string, person: Pick<TestPerson, 'cookie'> | null, init: Init = {}) => {
    const response = await fetch(`${service.publicUrl}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { ...(person === null ? {} : { Cookie: person.cookie }), ...init.headers },
    })
    const location = response.headers.get('location')
    const url = location === null ? null : new URL(location, service.publicUrl)
    return {
      status: response.status,
      headers: response.headers,
      location,
      /** What the redirect carries. */
      query: Object.fromEntries(url?.searchParams ?? []) as Record<string, string | undefined>,
      text: await response.text(),
    }
  }

  /** A code for the user, with the verifier that redeems it. */
  const code = async (
    app: TestApplication,
    person: TestPerson,
    parameters: Readonly<Record<string, string | null>> = {},
    raw = '',
  ): Promise<{ code: string; verifier: string }> => {
    const { verifier, challenge } = pkce()
    const answer = await authorize(
      app,
      person,
      { code_challenge: challenge, code_challenge_method: 'S256', ...parameters },
      raw,
    )
    if (answer.query['code'] === undefined)
      throw new Error(`no code: ${String(answer.status)} ${answer.location ?? answer.text}`)
    return { code: answer.query['code'], verifier }
  }

  const post = async (
    path: string,
    form: Form | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ClientAnswer> => {
    const response = await fetch(service.publicUrl + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body: typeof form === 'string' ? form : encoded(form),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
  }

  /** Sends a form to the token endpoint. */
  const token = (form: Form | string, headers: Readonly<Record<string, string>> = {}) =>
    post('/oauth2/token', form, headers)

  /** Sends a form as the application does: with its secret in the header, or with its id alone. */
  const asClient = (app: TestApplication, path: string, form: Form) =>
    app.secret === ''
      ? post(path, { ...form, client_id: app.clientId })
      : post(path, form, { Authorization: basic(app.clientId, app.secret) })

  const redeem = (app: TestApplication, { code, verifier }: { code: string; verifier: string }) =>
    asClient(app, '/oauth2/token', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: verifier,
    })

  const refresh = (app: TestApplication, refreshToken: string, form: Form = {}) =>
    asClient(app, '/oauth2/token', { grant_type: 'refresh_token', refresh_token: refreshToken, ...form })

  const clientCredentials = (app: TestApplication, form: Form = {}) =>
    asClient(app, '/oauth2/token', { grant_type: 'client_credentials', ...form })

  const introspect = (app: TestApplication, text: string) =>
    asClient(app, '/oauth2/introspect', { token: text })

  const revoke = (app: TestApplication, text: string) => asClient(app, '/oauth2/revoke', { token: text })

  /** Revokes everything that the user has allowed the application. */
  const takeBack = (applicationId: string, userId: string) =>
    handle(
      allGrantsDecider,
      allGrantsStream(applicationId, userId),
      { type: 'revoke_all', applicationId, userId, reason: 'user_revoked' },
      system,
    )

  /** The token response to a code for the user. @throws Error if the response has no tokens */
  const tokens = async (
    app: TestApplication,
    person: TestPerson,
    scope = 'openid offline_access',
    raw = '',
  ): Promise<Json> => {
    const { status, body } = await redeem(app, await code(app, person, { scope }, raw))
    if (status !== 200) throw new Error(`no tokens: ${String(status)} ${JSON.stringify(body)}`)
    return body
  }

  const userinfo = async (accessToken: string | null, init: Init = {}) => {
    const response = await fetch(`${service.publicUrl}/oauth2/userinfo`, {
      ...init,
      headers: {
        ...(accessToken === null ? {} : { Authorization: `Bearer ${accessToken}` }),
        ...init.headers,
      },
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
  }

  /** A signed-in user in the application's group. */
  const member = async (app: TestApplication, profile = {}): Promise<TestPerson> => {
    const person = await service.person(profile)
    if (app.groupId !== '') await join(app.groupId, person.userId)
    return person
  }

  /** The claims of a JWT, unchecked. */
  const claimsIn = (jwt: string): Json =>
    JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())

  /** The header of a JWT, unchecked. */
  const headerOf = (jwt: string): Json =>
    JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString())

  return {
    post,
    group,
    join,
    leave,
    change,
    application,
    authorize,
    browse,
    code,
    api,
    grantApis,
    token,
    asClient,
    redeem,
    refresh,
    clientCredentials,
    introspect,
    revoke,
    takeBack,
    tokens,
    userinfo,
    member,
    claimsIn,
    headerOf,
  }
}

export type OidcWorld = ReturnType<typeof oidcWorld>
