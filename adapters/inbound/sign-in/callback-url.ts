import { BASE_PATH } from '../http/route.ts'

/** Returns the redirect URI for an OpenID provider, where it sends the browser back to. */
export const callbackUrl = (publicUrl: string, identityProviderId: string): string =>
  `${publicUrl}${BASE_PATH}/auth/providers/${identityProviderId}/callback`

/** Where an OpenID provider reports that a user signed out there, and other security events. */
export const providerEventPaths = {
  backchannelLogout: '/oauth2/providers/{id}/backchannel-logout',
  securityEvents: '/ssf/providers/{id}/events',
} as const

/** Returns these addresses for a provider. */
export const providerEventUrls = (publicUrl: string, identityProviderId: string) => {
  const at = (path: string): string => publicUrl + path.replace('{id}', identityProviderId)
  return {
    backchannelLogoutUrl: at(providerEventPaths.backchannelLogout),
    securityEventsUrl: at(providerEventPaths.securityEvents),
  }
}

/** Paths of the service as a service provider of SAML identity providers. */
export const samlProviderPaths = {
  metadata: '/saml/providers/{id}/metadata',
  acs: '/saml/providers/{id}/acs',
} as const

/**
 * Returns the service's names at a SAML identity provider: an entity id for each provider, so that a response for one
 * is never valid for another.
 */
export const samlNamesAt = (publicUrl: string, identityProviderId: string) => {
  const at = (path: string): string => publicUrl + path.replace('{id}', identityProviderId)
  return { entityId: at(samlProviderPaths.metadata), acsUrl: at(samlProviderPaths.acs) }
}
