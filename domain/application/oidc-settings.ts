import type { ApplicationFields, OidcApplicationType, OidcSettings } from './events.ts'
import { fieldDefaults, fieldsProblem, type SettingsProblem } from './fields.ts'
import { grantTypesOf } from './grant-types.ts'
import { redirectUriProblem } from './redirect-uri.ts'

export const oidcDefaults: OidcSettings & Omit<ApplicationFields, 'name'> = {
  ...fieldDefaults,
  redirectUris: [],
  postLogoutRedirectUris: [],
  allowedOrigins: [],
  idTokenLifetimeSeconds: 900,
  accessTokenLifetimeSeconds: 900,
  refreshTokenLifetimeSeconds: 28_800,
  refreshTokenRotation: true,
  refreshTokenGraceSeconds: 0,
  requirePkce: true,
}

const needsRedirectUris = (type: OidcApplicationType): boolean =>
  grantTypesOf(type).includes('authorization_code')

const isOrigin = (text: string): boolean =>
  redirectUriProblem(text, 'web') === null && new URL(text).origin === text

/** Rules that depend on the application's type and that no JSON schema can express. */
export const oidcProblem = (
  type: OidcApplicationType,
  settings: OidcSettings & ApplicationFields,
): SettingsProblem | null => {
  const { redirectUris, postLogoutRedirectUris, allowedOrigins, requirePkce } = settings
  if (needsRedirectUris(type) && redirectUris.length === 0)
    return {
      message: 'redirectUris: expected at least one address for this type of application',
      field: '/redirectUris',
    }
  if (!needsRedirectUris(type) && redirectUris.length > 0)
    return {
      message: `redirectUris: not allowed for an application of type ${type}`,
      field: '/redirectUris',
    }
  for (const [name, list] of Object.entries({ redirectUris, postLogoutRedirectUris })) {
    if (new Set(list).size !== list.length)
      return { message: `${name}: expected each address once`, field: `/${name}` }
    for (const [index, uri] of list.entries()) {
      const problem = redirectUriProblem(uri, type)
      if (problem !== null)
        return {
          message: `${name}: ${problem}, got ${uri.slice(0, 200)}`,
          field: `/${name}/${String(index)}`,
        }
    }
  }
  for (const [index, origin] of allowedOrigins.entries())
    if (!isOrigin(origin))
      return {
        message: 'allowedOrigins: expected an origin such as https://app.example.com',
        field: `/allowedOrigins/${String(index)}`,
      }
  if (!requirePkce && type !== 'web')
    return { message: 'requirePkce: only web applications can disable PKCE', field: '/requirePkce' }
  const { backchannelLogoutUri } = settings
  if (backchannelLogoutUri !== undefined && redirectUriProblem(backchannelLogoutUri, 'web') !== null)
    return { message: 'backchannelLogoutUri: expected an https address', field: '/backchannelLogoutUri' }
  return fieldsProblem(settings)
}
