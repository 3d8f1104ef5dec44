import type { Change } from '../changes.ts'
import type { Instant } from '../time.ts'

export type OidcApplicationType = 'web' | 'spa' | 'native' | 'service' | 'cli'

/** Settings of an OpenID Connect application that an administrator may change. */
export interface OidcSettings {
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
  readonly backchannelLogoutUri?: string
  readonly allowedOrigins: readonly string[]
  readonly idTokenLifetimeSeconds: number
  readonly accessTokenLifetimeSeconds: number
  readonly refreshTokenLifetimeSeconds: number
  readonly refreshTokenRotation: boolean
  readonly refreshTokenGraceSeconds: number
  readonly requirePkce: boolean
}

export interface ApplicationFields {
  readonly name: string
  readonly description?: string
  readonly logoUrl?: string
  readonly launchUrl?: string
  readonly visibleInPortal: boolean
}

export type ApplicationEvent =
  | {
      type: 'application.created'
      data: {
        applicationId: string
        protocol: 'oidc'
        applicationType: OidcApplicationType
        clientId: string
        builtIn: boolean
        fields: ApplicationFields
        oidc: OidcSettings
      }
    }
  | { type: 'application.updated'; data: { applicationId: string; changes: readonly Change[] } }
  | { type: 'application.group_assigned'; data: { applicationId: string; groupId: string } }
  | { type: 'application.group_unassigned'; data: { applicationId: string; groupId: string } }
  | {
      type: 'application.api_granted'
      data: {
        applicationId: string
        apiResourceId: string
        grantId: string
        /** All that is granted from now on, in order of name. */
        scopes: readonly string[]
        /** Left out when nothing was granted before. */
        previousScopes?: readonly string[]
      }
    }
  | {
      type: 'application.api_grant_withdrawn'
      data: {
        applicationId: string
        apiResourceId: string
        grantId: string
        previousScopes: readonly string[]
      }
    }
  | {
      type: 'application.secret_created'
      data: {
        applicationId: string
        secretId: string
        /** First eight characters, to recognise it by. */
        prefix: string
        /** SHA-256; the secret itself is high-entropy and never stored. */
        hash: string
        expiresAt?: Instant
        rotation: boolean
      }
    }
  | {
      type: 'application.secret_expiry_changed'
      data: { applicationId: string; secretId: string; expiresAt: Instant }
    }
  | { type: 'application.secret_revoked'; data: { applicationId: string; secretId: string } }
  | { type: 'application.disabled'; data: { applicationId: string } }
  | { type: 'application.enabled'; data: { applicationId: string } }
  | { type: 'application.deleted'; data: { applicationId: string } }
