/** Converts applications for the protocol rules. */
import { grantTypesOf } from '../../../domain/application/grant-types.ts'
import type { AuthorizationClient } from '../../../domain/oidc/authorization-client.ts'
import { ADMIN_SCOPE, servedScopes, type GrantedApi, type ScopeClient } from '../../../domain/oidc/scopes.ts'
import type { OidcApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import type { Configuration } from '../../application/services/configuration.ts'

const apiScopes = new WeakMap<Configuration, ReadonlySet<string>>()

const apiScopesOf = (configuration: Configuration): ReadonlySet<string> => {
  const known = apiScopes.get(configuration)
  if (known !== undefined) return known
  const names = new Set(configuration.apiResources.flatMap(({ scopes }) => scopes))
  apiScopes.set(configuration, names)
  return names
}

/** Returns the scopes that an application may have under this configuration. */
export const scopeClientOf = (
  { type, apiGrants }: OidcApplicationConfiguration,
  configuration: Configuration,
): ScopeClient => {
  const grantTypes = grantTypesOf(type)
  const forPeople = type !== 'service'
  return {
    served: forPeople
      ? servedScopes.filter((name) => name !== 'offline_access' || grantTypes.includes('refresh_token'))
      : [],
    apis: apiGrants.flatMap(({ apiResourceId, scopes }): GrantedApi[] => {
      const api = configuration.apiResourceById.get(apiResourceId)
      return api === undefined ? [] : [{ apiResourceId, identifier: api.identifier, scopes }]
    }),
    isApiScope: (name) => apiScopesOf(configuration).has(name),
    signsIn: forPeople,
  }
}

/** The same with the scope `admin`, which the command-line client can have in the device flow. */
export const adminScopeClientOf = (
  application: OidcApplicationConfiguration,
  configuration: Configuration,
): ScopeClient => {
  const client = scopeClientOf(application, configuration)
  return { ...client, served: [...client.served, ADMIN_SCOPE] }
}

export const authorizationClientOf = (
  application: OidcApplicationConfiguration,
  configuration: Configuration,
): AuthorizationClient => ({
  type: application.type,
  redirectUris: application.settings.redirectUris,
  requirePkce: application.settings.requirePkce,
  scopes: scopeClientOf(application, configuration),
})
