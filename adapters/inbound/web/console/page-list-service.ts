/** The pages for what applies to the whole service: settings, policies, providers, exports, keys. */
import type { ConsolePage } from './page.ts'

export const servicePages = {
  settings: {
    path: '/console/settings',
    group: 'service',
    calls: [
      'GET /settings',
      'PATCH /settings',
      'GET /organization',
      'PUT /branding/logo',
      'DELETE /branding/logo',
      'PUT /branding/accent-color',
    ],
  },
  signInMethods: {
    path: '/console/sign-in-methods',
    group: 'service',
    calls: ['GET /methods', 'PATCH /methods/{type}'],
  },
  policies: {
    path: '/console/policies',
    group: 'service',
    calls: [
      'GET /policies',
      'POST /policies',
      'GET /policies/presets',
      'PATCH /policies/{id}',
      'POST /policies/simulate',
      'GET /sign-ins/{id}',
      'GET /users',
      'GET /users/{id}/devices',
      'GET /applications',
      'GET /groups',
      'GET /network-zones',
    ],
  },
  policy: {
    path: '/console/policies/{id}',
    calls: [
      'GET /policies/{id}',
      'PATCH /policies/{id}',
      'DELETE /policies/{id}',
      'GET /policies/{id}/history',
      'POST /policies/simulate',
      'POST /policies/dry-run',
      'GET /policy-dry-runs/{id}',
      'DELETE /policy-dry-runs/{id}',
      'GET /groups/{id}',
      'GET /applications/{id}',
      'GET /network-zones/{id}',
      'GET /users',
      'GET /users/{id}/devices',
      'GET /applications',
      'GET /groups',
      'GET /network-zones',
    ],
  },
  networkZones: {
    path: '/console/network-zones',
    group: 'service',
    calls: ['GET /network-zones', 'POST /network-zones', 'POST /network-zones/lookup'],
  },
  networkZone: {
    path: '/console/network-zones/{id}',
    calls: ['GET /network-zones/{id}', 'PATCH /network-zones/{id}', 'DELETE /network-zones/{id}'],
  },
  identityProviders: {
    path: '/console/identity-providers',
    group: 'service',
    calls: ['GET /identity-providers', 'POST /identity-providers', 'GET /domains'],
  },
  identityProvider: {
    path: '/console/identity-providers/{id}',
    calls: [
      'GET /identity-providers/{id}',
      'PATCH /identity-providers/{id}',
      'POST /identity-providers/{id}/enable',
      'POST /identity-providers/{id}/disable',
      'DELETE /identity-providers/{id}',
      'POST /identity-providers/{id}/test-sign-in',
      'GET /identity-providers/{id}/test-sign-ins/{testId}',
      'GET /domains',
      'GET /groups',
      'GET /groups/{id}',
    ],
  },
  domains: { path: '/console/domains', group: 'service', calls: ['GET /domains', 'POST /domains'] },
  domain: {
    path: '/console/domains/{id}',
    calls: ['GET /domains/{id}', 'POST /domains/{id}/verify', 'DELETE /domains/{id}'],
  },
  sharedSignals: {
    path: '/console/shared-signals',
    group: 'integrations',
    calls: ['GET /shared-signals-streams', 'GET /api-resources', 'POST /api-resources'],
  },
  sharedSignalsStream: {
    path: '/console/shared-signals/{id}',
    calls: [
      'GET /shared-signals-streams/{id}',
      'PATCH /shared-signals-streams/{id}',
      'DELETE /shared-signals-streams/{id}',
    ],
  },
  exports: {
    path: '/console/export',
    group: 'service',
    calls: ['GET /export', 'POST /export', 'POST /export/{id}/download', 'DELETE /export/{id}'],
  },
  configurationPlan: {
    path: '/console/configuration-plan',
    group: 'service',
    calls: ['POST /configuration/plans/verify', 'GET /audit'],
  },
  operations: {
    path: '/console/operations',
    group: 'service',
    calls: ['GET /operations', 'GET /audit/checkpoint'],
  },
  keys: {
    path: '/console/keys',
    group: 'service',
    calls: [
      'GET /signing-keys',
      'POST /signing-keys/rotate',
      'GET /saml/certificates',
      'POST /saml/certificate/rotate',
      'DELETE /saml/certificates/{id}',
      'GET /ssh/ca/keys',
      'POST /ssh/ca/rotate',
      'POST /ssh/ca/revoke',
    ],
  },
  sshPrincipalMappings: {
    path: '/console/ssh-principal-mappings',
    group: 'service',
    calls: ['GET /ssh/principal-mappings', 'POST /ssh/principal-mappings', 'GET /groups'],
  },
  sshPrincipalMapping: {
    path: '/console/ssh-principal-mappings/{id}',
    calls: [
      'GET /ssh/principal-mappings/{id}',
      'PATCH /ssh/principal-mappings/{id}',
      'DELETE /ssh/principal-mappings/{id}',
      'GET /groups',
      'GET /groups/{id}',
    ],
  },
  sshCertificates: {
    path: '/console/ssh-certificates',
    group: 'activity',
    calls: ['GET /ssh/certificates'],
  },
  sshCertificate: {
    path: '/console/ssh-certificates/{id}',
    calls: ['GET /ssh/certificates/{serial}', 'POST /ssh/certificates/{serial}/revoke', 'GET /users/{id}'],
  },
  sshHostCertificates: {
    path: '/console/ssh-host-certificates',
    group: 'activity',
    calls: ['GET /ssh/host-certificates'],
  },
  sshHostCertificate: {
    path: '/console/ssh-host-certificates/{id}',
    calls: [
      'GET /ssh/host-certificates/{serial}',
      'POST /ssh/host-certificates/{serial}/revoke',
      'GET /service-accounts/{id}',
      'GET /users/{id}',
    ],
  },
} as const satisfies Readonly<Record<string, ConsolePage>>
