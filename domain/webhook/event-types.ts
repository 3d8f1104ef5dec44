/** What endpoints may ask for: every audit action that some event has, sign-in events, and the test event. */
import { ocsfActions } from '../audit/ocsf-actions.ts'
import type { SignInResult } from '../sign-in/events.ts'

const results = { success: true, failure: true, interrupted: true } satisfies Record<SignInResult, true>

export const signInType = (result: SignInResult): string => `sign_in.${result}`

/** Says how the audit tree stands. It is no event of the log, which would grow by it. */
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
  ['api_key', 'Keys of service accounts'],
  ['api_resource', 'APIs of your own and their scopes'],
  ['application', 'Applications, their secrets, and what they and their groups may use'],
  ['audit', 'How the audit tree stands, signed'],
  ['device', 'Devices that people sign in on'],
  ['device_login', 'Sign-ins on other devices, approved or denied'],
  ['group', 'Groups and their members'],
  ['linked_account', 'Accounts at identity providers, linked to people'],
  ['method', "People's sign-in methods, and their settings"],
  ['organization', 'Settings of the organization'],
  ['provisioning', 'People pushed into applications over SCIM'],
  ['recovery_codes', 'Recovery codes'],
  ['risk_event', 'What looks like an attack'],
  ['saml', 'Certificates that SAML responses are signed with'],
  ['scim', 'People and groups that a directory has made, changed or deleted over SCIM'],
  ['service_account', 'Accounts of programs: made, changed, disabled, deleted, their roles'],
  ['session', 'Sessions that were ended'],
  ['sign_in', 'Attempts to sign in'],
  ['signing_key', 'Keys that tokens are signed with'],
  ['system', 'The installation itself: its secret key'],
  ['token', 'Tokens that were taken back'],
  ['user', 'People: invited, changed, suspended, deleted, their roles'],
  ['webhook', 'Webhook endpoints and their deliveries'],
])

const familyOf = (type: string): string => type.slice(0, type.indexOf('.'))

/** Types by their first word, in alphabetical order. */
export const eventFamilies: readonly EventFamily[] = [...new Set(eventTypes.map(familyOf))].map((name) => ({
  family: `${name}.*`,
  description: descriptions.get(name) ?? `Everything that begins with ${name}.`,
  types: eventTypes.filter((type) => familyOf(type) === name),
}))

/** Whether one entry of an endpoint asks for a type. */
const asksFor = (entry: string, type: string): boolean =>
  entry === '*' || entry === type || (entry.endsWith('.*') && type.startsWith(entry.slice(0, -1)))

export const wantsType = (entries: readonly string[], type: string): boolean =>
  entries.some((entry) => asksFor(entry, type))

/** Whether some event can ever be what an entry asks for. */
export const isKnownEntry = (entry: string): boolean => eventTypes.some((type) => asksFor(entry, type))
