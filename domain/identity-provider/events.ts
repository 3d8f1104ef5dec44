import type { NameIdFormat } from '../application/events.ts'
import type { Change } from '../changes.ts'

/** `google` and `microsoft` are OpenID Connect with a known issuer. `github` is OAuth 2.0 without ID tokens. */
export type OauthProviderType = 'oidc' | 'google' | 'microsoft' | 'github'

export type IdentityProviderType = OauthProviderType | 'saml'

/** How the service authenticates at the provider's token endpoint (OpenID Connect Core §9). */
export type ClientAuthentication = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** How the service, as a client, reaches an OpenID provider, or GitHub. */
export interface OauthConnection {
  readonly clientId: string
  readonly clientAuthentication: ClientAuthentication
  /** Besides `openid` */
  readonly scopes: readonly string[]
}

/** How the service, as a service provider, reaches a SAML identity provider. */
export interface SamlConnection {
  /** The provider's SingleSignOnService with the binding HTTP-Redirect */
  readonly ssoUrl: string
  /** In PEM; the provider signs assertions with the key of any of them */
  readonly certificates: readonly string[]
  /** Requested with NameIDPolicy; null: the provider chooses */
  readonly nameIdFormat: NameIdFormat | null
  /** Whether responses are accepted that no request asked for */
  readonly acceptUnsolicited: boolean
}

/** The user fields that a provider can supply; the names of its claims or attributes. */
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

/** The fields that every provider has. */
export interface IdentityProviderSettings {
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
  /**
   * Values of `acr` or `amr`, or of AuthnContextClassRef, with which the provider's sign-in counts as
   * phishing-resistant
   */
  readonly phishingResistantValues: readonly string[]
}

/** The fields of a provider that can change. */
export type IdentityProviderFields = IdentityProviderSettings & (OauthConnection | SamlConnection)

/** Any of the fields of a provider, of either protocol. */
export type AnyProviderFields = Partial<IdentityProviderSettings & OauthConnection & SamlConnection>

export type IdentityProviderEvent =
  | {
      type: 'identity_provider.created'
      data: IdentityProviderFields & {
        identityProviderId: string
        providerType: IdentityProviderType
        /**
         * The issuer identifier, or the entity id of a SAML provider. Compared exactly; never changes, because the
         * provider's user ids are unique only within it
         */
        issuer: string
        /** The client secret, encrypted under the service's key; null for `private_key_jwt` and SAML */
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
