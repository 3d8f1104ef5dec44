import { createHash, randomBytes } from 'node:crypto'
import type { ApplicationCommand } from '../../domain/application/decider.ts'
import { applicationDecider, applicationStream } from '../../domain/application/decider.ts'
import type { OidcApplicationType, OidcSettings } from '../../domain/application/events.ts'
import { groupDecider, groupStream } from '../../domain/group/decider.ts'
import { membershipDecider, membershipStream } from '../../domain/membership/decider.ts'
import { newId } from '../../adapters/ids.ts'
import { hashSecret, newSecret } from '../../adapters/vault/hash.ts'
import { system, type TestPerson, type TestService } from './service.ts'

export const CALLBACK = 'https://app.example.com/callback'

/** An application as the one who registered it knows it. */
export interface TestApplication {
  readonly applicationId: string
  readonly clientId: string
  readonly name: string
  /** Empty for public clients. */
  readonly secret: string
  readonly secretId: string
  readonly groupId: string
}

/** A request's extras, with headers as a plain record. */
type Init = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> }

/** Answers of every shape are looked into. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Json = any

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

/** Makes what OpenID Connect needs around a service, and speaks its protocol without a browser. */
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

  /** Sends an authorization request; no redirect is followed. A value of null leaves a usual parameter out. */
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

  /** A code for the person, with the verifier that redeems it. */
  const code = async (
    app: TestApplication,
    person: TestPerson,
    parameters: Readonly<Record<string, string | null>> = {},
  ): Promise<{ code: string; verifier: string }> => {
    const { verifier, challenge } = pkce()
    const answer = await authorize(app, person, {
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...parameters,
    })
    if (answer.query['code'] === undefined)
      throw new Error(`no code: ${String(answer.status)} ${answer.location ?? answer.text}`)
    return { code: answer.query['code'], verifier }
  }

  /** Sends a form to the token endpoint. */
  const token = async (
    fields: Readonly<Record<string, string>> | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ status: number; headers: Headers; body: Json }> => {
    const response = await fetch(`${service.publicUrl}/oauth2/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body: typeof fields === 'string' ? fields : new URLSearchParams(fields).toString(),
    })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }

  const redeem = (app: TestApplication, { code, verifier }: { code: string; verifier: string }) =>
    token(
      {
        grant_type: 'authorization_code',
        code,
        redirect_uri: CALLBACK,
        code_verifier: verifier,
        ...(app.secret === '' ? { client_id: app.clientId } : {}),
      },
      app.secret === '' ? {} : { Authorization: basic(app.clientId, app.secret) },
    )

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

  /** Someone in the application's group, signed in. */
  const member = async (app: TestApplication, profile = {}): Promise<TestPerson> => {
    const person = await service.person(profile)
    if (app.groupId !== '') await join(app.groupId, person.userId)
    return person
  }

  /** The claims of a JWT, unchecked. */
  const claimsIn = (jwt: string): Json =>
    JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())

  return {
    group,
    join,
    leave,
    change,
    application,
    authorize,
    browse,
    code,
    token,
    redeem,
    userinfo,
    member,
    claimsIn,
  }
}

export type OidcWorld = ReturnType<typeof oidcWorld>
