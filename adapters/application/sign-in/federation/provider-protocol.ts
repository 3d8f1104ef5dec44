/** What the protocols of identity providers have in common. */
import type { Claims } from '../../../../domain/identity-provider/claims.ts'
import type { OauthConnection, SamlConnection } from '../../../../domain/identity-provider/events.ts'
import type { IdentityProviderConfiguration } from '../../../../read-models/queries/configuration.ts'

/** The provider did not sign the user in, or the user cancelled (RFC 6749 §4.1.2.1). */
export class ProviderDenied extends Error {}

/** The provider could not be reached, or its response is invalid. The message is for administrators. */
export class ProviderFailed extends Error {}

/** The response belongs to a sign-in that has expired, or that another browser began. */
export class ProviderRequestUnknown extends ProviderFailed {}

/** What ties a response to its request. */
export interface AuthorizationSecrets {
  /** `state`, or RelayState */
  readonly state: string
  /** `nonce`, or part of the id of an AuthnRequest */
  readonly nonce: string
  /** PKCE `code_verifier` */
  readonly verifier: string
}

export interface AuthorizationWish {
  readonly loginHint: string | null
  /** The user must authenticate at the provider now, not continue an earlier session there. */
  readonly fresh: boolean
}

/** What a provider has proved about its user. */
export interface ProvenIdentity {
  readonly claims: Claims
  /** When the user authenticated there, in seconds since 1970; null if the provider does not say */
  readonly authTime: number | null
  /** The session at the provider (`sid`), if it says which */
  readonly sid?: string
}

export type OauthProvider = Extract<IdentityProviderConfiguration, OauthConnection>
export type SamlProvider = Extract<IdentityProviderConfiguration, SamlConnection>

/** Seconds by which the clock of a provider may differ */
export const CLOCK_TOLERANCE = 30
/** Seconds that a user may need between signing in and returning */
export const FRESH_SECONDS = 300
