import { BASE_PATH } from '../http/route.ts'

/** Returns the redirect URI for an identity provider, where it sends the browser back to. */
export const callbackUrl = (publicUrl: string, identityProviderId: string): string =>
  `${publicUrl}${BASE_PATH}/auth/providers/${identityProviderId}/callback`
