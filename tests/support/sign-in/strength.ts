/** The unsafe routes of the JSON API, and which of them need no new proof of the user's identity. */
import { expect } from 'chai'
import { isOpen, isUnsafe, type Declared } from '../../../adapters/inbound/http/declaration.ts'
import type { Schema } from '../../../adapters/inbound/http/expectation.ts'

export const nameOf = ({ method, path }: Pick<Declared, 'method' | 'path'>): string => `${method} ${path}`

/** Routes by which a session changes something. */
export const changesOf = (routes: readonly Declared[]): readonly Declared[] =>
  routes.filter((route) => isUnsafe(route) && !isOpen(route) && route.access.credentials.includes('session'))

const takesAway = 'only takes away'
const dailyWork = 'daily work with people and groups: it hands out no way in to what is there'
const ownDetails = 'changes no way in'
const reads = 'changes nothing that lasts'

/**
 * Why a session of any age and strength may do this if its roles allow it. A new route is listed here or declares the
 * proof that it requires.
 */
export const withoutProof: ReadonlyMap<string, string> = new Map([
  ['PATCH /me', ownDetails],
  ['POST /me/verify-email', 'sends an email to the address that the account has'],
  ['PATCH /me/methods/{id}', 'changes a name that only its person sees'],
  ['PATCH /me/devices/{id}', ownDetails],
  ['DELETE /me/devices/{id}', takesAway],
  ['DELETE /me/sessions/{id}', takesAway],
  ['POST /me/sessions/revoke-others', takesAway],
  [
    'POST /device/{code}/approve',
    'a terminal ends with the session, and acts without roles or, with the scope admin, after a proof',
  ],
  ['POST /device/{code}/deny', takesAway],
  ['POST /users', dailyWork],
  ['DELETE /users/{id}', takesAway],
  ['POST /users/{id}/suspend', takesAway],
  ['POST /users/{id}/reactivate', 'gives back what its person had; roles and methods stay as they were'],
  ['POST /users/{id}/unlock', 'typed codes count again, which somebody still has to know'],
  ['POST /users/{id}/sessions/revoke', takesAway],
  ['POST /groups', dailyWork],
  ['PATCH /groups/{id}', dailyWork],
  ['DELETE /groups/{id}', takesAway],
  ['PUT /groups/{id}/members/{userId}', dailyWork],
  ['DELETE /groups/{id}/members/{userId}', takesAway],
  ['POST /groups/{id}/rule/preview', reads],
  ['POST /groups/rule/preview', reads],
  ['POST /network-zones/lookup', reads],
  ['POST /me/report-activity', takesAway],
  ['PATCH /shared-signals-streams/{id}', 'starts or stops what a receiver set up with its own credentials'],
  ['DELETE /shared-signals-streams/{id}', takesAway],
  ['DELETE /ssh/principal-mappings/{id}', takesAway],
  ['POST /ssh/certificates/{serial}/revoke', takesAway],
  ['POST /ssh/host-certificates/{serial}/revoke', takesAway],
  ['POST /me/ssh/certificates/{serial}/revoke', takesAway],
  ['POST /policies/simulate', reads],
  ['POST /configuration/plans', reads],
  ['POST /configuration/plans/verify', reads],
  ['POST /policies/dry-run', reads],
  ['DELETE /policy-dry-runs/{id}', reads],
  ['DELETE /export/{id}', takesAway],
  ['POST /identity-providers/{id}/test-sign-in', reads],
  ['POST /imports', 'computes what would change; making it needs a proof'],
  ['DELETE /imports/{id}', takesAway],
  ['DELETE /lifecycle/rules/{id}', takesAway],
  ['POST /lifecycle/rules/{id}/disable', takesAway],
  ['POST /lifecycle/rules/{id}/preview', reads],
  ['POST /access-packages', dailyWork],
  ['PATCH /access-packages/{id}', dailyWork],
  ['DELETE /access-packages/{id}', takesAway],
  ['POST /access-packages/{id}/publish', dailyWork],
  ['POST /access-packages/{id}/archive', takesAway],
  ['POST /access-packages/{id}/assignments', dailyWork],
  ['PATCH /access-packages/{id}/assignments/{assignmentId}', dailyWork],
  ['DELETE /access-packages/{id}/assignments/{assignmentId}', takesAway],
  [
    'POST /access-requests/{id}/approve',
    'gives others what its package says, never roles or anything to oneself',
  ],
  ['POST /access-requests/{id}/deny', takesAway],
  ['POST /access-requests/{id}/reassign', 'another user decides, never the requester'],
  ['POST /access-requests/{id}/retry', 'carries out what was approved'],
  ['POST /access-requests/{id}/cancel', takesAway],
  ['POST /access-reviews/{id}/start', 'a review only ever takes access away'],
  ['POST /access-reviews/{id}/complete', takesAway],
  ['POST /access-reviews/{id}/apply', takesAway],
  ['POST /access-reviews/{id}/cancel', 'nothing changes'],
  ['DELETE /access-reviews/{id}', 'nothing changes'],
  ['POST /access-reviews/{id}/items/decide', 'keeps or takes the access of others'],
  ['POST /access-reviews/{id}/items/{itemId}/decide', 'keeps or takes the access of others'],
  ['POST /access-reviews/{id}/items/{itemId}/reassign', 'another user decides, never the user reviewed'],
  ['POST /me/access-requests', 'asks; others decide, or the package is open to its requesters'],
  ['POST /me/access-requests/{id}/cancel', takesAway],
  ['PUT /applications/{id}/groups', dailyWork],
  ['PUT /applications/{id}/groups/{groupId}', dailyWork],
  ['DELETE /applications/{id}/groups/{groupId}', takesAway],
  ['PUT /applications/{id}/logo', dailyWork],
  ['DELETE /applications/{id}/logo', dailyWork],
  ['DELETE /applications/{id}', takesAway],
  ['POST /applications/{id}/disable', takesAway],
  ['POST /applications/{id}/enable', 'opens what was configured before, to whom it was assigned'],
  ['DELETE /applications/{id}/secrets/{secretId}', takesAway],
  ['POST /api-resources', 'names an API; what may call it is granted by other routes'],
  ['PATCH /api-resources/{id}', 'names an API; what may call it is granted by other routes'],
  ['DELETE /api-resources/{id}', takesAway],
  ['DELETE /api-resources/{id}/grants/{applicationId}', takesAway],
  ['POST /service-accounts', 'makes an account without roles and without a key'],
  ['PATCH /service-accounts/{id}', ownDetails],
  ['DELETE /service-accounts/{id}', takesAway],
  ['POST /service-accounts/{id}/disable', takesAway],
  ['POST /service-accounts/{id}/enable', 'its keys work again; their holders had them before'],
  ['DELETE /api-keys/{id}', takesAway],
  ['DELETE /sessions/{id}', takesAway],
  ['PATCH /devices/{id}', ownDetails],
  ['DELETE /devices/{id}', takesAway],
  ['POST /devices/{id}/trust', 'nothing is decided by it yet'],
  ['POST /devices/{id}/untrust', takesAway],
  ['POST /devices/{id}/block', takesAway],
  ['POST /devices/{id}/unblock', 'the device still has to sign in'],
  ['DELETE /provisioning/applications/{applicationId}', takesAway],
  ['POST /provisioning/applications/{applicationId}/test', reads],
  ['POST /provisioning/applications/{applicationId}/sync', 'pushes to where it was configured to'],
  ['POST /provisioning/applications/{applicationId}/resume', 'pushes to where it was configured to'],
  ['POST /webhooks/{id}/pause', takesAway],
  ['POST /webhooks/{id}/resume', 'sends to where it was configured to'],
  ['DELETE /webhooks/{id}', takesAway],
  ['POST /webhooks/{id}/test', reads],
  ['POST /applications/{id}/test-sign-in', reads],
  ['POST /webhooks/{id}/deliveries/{deliveryId}/redeliver', 'sends to where it was configured to'],
])

const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

/** A path with well-formed parameters that match nothing. */
const pathOf = ({ path, params }: Declared): string => {
  const { properties = {} } = (params ?? {}) as { properties?: Record<string, Schema> }
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const { pattern, enum: values } = properties[name] as { pattern?: string; enum?: readonly string[] }
    const prefix = /^\^([a-z]+_)/.exec(pattern ?? '')?.[1]
    const value = prefix === undefined ? values?.[0] : `${prefix}${ULID}`
    if (value === undefined) expect.fail(`${path}: no sample of {${name}}`)
    return value
  })
}

/** One value for each field that requires a proof if it is sent. */
const samples: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['email', 'somebody.else@example.com'],
  ['redirectUris', ['https://elsewhere.example.com/cb']],
  ['postLogoutRedirectUris', ['https://elsewhere.example.com/out']],
  ['backchannelLogoutUri', 'https://elsewhere.example.com/logout'],
  ['allowedOrigins', ['https://elsewhere.example.com']],
  ['requirePkce', false],
  ['url', 'https://elsewhere.example.com/events'],
  ['events', ['user.*']],
])

export interface Attempt {
  readonly route: Declared
  readonly method: string
  readonly path: string
  /** Reaches the check of the proof if the route requires one; if the check passes, the request changes nothing. */
  readonly body: Readonly<Record<string, unknown>>
}

/** Requests that reach the proof of a route, one for each field that requires one. */
export const attemptsAt = (route: Declared): readonly Attempt[] => {
  const { reauthentication } = route.access
  const at = { route, method: route.method, path: pathOf(route) }
  // The proof is checked before the body, which contains an unknown field.
  if (typeof reauthentication !== 'object') return [{ ...at, body: { nonsense: true } }]
  return reauthentication.whenSent.map((field) => {
    if (!samples.has(field)) expect.fail(`${nameOf(route)}: no sample of ${field}`)
    return { ...at, body: { [field]: samples.get(field) } }
  })
}
