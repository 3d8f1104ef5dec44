import type { Change } from '../changes.ts'

/** `google` and `microsoft` are OpenID Connect with a known issuer. */
export type IdentityProviderType = 'oidc' | 'google' | 'microsoft'

/** How the service authenticates at the provider's token endpoint (OpenID Connect Core §9). */
export type ClientAuthentication = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** How the service, as a client, reaches an OpenID provider. */
export interface OidcConnection {
  readonly clientId: string
  readonly clientAuthentication: ClientAuthentication
  /** Besides `openid` */
  readonly scopes: readonly string[]
}

/** The user fields that a provider can supply; the names of its claims. */
export interface AttributeMapping {
  readonly email?: string
  readonly name?: string
  readonly givenName?: string
  readonly familyName?: string
  readonly department?: string
  readonly title?: string
  readonly groups?: string
}

/** A value of the provider's groups claim, and the group that its bearers are members of. */
export interface GroupMapping {
  readonly value: string
  readonly groupId: string
}

/** The fields of a provider that can change. */
export interface IdentityProviderFields extends OidcConnection {
  readonly name: string
  readonly attributeMapping: AttributeMapping
  readonly groupMapping: readonly GroupMapping[]
  /** Names of domains whose users sign in with this provider. They count only while they are verified. */
  readonly domains: readonly string[]
  /** Users of these domains can sign in only with this provider. */
  readonly requiredForDomains: boolean
  /** Whether an existing account can be linked because the provider names its address. */
  readonly linking: 'email_verified' | 'manual' | 'never'
  /** `jit`: unknown users get an account at their first sign-in. */
  readonly provisioning: 'jit' | 'none'
  /** Groups of accounts that the provider created */
  readonly jitGroupIds: readonly string[]
  /** Whether each sign-in updates the profile */
  readonly syncProfile: boolean
  /** Whether the provider is trusted to have verified the addresses that it sends */
  readonly trustEmailVerified: boolean
  /** Values of `acr` or `amr` with which the provider's sign-in counts as phishing-resistant */
  readonly phishingResistantValues: readonly string[]
}

export type IdentityProviderEvent =
  | {
      type: 'identity_provider.created'
      data: IdentityProviderFields & {
        identityProviderId: string
        providerType: IdentityProviderType
        /** Compared exactly; never changes, because the provider's user ids are unique only within it */
        issuer: string
        /** The client secret, encrypted under the service's key; null for `private_key_jwt` */
        sealedSecret: string | null
      }
    }
  | {
      type: 'identity_provider.updated'
      data: {
        identityProviderId: string
        changes: readonly Change[]
        /** Omitted: unchanged */
        sealedSecret?: string | null
      }
    }
  | { type: 'identity_provider.enabled'; data: { identityProviderId: string } }
  | { type: 'identity_provider.disabled'; data: { identityProviderId: string } }
  | { type: 'identity_provider.deleted'; data: { identityProviderId: string } }
