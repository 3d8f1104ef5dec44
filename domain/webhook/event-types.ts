/** The types that endpoints can select: every audit action, sign-in events, and the test event. */
import { ocsfActions } from '../audit/ocsf-actions.ts'
import type { SignInResult } from '../sign-in/events.ts'

const results = { success: true, failure: true, interrupted: true } satisfies Record<SignInResult, true>

export const signInType = (result: SignInResult): string => `sign_in.${result}`

/** Reports the state of the audit tree. It is not an event of the log, because each one would make the log grow. */
export const CHECKPOINT_TYPE = 'audit.checkpoint'

/** Every type that an event sent to an endpoint can have, in alphabetical order. */
export const eventTypes: readonly string[] = [
  ...new Set([
    ...Object.keys(ocsfActions),
    ...Object.keys(results).map((result) => signInType(result as SignInResult)),
    CHECKPOINT_TYPE,
  ]),
].sort()

export interface EventFamily {
  /** `user.*` */
  readonly family: string
  readonly description: string
  readonly types: readonly string[]
}

const descriptions: ReadonlyMap<string, string> = new Map([
  ['access_package', 'Access packages and who has them'],
  ['access_request', 'Requests for access packages, and their decisions'],
  ['access_review', 'Access reviews, and the decisions about each item'],
  ['api_key', 'API keys of service accounts'],
  ['api_resource', 'API resources and their scopes'],
  ['application', 'Applications, their client secrets, assignments and grants'],
  ['audit', 'Signed checkpoints of the audit tree'],
  ['branding', 'The logo and the accent colour of the organization'],
  ['device', 'Devices of users'],
  ['device_login', 'Sign-ins on other devices, approved or denied'],
  ['domain', 'Domains: added, verified, removed'],
  ['export', 'Exports of data: requested, downloaded'],
  ['group', 'Groups and their members'],
  ['identity_provider', 'Identity providers for sign-in'],
  ['lifecycle_rule', 'Lifecycle rules, their runs, and actions that failed'],
  ['linked_account', 'Linked accounts of users'],
  ['method', "Users' sign-in methods, and their settings"],
  ['organization', 'Settings of the organization'],
  ['provisioning', 'Outbound provisioning of users to applications'],
  ['recovery_codes', 'Recovery codes'],
  ['risk_event', 'Possible attacks'],
  ['saml', 'Certificates that sign SAML responses'],
  ['scim', 'Users and groups that a directory created, updated or deleted over SCIM'],
  [
    'service_account',
    'Service accounts: created, updated, disabled, deleted, their roles and SSH host names',
  ],
  ['session', 'Ended sessions'],
  ['shared_signals_stream', 'Streams of shared signals to applications'],
  ['sign_in', 'Sign-in attempts'],
  ['signing_key', 'Keys that sign tokens'],
  ['system', 'The secret key of the installation'],
  ['token', 'Revoked tokens'],
  ['user', 'Users: invited, updated, suspended, deleted, their roles'],
  ['webhook', 'Webhook endpoints and their deliveries'],
])

const familyOf = (type: string): string => type.slice(0, type.indexOf('.'))

/** Types by their first word, in alphabetical order. */
export const eventFamilies: readonly EventFamily[] = [...new Set(eventTypes.map(familyOf))].map((name) => ({
  family: `${name}.*`,
  description: descriptions.get(name) ?? `All types that start with ${name}.`,
  types: eventTypes.filter((type) => familyOf(type) === name),
}))

/** Whether one entry of an endpoint selects a type. */
const asksFor = (entry: string, type: string): boolean =>
  entry === '*' || entry === type || (entry.endsWith('.*') && type.startsWith(entry.slice(0, -1)))

export const wantsType = (entries: readonly string[], type: string): boolean =>
  entries.some((entry) => asksFor(entry, type))

/** Whether any event can match an entry. */
export const isKnownEntry = (entry: string): boolean => eventTypes.some((type) => asksFor(entry, type))
