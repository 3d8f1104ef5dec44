import type { Services } from '../../application/services/services.ts'
import type { Route } from '../http/route.ts'
import { applicationLogoRoutes } from './application-logos.ts'
import { brandingRoutes } from './branding.ts'
import { brandingPreviewRoutes, type DrawPreview } from './branding-preview.ts'
import { domainRoutes } from './domains.ts'
import { accessDiffRoutes } from './access-diff.ts'
import { accessPackageRoutes } from './access-packages.ts'
import { accessRequestRoutes } from './access-requests.ts'
import { accessReviewEvidenceRoutes } from './access-review-evidence.ts'
import { accessReviewRoutes } from './access-reviews.ts'
import { apiGrantRoutes } from './api-grants.ts'
import { apiKeyRoutes } from './api-keys.ts'
import { apiResourceRoutes } from './api-resources.ts'
import { applicationAccessRoutes } from './application-access.ts'
import { applicationSecretRoutes } from './application-secrets.ts'
import { applicationRoutes } from './applications.ts'
import { auditProofRoutes } from './audit-proof.ts'
import { auditRoutes } from './audit.ts'
import { authRoutes } from './auth.ts'
import { configurationPlanRoutes } from './configuration-plans.ts'
import { deviceAuthorizationRoutes } from './device-authorization.ts'
import { deviceAdminRoutes } from './devices.ts'
import { groupMemberRoutes } from './group-members.ts'
import { groupRoutes } from './groups.ts'
import { identityProviderRoutes } from './identity-providers.ts'
import { providerTestRoutes } from './provider-test-sign-in.ts'
import { lifecycleRoutes } from './lifecycle.ts'
import { linkedAccountRoutes } from './linked-accounts.ts'
import { meDeviceRoutes } from './me-devices.ts'
import { meRoutes } from './me.ts'
import { methodRoutes } from './methods.ts'
import { networkZoneRoutes } from './network-zones.ts'
import { exportRoutes } from './exports.ts'
import { importRoutes } from './imports.ts'
import { organizationRoutes } from './organization.ts'
import { operationsRoutes } from './operations.ts'
import { outboxRoutes } from './outbox.ts'
import { policyRoutes } from './policies.ts'
import { policyDryRunRoutes } from './policy-dry-run.ts'
import { policySimulationRoutes } from './policy-simulation.ts'
import { provisioningRoutes } from './provisioning.ts'
import { riskEventRoutes } from './risk-events.ts'
import { serviceAccountRoutes } from './service-accounts.ts'
import { samlCertificateRoutes } from './saml-certificates.ts'
import { sessionRoutes } from './sessions.ts'
import { sharedSignalsStreamRoutes } from './shared-signals-streams.ts'
import { signInStatisticsRoutes } from './sign-in-statistics.ts'
import { signInRoutes } from './sign-ins.ts'
import { signingKeyRoutes } from './signing-keys.ts'
import { sshHostCertificateRoutes } from './ssh-host-certificates.ts'
import { sshRoutes } from './ssh.ts'
import { testSignInRoutes } from './test-sign-in.ts'
import { userActionRoutes } from './user-actions.ts'
import { userRelationRoutes } from './user-relations.ts'
import { userRoutes } from './users.ts'
import { webhookRoutes } from './webhooks.ts'

/**
 * All routes of the JSON API, in the order of the API document.
 * @param drawPreview of the pages, which are built on the API
 */
export const apiRoutes = (services: Services, drawPreview: DrawPreview): readonly Route[] =>
  [
    organizationRoutes,
    exportRoutes,
    importRoutes,
    methodRoutes,
    networkZoneRoutes,
    domainRoutes,
    identityProviderRoutes,
    providerTestRoutes,
    brandingRoutes,
    (all: Services) => brandingPreviewRoutes(all, drawPreview),
    policyRoutes,
    policySimulationRoutes,
    policyDryRunRoutes,
    riskEventRoutes,
    authRoutes,
    deviceAuthorizationRoutes,
    meRoutes,
    meDeviceRoutes,
    userRoutes,
    userActionRoutes,
    userRelationRoutes,
    linkedAccountRoutes,
    groupRoutes,
    groupMemberRoutes,
    accessPackageRoutes,
    accessRequestRoutes,
    accessReviewRoutes,
    accessReviewEvidenceRoutes,
    lifecycleRoutes,
    applicationRoutes,
    applicationLogoRoutes,
    applicationAccessRoutes,
    accessDiffRoutes,
    applicationSecretRoutes,
    testSignInRoutes,
    apiResourceRoutes,
    apiGrantRoutes,
    serviceAccountRoutes,
    apiKeyRoutes,
    sessionRoutes,
    signInRoutes,
    signInStatisticsRoutes,
    deviceAdminRoutes,
    operationsRoutes,
    auditProofRoutes,
    auditRoutes,
    configurationPlanRoutes,
    signingKeyRoutes,
    samlCertificateRoutes,
    sshRoutes,
    sshHostCertificateRoutes,
    provisioningRoutes,
    webhookRoutes,
    sharedSignalsStreamRoutes,
    outboxRoutes,
  ].flatMap((routesOf) => routesOf(services))
