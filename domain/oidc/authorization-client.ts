/** RFC 6749 §3.1.2: whether an application (still) accepts authorization responses at an address. */
import type { OidcApplicationType } from '../application/events.ts'
import { grantTypesOf } from '../application/grant-types.ts'
import { isRegisteredRedirectUri } from '../application/redirect-uri.ts'
import type { ScopeClient } from './scopes.ts'

/** The fields of an application that are needed to check its authorization requests. */
export interface AuthorizationClient {
  readonly type: OidcApplicationType
  readonly redirectUris: readonly string[]
  readonly requirePkce: boolean
  readonly scopes: ScopeClient
}

export const acceptsAuthorization = (
  { type, redirectUris }: Pick<AuthorizationClient, 'type' | 'redirectUris'>,
  redirectUri: string,
): boolean =>
  grantTypesOf(type).includes('authorization_code') &&
  isRegisteredRedirectUri(redirectUri, redirectUris, type)
