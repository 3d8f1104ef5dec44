import type { IncomingMessage } from 'node:http'
import type { Services } from '../commands/deps.ts'
import type { Actor } from '../event-log/handle.ts'
import type { Buckets } from '../http/rate-limit.ts'
import type { NoteUse } from '../last-use.ts'
import { sessionLookup, type SessionLookup } from '../session/cookie.ts'
import type { NoteSeen } from '../session/device-use.ts'
import { accessTokens, type AccessTokens } from './access-tokens.ts'
import { authRequests, type AuthRequests } from './auth-requests.ts'
import { authorizationCodes, type AuthorizationCodes } from './codes.ts'
import { deviceLogins, type DeviceLogins } from './device-logins.ts'
import type { OidcPages } from './pages.ts'
import type { PendingAuthorization } from './pending-authorization.ts'
import { refreshTokens, type RefreshTokens } from './refresh-tokens.ts'
import { tokenChecks, type TokenChecks } from './token-check.ts'

/** What the protocol endpoints ask of whoever mounts them. */
export interface OidcDeps {
  readonly pages: OidcPages
  /** The address a request comes from, past trusted proxies. */
  readonly clientIp: (request: IncomingMessage) => string
  readonly newRequestId: () => string
  readonly limits: Pick<Buckets, 'token' | 'client-failure' | 'userinfo' | 'introspect' | 'browser'>
  /** Told of each session that opened an application. */
  readonly seen: NoteSeen
  /** Told of each client secret that proved something. */
  readonly secretUsed: NoteUse
  /** Told of what failed without the caller's doing. */
  readonly onError: (error: unknown, requestId: string) => void
}

export interface OidcContext extends OidcDeps {
  readonly services: Services
  readonly sessions: SessionLookup
  readonly requests: AuthRequests<PendingAuthorization>
  readonly codes: AuthorizationCodes
  readonly tokens: AccessTokens
  readonly refreshTokens: RefreshTokens
  readonly deviceLogins: DeviceLogins
  readonly check: TokenChecks['check']
  readonly checkEntrance: TokenChecks['checkEntrance']
  readonly checkApplication: TokenChecks['checkApplication']
}

export const oidcContext = (services: Services, deps: OidcDeps): OidcContext => ({
  ...deps,
  services,
  sessions: sessionLookup(services),
  requests: authRequests<PendingAuthorization>(services),
  codes: authorizationCodes(services),
  tokens: accessTokens(services),
  refreshTokens: refreshTokens(services),
  deviceLogins: deviceLogins(services),
  ...tokenChecks(services),
})

/** Where a request comes from, as events keep it. */
export interface RequestOrigin {
  readonly ip: string
  /** As `keptUserAgent` gives it. */
  readonly userAgent: string | null
  readonly requestId: string
}

/** What a request to the token endpoint and its like brings besides its parameters. */
export interface TokenCall extends RequestOrigin {
  readonly authorization: string | undefined
}

/** The person of a session, acting through an application. */
export const actingPerson = (
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
  { ip, userAgent, requestId }: RequestOrigin,
): Actor => ({
  actorId: userId,
  actorType: 'user',
  credential: { type: 'session', id: sessionId },
  ip,
  userAgent,
  correlationId: requestId,
})

/** An application acting for itself. */
export const actingApplication = (
  applicationId: string,
  { ip, userAgent, requestId }: RequestOrigin,
): Actor => ({
  actorId: null,
  actorType: 'system',
  credential: { type: 'client', id: applicationId },
  ip,
  userAgent,
  correlationId: requestId,
})
