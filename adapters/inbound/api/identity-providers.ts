import { Type } from 'typebox'
import { DomainError } from '../../../domain/errors.ts'
import { presetIssuer } from '../../../domain/identity-provider/issuer.ts'
import type { IdentityProviderType } from '../../../domain/identity-provider/events.ts'
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
import { callbackUrl } from '../sign-in/callback-url.ts'
import {
  defaultMapping,
  IdentityProvider,
  identityProviderChange,
  newIdentityProvider,
} from './identity-provider-schemas.ts'

const toIdentityProvider = ({ fields: own, ...row }: IdentityProviderRow, publicUrl: string) => ({
  ...own,
  ...row,
  callbackUrl: callbackUrl(publicUrl, row.id),
})

const tag = 'Identity providers'
const params = fields({ id: idOf('identityProvider') })
const security = proven(writers('security_admin'))
const flag = Type.Optional(Type.Enum(['true', 'false']))

const defaults = {
  clientAuthentication: 'client_secret_basic',
  scopes: ['profile', 'email'],
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

/** @throws DomainError ERR_INVALID naming the missing or superfluous field */
const issuerOf = (
  type: IdentityProviderType,
  { issuer, tenantId }: { readonly issuer?: string | undefined; readonly tenantId?: string | undefined },
): string => {
  if (type === 'oidc') {
    if (tenantId !== undefined)
      throw new DomainError('ERR_INVALID', 'tenantId: only for type microsoft', '/tenantId')
    if (issuer === undefined)
      throw new DomainError(
        'ERR_INVALID',
        'issuer: expected the issuer identifier of the provider',
        '/issuer',
      )
    return issuer
  }
  if (issuer !== undefined)
    throw new DomainError(
      'ERR_INVALID',
      `issuer: follows from type ${type}, so it must be omitted`,
      '/issuer',
    )
  if (type === 'google' && tenantId !== undefined)
    throw new DomainError('ERR_INVALID', 'tenantId: only for type microsoft', '/tenantId')
  const preset = presetIssuer(type, tenantId)
  if (preset === undefined)
    throw new DomainError('ERR_INVALID', 'tenantId: expected the id of the tenant', '/tenantId')
  return preset
}

/** Routes for identity providers that users sign in with. */
export const identityProviderRoutes = (
  services: Pick<Services, 'handle' | 'inForce' | 'pool' | 'reservations' | 'locks' | 'vault' | 'publicUrl'>,
): readonly Route[] => {
  const { pool, publicUrl } = services
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
      description: 'Register the `callbackUrl` of the response at the provider.',
      access: security,
      body: newIdentityProvider,
      result: IdentityProvider,
      status: 201,
      errors: ['ERR_CONFLICT'],
      audit: ['identity_provider.create'],
      handle: async (request) => {
        const { type, issuer, tenantId, clientSecret, ...input } = sent(request.body)
        const { identityProviderId, version } = await providers.create(
          {
            providerType: type,
            issuer: issuerOf(type, { issuer, tenantId }),
            fields: { ...defaults, ...input },
            clientSecret,
          },
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
        const { clientSecret, ...change } = sent(request.body)
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
        'Nobody can sign in with it until it is enabled again; existing sessions continue. Rejected with the number of users who have no other sign-in method, unless `force` is true.',
      access: security,
      params,
      body: fields({ force: Type.Optional(Type.Boolean()) }),
      result: IdentityProvider,
      status: 200,
      errors: ['ERR_CONFLICT'],
      audit: ['identity_provider.disable'],
      handle: async (request) => {
        const { id } = request.params
        const { version } = await providers.disable(id, request.body.force ?? false, actorOf(request))
        return { body: await readBack(read(id), version) }
      },
    }),
    route({
      method: 'DELETE',
      path: '/identity-providers/{id}',
      tag,
      summary: 'Delete an identity provider',
      description:
        'Disables it, removes its linked accounts, and the group memberships that came from it. Rejected with the number of users who have no other sign-in method, unless `force` is true.',
      access: security,
      params,
      query: fields({ force: flag }),
      status: 204,
      errors: ['ERR_CONFLICT'],
      audit: ['identity_provider.disable', 'identity_provider.delete', 'group.member.remove'],
      handle: async (request) => {
        await providers.delete(request.params.id, request.query.force === 'true', actorOf(request))
        return done
      },
    }),
  ]
}
