/**
 * Every event that the service can record. Audit, webhook types, encryption, retention and the docs derive
 * from it. Never rename a type or change a stored shape: raise `schema` and add an upcast.
 */
import { accessPackageEvents } from './access-package/catalogue.ts'
import type { AccessPackageEvent } from './access-package/events.ts'
import { accessRequestEvents } from './access-request/catalogue.ts'
import type { AccessRequestEvent } from './access-request/events.ts'
import { accessReviewEvents } from './access-review/catalogue.ts'
import type { AccessReviewEvent } from './access-review/events.ts'
import { apiKeyEvents } from './api-key/catalogue.ts'
import type { ApiKeyEvent } from './api-key/events.ts'
import { apiResourceEvents } from './api-resource/catalogue.ts'
import type { ApiResourceEvent } from './api-resource/events.ts'
import { applicationEvents } from './application/catalogue.ts'
import type { ApplicationEvent } from './application/events.ts'
import type { CatalogueRow, Rows } from './catalogue-row.ts'
import { deviceEvents } from './device/catalogue.ts'
import type { DeviceEvent } from './device/events.ts'
import { deviceAuthorizationEvents } from './device-authorization/catalogue.ts'
import type { DeviceAuthorizationEvent } from './device-authorization/events.ts'
import { grantEvents } from './grant/catalogue.ts'
import type { GrantEvent } from './grant/events.ts'
import { groupEvents } from './group/catalogue.ts'
import type { GroupEvent } from './group/events.ts'
import { membershipEvents } from './membership/catalogue.ts'
import type { MembershipEvent } from './membership/events.ts'
import { methodSettingsEvents } from './method-settings/catalogue.ts'
import type { MethodSettingsEvent } from './method-settings/events.ts'
import { applicationLogoEvents } from './application-logo/catalogue.ts'
import type { ApplicationLogoEvent } from './application-logo/events.ts'
import { brandingEvents } from './branding/catalogue.ts'
import type { BrandingEvent } from './branding/events.ts'
import { dnsDomainEvents } from './dns-domain/catalogue.ts'
import type { DnsDomainEvent } from './dns-domain/events.ts'
import { exportEvents } from './export/catalogue.ts'
import type { ExportEvent } from './export/events.ts'
import { identityProviderEvents } from './identity-provider/catalogue.ts'
import type { IdentityProviderEvent } from './identity-provider/events.ts'
import { networkZoneEvents } from './network-zone/catalogue.ts'
import type { NetworkZoneEvent } from './network-zone/events.ts'
import { lifecycleRuleEvents } from './lifecycle-rule/catalogue.ts'
import type { LifecycleRuleEvent } from './lifecycle-rule/events.ts'
import { lifecycleRunEvents } from './lifecycle-run/catalogue.ts'
import type { LifecycleRunEvent } from './lifecycle-run/events.ts'
import { organizationEvents } from './organization/catalogue.ts'
import type { OrganizationEvent } from './organization/events.ts'
import { packageAssignmentEvents } from './package-assignment/catalogue.ts'
import type { PackageAssignmentEvent } from './package-assignment/events.ts'
import { policyEvents } from './policy/catalogue.ts'
import type { PolicyEvent } from './policy/events.ts'
import { secretKeyEvents } from './secret-key/catalogue.ts'
import type { SecretKeyEvent } from './secret-key/events.ts'
import { serviceAccountEvents } from './service-account/catalogue.ts'
import type { ServiceAccountEvent } from './service-account/events.ts'
import { provisionedAccountEvents } from './provisioned-account/catalogue.ts'
import type { ProvisionedAccountEvent } from './provisioned-account/events.ts'
import { provisioningEvents } from './provisioning/catalogue.ts'
import type { ProvisioningEvent } from './provisioning/events.ts'
import { riskEvents } from './risk/catalogue.ts'
import type { RiskEvent } from './risk/events.ts'
import { samlAssertionEvents } from './saml-assertion/catalogue.ts'
import type { SamlAssertionEvent } from './saml-assertion/events.ts'
import { samlCertificateEvents } from './saml-certificate/catalogue.ts'
import type { SamlCertificateEvent } from './saml-certificate/events.ts'
import { sessionEvents } from './session/catalogue.ts'
import type { SessionEvent } from './session/events.ts'
import { sharedSignalsStreamEvents } from './shared-signals/catalogue.ts'
import type { SharedSignalsStreamEvent } from './shared-signals/events.ts'
import { signInEvents } from './sign-in/catalogue.ts'
import type { SignInEvent } from './sign-in/events.ts'
import { signingKeyEvents } from './signing-key/catalogue.ts'
import type { SigningKeyEvent } from './signing-key/events.ts'
import { sshAuthorityEvents } from './ssh-authority/catalogue.ts'
import type { SshAuthorityEvent } from './ssh-authority/events.ts'
import { sshCertificateEvents } from './ssh-certificate/catalogue.ts'
import type { SshCertificateEvent } from './ssh-certificate/events.ts'
import { sshHostCertificateEvents } from './ssh-host-certificate/catalogue.ts'
import type { SshHostCertificateEvent } from './ssh-host-certificate/events.ts'
import { sshPrincipalMappingEvents } from './ssh-principal-mapping/catalogue.ts'
import type { SshPrincipalMappingEvent } from './ssh-principal-mapping/events.ts'
import { userEvents } from './user/catalogue.ts'
import type { UserEvent } from './user/events.ts'
import { webhookEvents } from './webhook/catalogue.ts'
import type { WebhookEvent } from './webhook/events.ts'

export type DomainEvent =
  | UserEvent
  | GroupEvent
  | MembershipEvent
  | ApplicationEvent
  | ApiResourceEvent
  | SessionEvent
  | SignInEvent
  | GrantEvent
  | SamlAssertionEvent
  | DeviceEvent
  | DeviceAuthorizationEvent
  | SigningKeyEvent
  | SamlCertificateEvent
  | OrganizationEvent
  | MethodSettingsEvent
  | PolicyEvent
  | NetworkZoneEvent
  | DnsDomainEvent
  | IdentityProviderEvent
  | BrandingEvent
  | ApplicationLogoEvent
  | ExportEvent
  | WebhookEvent
  | ServiceAccountEvent
  | ApiKeyEvent
  | ProvisioningEvent
  | ProvisionedAccountEvent
  | RiskEvent
  | SharedSignalsStreamEvent
  | SecretKeyEvent
  | AccessPackageEvent
  | PackageAssignmentEvent
  | AccessRequestEvent
  | AccessReviewEvent
  | LifecycleRuleEvent
  | LifecycleRunEvent
  | SshPrincipalMappingEvent
  | SshCertificateEvent
  | SshHostCertificateEvent
  | SshAuthorityEvent

export type EventType = DomainEvent['type']
export type EventOf<T extends EventType> = Extract<DomainEvent, { type: T }>

export const catalogue = {
  ...userEvents,
  ...groupEvents,
  ...membershipEvents,
  ...applicationEvents,
  ...apiResourceEvents,
  ...sessionEvents,
  ...signInEvents,
  ...grantEvents,
  ...samlAssertionEvents,
  ...deviceEvents,
  ...deviceAuthorizationEvents,
  ...signingKeyEvents,
  ...samlCertificateEvents,
  ...organizationEvents,
  ...methodSettingsEvents,
  ...policyEvents,
  ...networkZoneEvents,
  ...dnsDomainEvents,
  ...identityProviderEvents,
  ...brandingEvents,
  ...applicationLogoEvents,
  ...exportEvents,
  ...webhookEvents,
  ...serviceAccountEvents,
  ...apiKeyEvents,
  ...provisioningEvents,
  ...provisionedAccountEvents,
  ...riskEvents,
  ...sharedSignalsStreamEvents,
  ...secretKeyEvents,
  ...accessPackageEvents,
  ...packageAssignmentEvents,
  ...accessRequestEvents,
  ...accessReviewEvents,
  ...lifecycleRuleEvents,
  ...lifecycleRunEvents,
  ...sshPrincipalMappingEvents,
  ...sshCertificateEvents,
  ...sshHostCertificateEvents,
  ...sshAuthorityEvents,
} as const satisfies Rows<DomainEvent>

export const isEventType = (type: string): type is EventType => Object.hasOwn(catalogue, type)

/** The row of a type that is known only at run time; its functions accept the data of exactly that type. */
export const rowOf = (type: EventType): CatalogueRow<Record<string, unknown>> =>
  catalogue[type] as unknown as CatalogueRow<Record<string, unknown>>

/** Metadata of every event. */
export interface EventMetadata {
  /** Version of the data's shape. */
  readonly schema: number
  /** When the command was decided; microseconds, monotonic within a process. */
  readonly time: string
  /** Null for actions of the service itself. */
  readonly actorId: string | null
  readonly actorType: 'user' | 'service_account' | 'system' | 'cli' | 'scim'
  readonly credential: { readonly type: string; readonly id: string } | null
  readonly ip: string | null
  /** From the request that caused the event, cleaned and truncated; missing without a request. */
  readonly userAgent?: string | null
  readonly correlationId: string
  readonly causationId: string | null
}

/** An event after decryption and upcasting, with its position in the log. */
export type Recorded<E extends DomainEvent = DomainEvent> = E & {
  readonly id: string
  readonly stream: string
  readonly revision: number
  readonly position: string
  readonly metadata: EventMetadata
  /** When the log's engine stored it: microseconds since 1970. */
  readonly recorded?: string
  /** The stored event, encrypted, in canonical JSON: a leaf of the audit tree. Only if requested. */
  readonly leaf?: string
  /** Personal data is missing because its secret key was lost. */
  readonly unreadable?: true
}
