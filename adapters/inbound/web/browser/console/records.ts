/** Types of the JSON API's records, from the declarations of its routes. */
import type { Static } from 'typebox'
import type { AccessPackage, PackageAssignment } from '../../../api/access-package-schemas.ts'
import type {
  LifecyclePreview,
  LifecycleRule,
  LifecycleRun,
  LifecycleSchedule,
} from '../../../api/lifecycle-schemas.ts'
import type { AccessReview, AccessReviewItem } from '../../../api/access-review-schemas.ts'
import type { AccessRequest } from '../../../api/access-request-schemas.ts'
import type { Access, AccessChanges } from '../../../api/access-schemas.ts'
import type { ApiKey, CreatedApiKey, ServiceAccount } from '../../../api/api-key-schemas.ts'
import type { ApiGrant, ApiResource } from '../../../api/api-resource-schemas.ts'
import type {
  Application,
  ClientSecret,
  CreatedApplication,
  CreatedClientSecret,
} from '../../../api/application-schemas.ts'
import type { Checkpoint } from '../../../api/audit-proof.ts'
import type { AuditEvent } from '../../../api/audit-schemas.ts'
import type { IdentityProvider } from '../../../api/identity-provider-schemas.ts'
import type { ProviderTest } from '../../../api/provider-test-schemas.ts'
import type { DnsDomain } from '../../../api/domain-schemas.ts'
import type { Device } from '../../../api/device-schemas.ts'
import type { Group, Member, RulePreview } from '../../../api/group-schemas.ts'
import type { Export, ExportDownload } from '../../../api/export-schemas.ts'
import type { Import, ImportedLine } from '../../../api/import-schemas.ts'
import type { LinkedAccount } from '../../../api/linked-accounts.ts'
import type { MethodSetting } from '../../../api/methods.ts'
import type { Operations } from '../../../api/operations-schemas.ts'
import type { Organization, Overview, Settings } from '../../../api/organization.ts'
import type { NetworkLookup, NetworkZone } from '../../../api/network-zone-schemas.ts'
import type { Policy, PolicyDryRun, PolicyPreset, PolicyVersion } from '../../../api/policy-schemas.ts'
import type { PolicySimulation } from '../../../api/policy-simulation.ts'
import type { ProvisionedUser, Provisioning } from '../../../api/provisioning-schemas.ts'
import type { RiskEvent } from '../../../api/risk-event-schemas.ts'
import type { SharedSignalsStream } from '../../../api/shared-signals-streams.ts'
import type { SamlCertificate } from '../../../api/saml-certificates.ts'
import type { Session } from '../../../api/session-schemas.ts'
import type { SshAuthorityKey, SshCertificate, SshPrincipalMapping } from '../../../api/ssh-schemas.ts'
import type { SshHostCertificate } from '../../../api/ssh-host-schemas.ts'
import type { SigningKey } from '../../../api/signing-keys.ts'
import type { SignIn } from '../../../api/sign-in-schemas.ts'
import type { TestSignIn } from '../../../api/test-sign-in-schemas.ts'
import type { SignInCount } from '../../../api/sign-in-statistics.ts'
import type { SignInMethod } from '../../../api/user-relations.ts'
import type { InvitedUser, ListedUser, User } from '../../../api/user-schemas.ts'
import type {
  CreatedWebhook,
  Delivery,
  EventFamily,
  TestResult,
  Webhook,
} from '../../../api/webhook-schemas.ts'

export type LifecycleRuleRecord = Static<typeof LifecycleRule>
export type LifecycleRunRecord = Static<typeof LifecycleRun>
export type LifecyclePreviewRecord = Static<typeof LifecyclePreview>
export type LifecycleScheduleRecord = Static<typeof LifecycleSchedule>
export type AccessPackageRecord = Static<typeof AccessPackage>
export type AccessReviewRecord = Static<typeof AccessReview>
export type AccessReviewItemRecord = Static<typeof AccessReviewItem>
export type AccessRequestRecord = Static<typeof AccessRequest>
export type PackageAssignmentRecord = Static<typeof PackageAssignment>
export type ApiGrantRecord = Static<typeof ApiGrant>
export type ApiResourceRecord = Static<typeof ApiResource>
export type ApiKeyRecord = Static<typeof ApiKey>
export type CreatedApiKeyRecord = Static<typeof CreatedApiKey>
export type ServiceAccountRecord = Static<typeof ServiceAccount>
export type ApplicationAccess = Static<typeof Access.toApplication>
export type ApplicationRecord = Static<typeof Application>
export type AuditRecord = Static<typeof AuditEvent>
export type ClientSecretRecord = Static<typeof ClientSecret>
export type CreatedApplicationRecord = Static<typeof CreatedApplication>
export type CreatedClientSecretRecord = Static<typeof CreatedClientSecret>
export type CheckpointRecord = Static<typeof Checkpoint>
export type DeviceRecord = Static<typeof Device>
export type DomainRecord = Static<typeof DnsDomain>
export type ExportRecord = Static<typeof Export>
export type ExportDownloadRecord = Static<typeof ExportDownload>
export type ImportRecord = Static<typeof Import>
export type ImportLineRecord = Static<typeof ImportedLine>
export type GroupRecord = Static<typeof Group>
export type IdentityProviderTestRecord = Static<typeof ProviderTest>
export type MemberRecord = Static<typeof Member>
export type IdentityProviderRecord = Static<typeof IdentityProvider>
export type InvitedUserRecord = Static<typeof InvitedUser>
export type LinkedAccountRecord = Static<typeof LinkedAccount>
export type ListedUserRecord = Static<typeof ListedUser>
export type MethodSettingRecord = Static<typeof MethodSetting>
export type OrganizationRecord = Static<typeof Organization>
export type OverviewRecord = Static<typeof Overview>
export type SharedSignalsStreamRecord = Static<typeof SharedSignalsStream>
export type RiskEventRecord = Static<typeof RiskEvent>
export type NetworkLookupRecord = Static<typeof NetworkLookup>
export type NetworkZoneRecord = Static<typeof NetworkZone>
export type PolicyRecord = Static<typeof Policy>
export type PolicyDryRunRecord = Static<typeof PolicyDryRun>
export type PolicyPresetRecord = Static<typeof PolicyPreset>
export type PolicySimulationRecord = Static<typeof PolicySimulation>
export type PolicyVersionRecord = Static<typeof PolicyVersion>
export type ProvisionedUserRecord = Static<typeof ProvisionedUser>
export type ProvisioningRecord = Static<typeof Provisioning>
export type RulePreviewRecord = Static<typeof RulePreview>
export type SamlCertificateRecord = Static<typeof SamlCertificate>
export type SessionRecord = Static<typeof Session>
export type SettingsRecord = Static<typeof Settings>
export type SigningKeyRecord = Static<typeof SigningKey>
export type SshAuthorityKeyRecord = Static<typeof SshAuthorityKey>
export type SshCertificateRecord = Static<typeof SshCertificate>
export type SshHostCertificateRecord = Static<typeof SshHostCertificate>
export type SshPrincipalMappingRecord = Static<typeof SshPrincipalMapping>
export type SignInCountRecord = Static<typeof SignInCount>
export type SignInMethodRecord = Static<typeof SignInMethod>
export type SignInRecord = Static<typeof SignIn>
export type UserAccessChange = Static<typeof AccessChanges.ofPerson>
export type UserAccess = Static<typeof Access.ofPerson>
export type UserRecord = Static<typeof User>
export type CreatedWebhookRecord = Static<typeof CreatedWebhook>
export type DeliveryRecord = Static<typeof Delivery>
export type EventFamilyRecord = Static<typeof EventFamily>
export type WebhookRecord = Static<typeof Webhook>
export type WebhookTestRecord = Static<typeof TestResult>
export type TestSignInRecord = Static<typeof TestSignIn>
export type OperationsRecord = Static<typeof Operations>
