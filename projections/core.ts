import { accessPackages } from './tables/access-packages.ts'
import { accessRequests } from './tables/access-requests.ts'
import { accessReviewItems } from './tables/access-review-items.ts'
import { accessReviews } from './tables/access-reviews.ts'
import { apiGrants } from './tables/api-grants.ts'
import { apiKeys } from './tables/api-keys.ts'
import { apiResources } from './tables/api-resources.ts'
import { applicationGroups } from './tables/application-groups.ts'
import { applicationHistory } from './tables/application-history.ts'
import { applicationLogos } from './tables/application-logos.ts'
import { applications } from './tables/applications.ts'
import { clientSecrets } from './tables/client-secrets.ts'
import { configurationChange } from './tables/configuration-change.ts'
import { deviceLogins } from './tables/device-logins.ts'
import { devices } from './tables/devices.ts'
import { directorySize } from './tables/directory-size.ts'
import { enrollmentLinks } from './tables/enrollment-links.ts'
import { groupHistory } from './tables/group-history.ts'
import { groups } from './tables/groups.ts'
import { identityProviders } from './tables/identity-providers.ts'
import { lifecycleRules } from './tables/lifecycle-rules.ts'
import { lifecycleRuns } from './tables/lifecycle-runs.ts'
import { linkedAccounts } from './tables/linked-accounts.ts'
import { logMoments } from './tables/log-moments.ts'
import { memberships } from './tables/memberships.ts'
import { methodSettings } from './tables/method-settings.ts'
import { methods } from './tables/methods.ts'
import { branding } from './tables/branding.ts'
import { domains } from './tables/domains.ts'
import { networkZones } from './tables/network-zones.ts'
import { organization } from './tables/organization.ts'
import { packageAssignments } from './tables/package-assignments.ts'
import { policies } from './tables/policies.ts'
import { provisionedAccounts } from './tables/provisioned-accounts.ts'
import { provisioning } from './tables/provisioning.ts'
import { recoveryCodes } from './tables/recovery-codes.ts'
import { revokedApplications } from './tables/revoked-applications.ts'
import { revokedGrants } from './tables/revoked-grants.ts'
import { riskEvents } from './tables/risk-events.ts'
import { roleIntervals } from './tables/role-intervals.ts'
import { serviceAccounts } from './tables/service-accounts.ts'
import { samlCertificates } from './tables/saml-certificates.ts'
import { sessionApplications } from './tables/session-applications.ts'
import { sessions } from './tables/sessions.ts'
import { sharedSignalsStreams } from './tables/shared-signals-streams.ts'
import { signIns } from './tables/sign-ins.ts'
import { signingKeys } from './tables/signing-keys.ts'
import { sshAuthorityKeys } from './tables/ssh-authority-keys.ts'
import { sshCertificates } from './tables/ssh-certificates.ts'
import { sshHostCertificates } from './tables/ssh-host-certificates.ts'
import { sshPrincipalMappings } from './tables/ssh-principal-mappings.ts'
import { userHistory } from './tables/user-history.ts'
import { users } from './tables/users.ts'
import { webhookPeriods } from './tables/webhook-periods.ts'
import { webhooks } from './tables/webhooks.ts'
import type { Table } from './table.ts'

/** Every table that the API and the token paths read, written by one sequential consumer. */
export const coreTables: readonly Table[] = [
  logMoments,
  users,
  userHistory,
  roleIntervals,
  methods,
  recoveryCodes,
  linkedAccounts,
  enrollmentLinks,
  groups,
  groupHistory,
  directorySize,
  memberships,
  accessPackages,
  packageAssignments,
  accessRequests,
  accessReviewItems,
  accessReviews,
  lifecycleRules,
  lifecycleRuns,
  applications,
  applicationLogos,
  applicationHistory,
  applicationGroups,
  apiGrants,
  apiResources,
  clientSecrets,
  sessions,
  sessionApplications,
  signIns,
  riskEvents,
  devices,
  deviceLogins,
  revokedGrants,
  revokedApplications,
  signingKeys,
  samlCertificates,
  organization,
  methodSettings,
  policies,
  networkZones,
  domains,
  identityProviders,
  branding,
  sharedSignalsStreams,
  webhooks,
  webhookPeriods,
  serviceAccounts,
  apiKeys,
  provisioning,
  provisionedAccounts,
  sshPrincipalMappings,
  sshCertificates,
  sshHostCertificates,
  sshAuthorityKeys,
  configurationChange,
]
