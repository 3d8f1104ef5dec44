/**
 * Builds the SCIM User for a user (RFC 7643 §4.1, §4.3), and merges it into the existing resource of an
 * application.
 */
import { isUnreadableAddress } from '../user/unreadable.ts'
import type { ProvisioningSettings } from './events.ts'

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const ENTERPRISE_SCHEMA = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
export const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

export interface PushedPerson {
  readonly userId: string
  readonly email: string
  readonly name: string
  readonly givenName: string | null
  readonly familyName: string | null
  readonly title: string | null
  readonly department: string | null
  readonly externalId: string | null
}

/** The desired fields in an application; omitted fields are not managed, null fields must be empty. */
export interface WantedUser {
  readonly externalId: string
  readonly userName: string
  readonly displayName?: string
  readonly name?: { readonly formatted: string; readonly givenName: string; readonly familyName: string }
  readonly email?: string
  readonly title?: string | null
  readonly department?: string | null
}

type Json = Readonly<Record<string, unknown>>
export type ScimUser = Json

/** Many applications require both parts of a name: by default the last word is the family name. */
const nameOf = ({ name, givenName, familyName }: PushedPerson) => {
  const words = name.trim().split(/\s+/)
  const last = words.at(-1) ?? name
  const before = words.slice(0, -1).join(' ')
  return {
    formatted: name,
    givenName: givenName ?? (before === '' ? last : before),
    familyName: familyName ?? last,
  }
}

/** @returns null for a user without the field for their user name, and for one whose name and address are unreadable */
export const wantedUser = (
  person: PushedPerson,
  { userNameAttribute, attributes }: Pick<ProvisioningSettings, 'userNameAttribute' | 'attributes'>,
): WantedUser | null => {
  if (isUnreadableAddress(person.email)) return null
  const userName = userNameAttribute === 'email' ? person.email : person.externalId
  if (userName === null || userName === '') return null
  return {
    externalId: person.userId,
    userName,
    ...(attributes.name ? { displayName: person.name, name: nameOf(person) } : {}),
    ...(attributes.email ? { email: person.email } : {}),
    ...(attributes.title ? { title: person.title } : {}),
    ...(attributes.department ? { department: person.department } : {}),
  }
}

const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

const objects = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : [])

const isTrue = (value: unknown): boolean => value === true || value === 'true' || value === 'True'

/** The service manages the work address; other values are kept. */
const emailsWith = (email: string, held: unknown): readonly Json[] => {
  const before = objects(held)
  const ours =
    before.find(({ type }) => type === 'work') ??
    before.find(({ primary }) => isTrue(primary)) ??
    (before.length === 1 ? before[0] : undefined)
  const others = before.filter((entry) => entry !== ours && entry['value'] !== email)
  const { display: _, ...kept } = ours ?? {}
  return [
    { type: 'work', ...kept, value: email, primary: true },
    ...others.map((entry) => (isTrue(entry['primary']) ? { ...entry, primary: false } : entry)),
  ]
}

/** Fields that are read-only or not managed by this service (RFC 7643 §3.1, §4.1). */
const notWritten = new Set(['meta', 'groups', 'password'])

const without = (resource: Json, names: ReadonlySet<string>): Json =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => !names.has(name)))

/** Sets a field, or removes it if it must be empty. */
const set = (name: string, value: unknown): Json => (value === null ? {} : { [name]: value })

/**
 * Returns the resource to send: the existing one with our values. A PUT replaces everything (RFC 7644 §3.5.1), so
 * values of others are sent too.
 * @param held the existing resource; empty for a new one
 */
export const overlaid = (wanted: WantedUser, held: Json = {}): ScimUser => {
  const dropped = new Set(notWritten)
  if (wanted.title !== undefined) dropped.add('title')
  if (wanted.department !== undefined) dropped.add(ENTERPRISE_SCHEMA)
  const enterprise = isObject(held[ENTERPRISE_SCHEMA]) ? held[ENTERPRISE_SCHEMA] : {}
  const enterpriseAfter =
    wanted.department === undefined
      ? null
      : { ...without(enterprise, new Set(['department'])), ...set('department', wanted.department) }
  const hasEnterprise = enterpriseAfter !== null && Object.keys(enterpriseAfter).length > 0
  const schemas = Array.isArray(held['schemas'])
    ? held['schemas'].filter((schema) => typeof schema === 'string')
    : []
  return {
    ...without(held, dropped),
    schemas: [...new Set([USER_SCHEMA, ...schemas, ...(hasEnterprise ? [ENTERPRISE_SCHEMA] : [])])].filter(
      (schema) => schema !== ENTERPRISE_SCHEMA || hasEnterprise || wanted.department === undefined,
    ),
    externalId: wanted.externalId,
    userName: wanted.userName,
    active: true,
    ...(wanted.displayName === undefined ? {} : { displayName: wanted.displayName }),
    ...(wanted.name === undefined
      ? {}
      : { name: { ...(isObject(held['name']) ? held['name'] : {}), ...wanted.name } }),
    ...(wanted.email === undefined ? {} : { emails: emailsWith(wanted.email, held['emails']) }),
    ...(wanted.title === undefined ? {} : set('title', wanted.title)),
    ...(hasEnterprise ? { [ENTERPRISE_SCHEMA]: enterpriseAfter } : {}),
  }
}

/** RFC 7644 §3.5.2.3, with a boolean and lower-case names, which every server accepts. */
export const deactivation: Json = {
  schemas: [PATCH_SCHEMA],
  Operations: [{ op: 'replace', path: 'active', value: false }],
}

/** RFC 7644 §3.4.2.2: a comparison value is a JSON string. */
export const userNameFilter = (userName: string): string => `userName eq ${JSON.stringify(userName)}`

export const externalIdFilter = (externalId: string): string => `externalId eq ${JSON.stringify(externalId)}`

/** Returns the only user in a list that is linked to one of our users. */
export const userLinkedTo = (list: unknown, externalId: string): Json | null => {
  if (!isObject(list)) return null
  const linked = objects(list['Resources']).filter(
    (resource) => resource['externalId'] === externalId && typeof resource['id'] === 'string',
  )
  return linked.length === 1 ? (linked[0] ?? null) : null
}

/** Returns the only user in a list with this user name; user names are not case-sensitive (RFC 7643 §4.1.1). */
export const userNamed = (list: unknown, userName: string): Json | null => {
  if (!isObject(list)) return null
  const called = objects(list['Resources']).filter(
    (resource) =>
      typeof resource['userName'] === 'string' &&
      resource['userName'].toLowerCase() === userName.toLowerCase() &&
      typeof resource['id'] === 'string',
  )
  return called.length === 1 ? (called[0] ?? null) : null
}
