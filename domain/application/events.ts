import type { Change } from '../changes.ts'
import type { Instant } from '../time.ts'

export type OidcApplicationType = 'web' | 'spa' | 'native' | 'service' | 'cli'

/** Settings of an OpenID Connect application that an administrator can change. */
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

export type NameIdFormat = 'email' | 'persistent' | 'unspecified'

/** The names of user attributes in assertions for an application. */
export interface AttributeNames {
  readonly email: string
  readonly name: string
  readonly given_name: string
  readonly family_name: string
  readonly groups: string
}

/** Settings of a SAML application, which is a service provider (SAML 2.0 Profiles §4.1). */
export interface SamlSettings {
  readonly entityId: string
  /** Where responses are sent (AssertionConsumerService, HTTP-POST); the first is the default. */
  readonly acsUrls: readonly string[]
  /** The index of each in the application's metadata; omitted if it is the position, counted from 0. */
  readonly acsIndexes?: readonly number[]
  readonly nameIdFormat: NameIdFormat
  readonly attributeNames: AttributeNames
  /** Whether to sign the whole response too; the assertion is always signed. */
  readonly signResponse: boolean
  /** Sent with IdP-initiated responses; omitted if there is none. */
  readonly defaultRelayState?: string
  /** Whether assertions contain the end of the session. */
  readonly sessionNotOnOrAfter: boolean
}

export interface ApplicationFields {
  readonly name: string
  readonly description?: string
  readonly logoUrl?: string
  readonly launchUrl?: string
  readonly visibleInPortal: boolean
}

export interface OidcApplicationCreated {
  readonly applicationId: string
  readonly protocol: 'oidc'
  readonly applicationType: OidcApplicationType
  readonly clientId: string
  readonly builtIn: boolean
  readonly fields: ApplicationFields
  readonly oidc: OidcSettings
}

export interface SamlApplicationCreated {
  readonly applicationId: string
  readonly protocol: 'saml'
  readonly builtIn: false
  readonly fields: ApplicationFields
  readonly saml: SamlSettings
}

export type ApplicationEvent =
  | { type: 'application.created'; data: OidcApplicationCreated | SamlApplicationCreated }
  | { type: 'application.updated'; data: { applicationId: string; changes: readonly Change[] } }
  /** Changes of the fields of `SamlSettings`. */
  | { type: 'application.saml_updated'; data: { applicationId: string; changes: readonly Change[] } }
  | { type: 'application.group_assigned'; data: { applicationId: string; groupId: string } }
  | { type: 'application.group_unassigned'; data: { applicationId: string; groupId: string } }
  | {
      type: 'application.api_granted'
      data: {
        applicationId: string
        apiResourceId: string
        grantId: string
        /** All granted scopes from now on, ordered by name. */
        scopes: readonly string[]
        /** Omitted if nothing was granted before. */
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
        /** First eight characters, to recognize it. */
        prefix: string
        /** SHA-256; the secret itself has high entropy and is never stored. */
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
