/**
 * The pages of the console, each declared once: the server answers at their paths, and the browser takes its
 * navigation from them. `infra/docs/console-pages.md` describes how to add a page.
 */

/** The groups of the navigation, in order. */
export const pageGroups = [
  'start',
  'directory',
  'applications',
  'activity',
  'integrations',
  'service',
] as const
export type PageGroup = (typeof pageGroups)[number]

export interface ConsolePage {
  /** `{id}` stands for the id of a record */
  readonly path: string
  /** Pages without a group are not in the navigation; others link to them. */
  readonly group?: PageGroup
  /** The routes of the JSON API that the page uses; tests check that each route has a page. */
  readonly calls: readonly string[]
}

export const consolePages = {
  overview: {
    path: '/console',
    group: 'start',
    calls: ['GET /me', 'GET /overview', 'GET /applications', 'GET /sign-ins/statistics'],
  },
  users: {
    path: '/console/users',
    group: 'directory',
    calls: ['GET /users', 'POST /users', 'POST /users/{id}/suspend', 'POST /users/{id}/reactivate'],
  },
  user: {
    path: '/console/users/{id}',
    calls: [
      'GET /users/{id}',
      'PATCH /users/{id}',
      'DELETE /users/{id}',
      'PUT /users/{id}/roles',
      'POST /users/{id}/suspend',
      'POST /users/{id}/reactivate',
      'POST /users/{id}/invite',
      'POST /users/{id}/reset-methods',
      'POST /users/{id}/unlock',
      'POST /users/{id}/sessions/revoke',
      'POST /users/{id}/erase',
      'POST /users/{id}/confirm-compromised',
      'GET /risk-events',
      'GET /users/{id}/access',
      'GET /users/{id}/groups',
      'GET /users/{id}/sessions',
      'GET /users/{id}/methods',
      'DELETE /users/{id}/methods/{methodId}',
      'GET /users/{id}/sign-ins',
      'GET /users/{id}/audit',
      'GET /users/{id}/access/diff',
      'GET /users/{id}/devices',
      'GET /users/{id}/linked-accounts',
      'DELETE /users/{id}/linked-accounts/{linkId}',
    ],
  },
  audit: {
    path: '/console/audit',
    group: 'activity',
    calls: ['GET /audit', 'GET /audit/checkpoint', 'GET /audit/{id}/proof', 'GET /audit/key.pub'],
  },
  signIns: {
    path: '/console/sign-ins',
    group: 'activity',
    calls: ['GET /sign-ins', 'GET /sign-ins/statistics'],
  },
  riskEvents: {
    path: '/console/risk-events',
    group: 'activity',
    calls: ['GET /risk-events'],
  },
  riskEvent: {
    path: '/console/risk-events/{id}',
    calls: [
      'GET /risk-events/{id}',
      'POST /risk-events/{id}/dismiss',
      'POST /risk-events/{id}/confirm-safe',
      'POST /risk-events/{id}/confirm-compromised',
    ],
  },
  settings: {
    path: '/console/settings',
    group: 'service',
    calls: ['GET /settings', 'PATCH /settings'],
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
      'GET /policies/dry-runs/{id}',
      'DELETE /policies/dry-runs/{id}',
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
    ],
  },
  applications: {
    path: '/console/applications',
    group: 'applications',
    calls: ['GET /applications', 'POST /applications', 'GET /groups'],
  },
  application: {
    path: '/console/applications/{id}',
    calls: [
      'POST /applications/{id}/test-sign-in',
      'GET /applications/{id}',
      'PATCH /applications/{id}',
      'DELETE /applications/{id}',
      'POST /applications/{id}/enable',
      'POST /applications/{id}/disable',
      'PUT /applications/{id}/saml',
      'PUT /applications/{id}/groups/{groupId}',
      'DELETE /applications/{id}/groups/{groupId}',
      'GET /applications/{id}/access',
      'GET /applications/{id}/access/diff',
      'GET /applications/{id}/secrets',
      'POST /applications/{id}/secrets',
      'POST /applications/{id}/secret/rotate',
      'DELETE /applications/{id}/secrets/{secretId}',
      'GET /api-resources',
      'GET /api-resources/{id}',
      'PUT /api-resources/{id}/grants/{applicationId}',
      'DELETE /api-resources/{id}/grants/{applicationId}',
      'GET /saml/certificates',
      'GET /groups',
      'GET /audit',
    ],
  },
  webhooks: {
    path: '/console/webhooks',
    group: 'integrations',
    calls: ['GET /webhooks', 'POST /webhooks', 'GET /webhooks/event-types'],
  },
  webhook: {
    path: '/console/webhooks/{id}',
    calls: [
      'GET /webhooks/{id}',
      'PATCH /webhooks/{id}',
      'DELETE /webhooks/{id}',
      'POST /webhooks/{id}/pause',
      'POST /webhooks/{id}/resume',
      'POST /webhooks/{id}/test',
      'GET /webhooks/{id}/deliveries',
      'POST /webhooks/{id}/deliveries/{deliveryId}/redeliver',
      'GET /audit',
    ],
  },
  provisioning: {
    path: '/console/provisioning',
    group: 'integrations',
    calls: [
      'GET /provisioning/applications',
      'PUT /provisioning/applications/{applicationId}',
      'GET /applications',
    ],
  },
  applicationProvisioning: {
    path: '/console/provisioning/{id}',
    calls: [
      'GET /provisioning/applications/{applicationId}',
      'PUT /provisioning/applications/{applicationId}',
      'DELETE /provisioning/applications/{applicationId}',
      'POST /provisioning/applications/{applicationId}/test',
      'POST /provisioning/applications/{applicationId}/sync',
      'POST /provisioning/applications/{applicationId}/resume',
      'GET /provisioning/applications/{applicationId}/users',
      'GET /applications/{id}',
      'GET /audit',
    ],
  },
  sessions: {
    path: '/console/sessions',
    group: 'activity',
    calls: ['GET /sessions', 'DELETE /sessions/{id}'],
  },
  devices: {
    path: '/console/devices',
    group: 'activity',
    calls: [
      'GET /devices',
      'DELETE /devices/{id}',
      'POST /devices/{id}/trust',
      'POST /devices/{id}/untrust',
      'POST /devices/{id}/block',
      'POST /devices/{id}/unblock',
    ],
  },
  signIn: {
    path: '/console/sign-ins/{id}',
    calls: [
      'GET /sign-ins/{id}',
      'GET /applications/{id}',
      'GET /users/{id}',
      'GET /policies/{id}',
      'GET /groups/{id}',
      'GET /network-zones/{id}',
      'GET /audit',
    ],
  },
  session: {
    path: '/console/sessions/{id}',
    calls: [
      'GET /sessions/{id}',
      'DELETE /sessions/{id}',
      'GET /applications/{id}',
      'GET /users/{id}',
      'GET /audit',
    ],
  },
  device: {
    path: '/console/devices/{id}',
    calls: [
      'GET /devices/{id}',
      'PATCH /devices/{id}',
      'DELETE /devices/{id}',
      'POST /devices/{id}/trust',
      'POST /devices/{id}/untrust',
      'POST /devices/{id}/block',
      'POST /devices/{id}/unblock',
      'GET /users/{id}',
      'GET /audit',
    ],
  },
  serviceAccounts: {
    path: '/console/service-accounts',
    group: 'integrations',
    calls: ['GET /service-accounts', 'POST /service-accounts', 'GET /users'],
  },
  serviceAccount: {
    path: '/console/service-accounts/{id}',
    calls: [
      'GET /service-accounts/{id}',
      'PATCH /service-accounts/{id}',
      'DELETE /service-accounts/{id}',
      'POST /service-accounts/{id}/disable',
      'POST /service-accounts/{id}/enable',
      'PUT /service-accounts/{id}/roles',
      'GET /service-accounts/{id}/keys',
      'POST /service-accounts/{id}/keys',
      'DELETE /api-keys/{id}',
      'GET /users',
      'GET /users/{id}',
      'GET /audit',
    ],
  },
  apiKeys: {
    path: '/console/api-keys',
    group: 'integrations',
    calls: [
      'GET /api-keys',
      'POST /api-keys',
      'DELETE /api-keys/{id}',
      'GET /service-accounts',
      'GET /service-accounts/{id}',
    ],
  },
  apiKey: {
    path: '/console/api-keys/{id}',
    calls: [
      'GET /api-keys/{id}',
      'DELETE /api-keys/{id}',
      'GET /service-accounts/{id}',
      'GET /users/{id}',
      'GET /audit',
    ],
  },
  apiResources: {
    path: '/console/api-resources',
    group: 'applications',
    calls: ['GET /api-resources', 'POST /api-resources'],
  },
  apiResource: {
    path: '/console/api-resources/{id}',
    calls: [
      'GET /api-resources/{id}',
      'PATCH /api-resources/{id}',
      'DELETE /api-resources/{id}',
      'GET /api-resources/{id}/grants',
      'PUT /api-resources/{id}/grants/{applicationId}',
      'DELETE /api-resources/{id}/grants/{applicationId}',
      'GET /applications',
      'GET /applications/{id}',
      'GET /users/{id}',
      'GET /audit',
    ],
  },
  groups: {
    path: '/console/groups',
    group: 'directory',
    calls: ['GET /groups', 'POST /groups'],
  },
  group: {
    path: '/console/groups/{id}',
    calls: [
      'GET /groups/{id}',
      'PATCH /groups/{id}',
      'DELETE /groups/{id}',
      'GET /groups/{id}/members',
      'PUT /groups/{id}/members/{userId}',
      'DELETE /groups/{id}/members/{userId}',
      'GET /groups/{id}/members/diff',
      'POST /groups/{id}/rule/preview',
      'GET /users',
      'GET /applications',
      'GET /audit',
    ],
  },
} as const satisfies Readonly<Record<string, ConsolePage>>

export type ConsolePageName = keyof typeof consolePages

/** The page that shows the parts of the kit; it exists in development only. */
export const KIT_PATH = '/console/kit'
