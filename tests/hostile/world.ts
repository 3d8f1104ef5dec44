/** A service with one resource of each kind, and all kinds of callers. */
import { apiKey } from '../support/api/api-keys.ts'
import { deviceWorld } from '../support/sign-in/device-authorization.ts'
import { oidcWorld } from '../support/oidc/oidc.ts'
import { samlWorld } from '../support/saml/saml.ts'
import { directory } from '../support/scim/scim.ts'
import type { TestPerson, TestService } from '../support/service/service.ts'
import type { Pairs } from './requests.ts'
import { ssfReceiver } from '../support/ssf/receiver.ts'
import { sharedSignals } from '../support/ssf/set-up.ts'

export interface World {
  /** An id of each kind of resource, by its prefix */
  readonly ids: ReadonlyMap<string, string>
  /** Returns the session of an administrator; a different one each time, because requests end sessions */
  readonly cookie: () => string
  /** Returns the credentials of a kind of caller for a route of the API. */
  readonly credentials: (as: string, method: string, path: string) => Pairs
  readonly scimKey: string
  readonly scimUserId: string
  readonly scimGroupId: string
  readonly oidc: {
    readonly clientId: string
    readonly secret: string
    readonly code: string
    readonly accessToken: string
    readonly refreshToken: string
    readonly idToken: string
    readonly deviceCode: string
  }
  readonly ssf: { readonly token: string; readonly streamId: string }
  readonly saml: { readonly entityId: string; readonly applicationId: string }
}

const ADMINS = 24

const prefixOf = (id: string): string => id.slice(0, id.indexOf('_') + 1)

/** Returns the ids in the response of a list. */
const idsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return /^[a-z]{2,4}_[0-9A-Z]{26}$/.test(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(idsIn) : []
}

export const hostileWorld = async (service: TestService): Promise<World> => {
  const oidc = oidcWorld(service)
  const sp = await samlWorld(service, oidc).provider()
  const app = await oidc.application()
  const member = await oidc.member(app)
  const tokens = await oidc.tokens(app, member, 'openid profile email groups offline_access')
  const { code } = await oidc.code(app, member)
  const terminal = deviceWorld(service)
  const { body: device } = await terminal.begin()
  const scim = await directory(service)
  const scimUser = await scim.user()
  const scimGroup = await scim.group('From a directory', scimUser.id)
  const key = await apiKey(service, { roles: ['global_admin'] })
  const { body: cli } = await terminal.signIn(member)
  const admins: TestPerson[] = []
  for (let n = 0; n < ADMINS; n++) admins.push(await service.person({}, ['global_admin']))
  const [admin] = admins
  if (admin === undefined) throw new Error('there is no administrator')

  // One resource of each kind that can be created only through the API.
  const api = await oidc.api()
  const made = [
    ['/webhooks', { name: 'Hook', url: 'https://hooks.invalid/x', eventTypes: ['user'] }],
    ['/groups', { name: 'A group' }],
    ['/ssh/principal-mappings', { groupId: app.groupId, principals: ['deploy'] }],
  ] as const
  for (const [path, body] of made) await service.api('POST', path, { as: admin, body })
  const ids = new Map<string, string>()
  for (const path of [
    '/sessions',
    '/devices',
    '/sign-ins',
    '/webhooks',
    '/audit',
    '/signing-keys',
    '/ssh/principal-mappings',
    '/saml-certificates',
    '/api-keys',
    '/service-accounts',
    '/api-resources',
    '/groups',
  ])
    for (const id of idsIn((await service.api('GET', `${path}?limit=5`, { as: admin })).body))
      ids.set(prefixOf(id), id)
  const other = await service.person()
  ids.set('usr_', other.userId)
  ids.set('ses_', other.sessionId)
  ids.set('app_', app.applicationId)
  ids.set('crd_', app.secretId)
  ids.set('api_', api.apiResourceId)
  ids.set('grp_', app.groupId)
  ids.set('key_', key.keyId)

  const receiver = await (await sharedSignals(service, oidc, admin))()
  const ssf = await ssfReceiver(service, oidc, receiver)
  const { body: stream } = await ssf.call('POST', ssf.metadata.configuration_endpoint, {})
  ids.set('sst_', stream.stream_id)

  const administration = await terminal.administer(admin)
  let turn = 0
  const cookie = (): string => admins[++turn % ADMINS]?.cookie ?? ''
  const keys = await Promise.all(
    Array.from({ length: 4 }, () => apiKey(service, { roles: ['global_admin'] })),
  )
  return {
    ids,
    cookie,
    credentials: (as) => {
      switch (as) {
        case 'session':
          return [['Cookie', cookie()]]
        case 'api_key':
          return [['Authorization', `Bearer ${keys[++turn % keys.length]?.key ?? ''}`]]
        case 'cli_token':
          return [['Authorization', `Bearer ${String(cli.access_token)}`]]
        case 'admin_token':
          return [['Authorization', administration.headers.Authorization]]
        default:
          return []
      }
    },
    scimKey: scim.key,
    scimUserId: scimUser.id as string,
    scimGroupId: scimGroup.id as string,
    oidc: {
      clientId: app.clientId,
      secret: app.secret,
      code,
      accessToken: tokens.access_token as string,
      refreshToken: tokens.refresh_token as string,
      idToken: tokens.id_token as string,
      deviceCode: device.device_code as string,
    },
    ssf: { token: await ssf.token(), streamId: stream.stream_id as string },
    saml: { entityId: sp.entityId, applicationId: sp.applicationId },
  }
}
