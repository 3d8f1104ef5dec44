import { Type } from 'typebox'
import {
  findIdentityProvider,
  listIdentityProviders,
  type IdentityProviderRow,
} from '../../../read-models/queries/identity-providers.ts'
import { identityProviderCommands } from '../../application/commands/identity-providers.ts'
import type { Services } from '../../application/services/services.ts'
import { actorOf } from '../http/actor.ts'
import { listPage, listQuery, listReply } from '../http/cursor.ts'
import { created, done, fields, idOf, route, type Route } from '../http/route.ts'
import { existing, listPageOf, proven, readBack, readers, sent, sorting, writers } from '../http/schemas.ts'
import { callbackUrl, providerEventUrls, samlNamesAt } from '../sign-in/callback-url.ts'
import { changedConnection, newConnection } from './identity-provider-input.ts'
import {
  defaultMapping,
  IdentityProvider,
  identityProviderChange,
  newIdentityProvider,
  type ConnectionInput,
} from './identity-provider-schemas.ts'

const addressesOf = ({ id, type }: Pick<IdentityProviderRow, 'id' | 'type'>, publicUrl: string) => {
  if (type === 'github') return { callbackUrl: callbackUrl(publicUrl, id) }
  if (type !== 'saml') return { callbackUrl: callbackUrl(publicUrl, id), ...providerEventUrls(publicUrl, id) }
  const { acsUrl, entityId } = samlNamesAt(publicUrl, id)
  return { callbackUrl: acsUrl, metadataUrl: entityId }
}

const toIdentityProvider = ({ fields: own, ...row }: IdentityProviderRow, publicUrl: string) => ({
  ...own,
  ...row,
  ...addressesOf(row, publicUrl),
})

const tag = 'Identity providers'
const params = fields({ id: idOf('identityProvider') })
const security = proven(writers('security_admin'))
const flag = Type.Optional(Type.Enum(['true', 'false']))

const defaults = {
  attributeMapping: defaultMapping,
  groupMapping: [],
  domains: [],
  requiredForDomains: false,
  linking: 'email_verified',
  provisioning: 'none',
  jitGroupIds: [],
  syncProfile: false,
  trustEmailVerified: false,
  phishingResistantValues: [],
} as const

/** Divides input into how the provider is reached, and everything else. */
const divided = <T extends ConnectionInput>(input: T) => {
  const { clientId, clientAuthentication, scopes, ssoUrl, certificates, ...others } = input
  const { nameIdFormat, acceptUnsolicited, metadataXml, entityId, issuer, tenantId, ...settings } = others
  const connection: ConnectionInput = sent({
    ...{ clientId, clientAuthentication, scopes, ssoUrl, certificates, nameIdFormat, acceptUnsolicited },
    ...{ metadataXml, entityId, issuer, tenantId },
  })
  return [connection, settings] as const
}

/** Routes for identity providers that users sign in with. */
export const identityProviderRoutes = (
  services: Pick<
    Services,
    'handle' | 'inForce' | 'pool' | 'reservations' | 'locks' | 'vault' | 'publicUrl' | 'clock'
  >,
): readonly Route[] => {
  const { pool, publicUrl, clock } = services
  const providers = identityProviderCommands(services)
  const read = async (id: string) => {
    const provider = await findIdentityProvider(pool, id)
    return provider === null ? null : toIdentityProvider(provider, publicUrl)
  }

  return [
    route({
      method: 'GET',
      path: '/identity-providers',
      tag,
      summary: 'List identity providers',
      access: readers,
      query: listQuery({ ...sorting, enabled: flag }),
      result: Type.Array(IdentityProvider),
      status: 200,
      errors: [],
      handle: async ({ query, http }) => {
        const { page, shown, toCursor } = listPageOf(query)
        const { enabled, ...rest } = query
        const filters = { ...rest, ...(enabled === undefined ? {} : { enabled: enabled === 'true' }) }
        const rows = await listIdentityProviders(pool, filters, page)
        return listReply(listPage(rows, shown, toCursor, http.url), ({ sortKey: _, ...row }) =>
          toIdentityProvider(row, publicUrl),
        )
      },
    }),
    route({
      method: 'POST',
      path: '/identity-providers',
      tag,
      summary: 'Add an identity provider',
      description:
        'Register the `callbackUrl` of the response at the provider; for SAML, its `metadataUrl` has the metadata.',
      access: security,
      body: newIdentityProvider,
      result: IdentityProvider,
      status: 201,
      errors: ['ERR_CONFLICT'],
      audit: ['identity_provider.create'],
      handle: async (request) => {
        const { type, clientSecret, ...input } = sent(request.body)
        const [connection, settings] = divided(input)
        const { issuer, fields } = newConnection(type, connection, new Date(clock.now()))
        const { identityProviderId, version } = await providers.create(
          { providerType: type, issuer, fields: { ...defaults, ...settings, ...fields }, clientSecret },
          actorOf(request),
        )
        const location = `/api/v1/identity-providers/${identityProviderId}`
        return created(location, await readBack(read(identityProviderId), version))
      },
    }),
    route({
      method: 'GET',
      path: '/identity-providers/{id}',
      tag,
      summary: 'Read an identity provider',
      access: readers,
      params,
      result: IdentityProvider,
      status: 200,
      errors: [],
      handle: async ({ params: { id } }) => ({ body: await existing(read(id)) }),
    }),
    route({
      method: 'PATCH',
      path: '/identity-providers/{id}',
      tag,
      summary: 'Change an identity provider',
      description:
        'Type and issuer never change: user ids of the provider are unique only within its issuer.',
      access: security,
      params,
      body: identityProviderChange,
      result: IdentityProvider,
      status: 200,
      errors: ['ERR_CONFLICT'],
      audit: ['identity_provider.update'],
      handle: async (request) => {
        const { id } = request.params
        const { clientSecret, ...input } = sent(request.body)
        const [connection, settings] = divided(input)
        const { issuer } = await existing(findIdentityProvider(pool, id))
        const change = { ...settings, ...changedConnection(connection, issuer, new Date(clock.now())) }
        const { version } = await providers.update(id, change, clientSecret, actorOf(request))
        return { body: await readBack(read(id), version) }
      },
    }),
    route({
      method: 'POST',
      path: '/identity-providers/{id}/enable',
      tag,
      summary: 'Enable an identity provider',
      access: security,
      params,
      result: IdentityProvider,
      status: 200,
      errors: [],
      audit: ['identity_provider.enable'],
      handle: async (request) => {
        const { id } = request.params
        const { version } = await providers.enable(id, actorOf(request))
        return { body: await readBack(read(id), version) }
      },
    }),
    route({
      method: 'POST',
      path: '/identity-providers/{id}/disable',
      tag,
      summary: 'Disable an identity provider',
      description:
        'Nobody can sign in with it until it is enabled again. Existing sessions continue, unless `endSessions` is true. Rejected with the number of users who have no other sign-in method, unless `force` is true.',
      access: security,
      params,
      body: fields({
        force: Type.Optional(Type.Boolean()),
        endSessions: Type.Optional(
          Type.Boolean({
            description: 'end the sessions that the provider has opened, for example after an attack on it',
          }),
        ),
      }),
      result: IdentityProvider,
      status: 200,
      errors: ['ERR_CONFLICT'],
      audit: ['identity_provider.disable', 'session.revoke'],
      handle: async (request) => {
        const { id } = request.params
        const { force = false, endSessions = false } = request.body
        const { version } = await providers.disable(id, { force, endSessions }, actorOf(request))
        return { body: await readBack(read(id), version) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/identity-providers/{id}',
      tag,
      summary: 'Delete an identity provider',
      description:
        'Disables it, removes its linked accounts, and ends the sessions that it has opened and the group memberships that came from it. Rejected with the number of users who have no other sign-in method, unless `force` is true.',
      access: security,
      params,
      query: fields({ force: flag }),
      status: 204,
      errors: ['ERR_CONFLICT'],
      audit: [
        ...(['identity_provider.disable', 'identity_provider.delete'] as const),
        ...(['session.revoke', 'group.member.remove'] as const),
      ],
      handle: async (request) => {
        await providers.delete(request.params.id, request.query.force === 'true', actorOf(request))
        return done
      },
    }),
  ]
}
