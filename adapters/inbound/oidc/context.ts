import type { Services } from '../../application/services/services.ts'
import type { Buckets } from '../http/rate-limit.ts'
import type { RequestOrigin } from '../http/request-origin.ts'
import type { NoteUse } from '../../application/services/last-use.ts'
import { sessionLookup } from '../sign-in/cookie.ts'
import { accessTokens, type AccessTokens } from './access-tokens.ts'
import { authRequests } from '../sign-in/auth-requests.ts'
import type { BrowserEndpointDeps } from '../sign-in/browser-endpoint.ts'
import { authorizationCodes, type AuthorizationCodes } from './codes.ts'
import {
  deviceAuthorizations,
  type DeviceAuthorizations,
} from '../../application/sign-in/device-authorizations.ts'
import type { Pending } from '../sign-in/pending-sign-on.ts'
import type { SignInContext } from '../sign-in/sign-in-context.ts'
import { refreshTokens, type RefreshTokens } from './refresh-tokens.ts'
import { accessPolicies } from '../../application/sign-in/access-policies.ts'
import { tokenChecks, type TokenChecks } from '../../application/sign-in/token-check.ts'

/** What the protocol endpoints require from the server that mounts them. */
export interface OidcDeps extends BrowserEndpointDeps, Pick<SignInContext, 'seen'> {
  readonly limits: Pick<Buckets, 'token' | 'client-failure' | 'userinfo' | 'introspect' | 'browser'>
  /** Called with each client secret that authenticated a client */
  readonly secretUsed: NoteUse
  /** Seconds between two polls of a device that signs in, if not the usual ones */
  readonly devicePollSeconds?: number | undefined
}

export interface OidcContext extends OidcDeps, SignInContext {
  readonly services: Services
  readonly codes: AuthorizationCodes
  readonly tokens: AccessTokens
  readonly refreshTokens: RefreshTokens
  readonly deviceAuthorizations: DeviceAuthorizations
  readonly checkApplication: TokenChecks['checkApplication']
}

export const oidcContext = (services: Services, deps: OidcDeps): OidcContext => ({
  ...deps,
  services,
  sessions: sessionLookup(services),
  requests: authRequests<Pending>(services),
  codes: authorizationCodes(services),
  tokens: accessTokens(services),
  refreshTokens: refreshTokens(services),
  deviceAuthorizations: deviceAuthorizations(services, undefined, deps.devicePollSeconds),
  ...tokenChecks(services),
  policies: accessPolicies(services),
})

/** The context of a request to the token endpoint and similar ones, besides its parameters. */
export interface TokenCall extends RequestOrigin {
  readonly authorization: string | undefined
}
