/** RFC 7643 §4.1, §4.3: converts a user to a SCIM resource and back. */
import type { Profile } from '../user/events.ts'
import type { UserStatus } from '../user/state.ts'
import { badRequest } from './errors.ts'
import type { Attributes, Complex, Resource } from './normalise.ts'
import { ENTERPRISE_URN, USER_URN } from './schemas.ts'

/** A user from the read models. */
export interface Person {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly givenName: string | null
  readonly familyName: string | null
  readonly department: string | null
  readonly title: string | null
  readonly employeeId: string | null
  readonly managerId: string | null
  readonly managerName: string | null
  readonly phone: string | null
  /** Null: it is, as nobody said otherwise. */
  readonly phonePrimary: boolean | null
  readonly locale: string | null
  readonly timeZone: string | null
  readonly externalId: string | null
  readonly userName: string | null
  readonly status: UserStatus
  readonly createdAt: string
  readonly updatedAt: string
}

export interface Link {
  readonly id: string
  readonly name: string
}

/** Profile fields that SCIM clients can write; null unassigns one. */
export type ProfileFields = {
  readonly [F in Exclude<keyof Profile, 'location' | 'startDate' | 'endDate' | 'custom' | 'phonePrimary'>]-?:
    | string
    | null
} & Pick<Person, 'phonePrimary'>

const assigned = (attributes: Readonly<Record<string, Attributes[string] | null>>): Attributes =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, value] as const],
    ),
  )

/** A user without a user name has the address as user name in SCIM. */
const userNameOf = ({ userName, email }: Pick<Person, 'userName' | 'email'>): string => userName ?? email

const numbersOf = ({ phone, phonePrimary }: Person): readonly Complex[] | null =>
  phone === null ? null : [{ value: phone, type: 'work', primary: phonePrimary ?? true }]

/** The input of a PATCH: all stored values, no derived ones. */
export const resourceOf = (person: Person): Resource => ({
  core: assigned({
    userName: userNameOf(person),
    externalId: person.externalId,
    name: assigned({
      formatted: person.name,
      givenName: person.givenName,
      familyName: person.familyName,
    }) as Complex,
    displayName: person.name,
    title: person.title,
    preferredLanguage: person.locale,
    locale: person.locale,
    timezone: person.timeZone,
    active: person.status !== 'suspended',
    emails: [{ value: person.email, type: 'work', primary: true }],
    phoneNumbers: numbersOf(person),
  }),
  extension: assigned({
    employeeNumber: person.employeeId,
    department: person.department,
    manager: person.managerId === null ? null : { value: person.managerId },
  }),
})

const textOf = (attributes: Attributes, name: string): string | null => {
  const value = attributes[name]
  return typeof value === 'string' ? value : null
}

const partOf = (attributes: Attributes, name: string, part: string): string | null => {
  const value = (attributes[name] as Complex | undefined)?.[part]
  return typeof value === 'string' ? value : null
}

const listOf = (attributes: Attributes, name: string): readonly Complex[] =>
  ((attributes[name] ?? []) as readonly Complex[]).filter(({ value }) => typeof value === 'string')

const isFor =
  (use: string) =>
  ({ type }: Complex): boolean =>
    typeof type === 'string' && type.toLowerCase() === use

const emailIn = ({ core }: Resource): string | null => {
  const emails = listOf(core, 'emails')
  const chosen = emails.find(({ primary }) => primary === true) ?? emails.find(isFor('work')) ?? emails[0]
  return (chosen?.['value'] as string | undefined) ?? null
}

/** RFC 7643 §2.4: a number without `primary` is not the primary one if another is. */
const phoneIn = ({ core }: Resource): Pick<Person, 'phone' | 'phonePrimary'> => {
  const numbers = listOf(core, 'phoneNumbers')
  const chosen = numbers.find(isFor('work')) ?? numbers.find(({ type }) => type === undefined)
  if (chosen === undefined) return { phone: null, phonePrimary: null }
  const isPrimary = chosen['primary'] ?? !numbers.some(({ primary }) => primary === true)
  return { phone: chosen['value'] as string, phonePrimary: isPrimary === false ? false : null }
}

const joinedName = ({ core }: Resource): string | null => {
  const parts = [partOf(core, 'name', 'givenName'), partOf(core, 'name', 'familyName')]
  const joined = parts.filter((part) => part !== null).join(' ')
  return joined === '' ? null : joined
}

const wholeName = (resource: Resource): string | null =>
  textOf(resource.core, 'displayName') ?? partOf(resource.core, 'name', 'formatted') ?? joinedName(resource)

/** The name after a PATCH: the changed value, or the name derived from changed parts. */
const changedName = (before: Resource, after: Resource): string | null => {
  const display = textOf(after.core, 'displayName')
  if (display !== null && display !== textOf(before.core, 'displayName')) return display
  const formatted = partOf(after.core, 'name', 'formatted')
  if (formatted !== null && formatted !== partOf(before.core, 'name', 'formatted')) return formatted
  const was = wholeName(before)
  return was !== null && was === joinedName(before) ? joinedName(after) : (wholeName(after) ?? was)
}

const accepted = (make: () => unknown): boolean => {
  try {
    make()
    return true
  } catch {
    return false
  }
}

/**
 * BCP 47 uses hyphens; directories also send underscores. Invalid language tags and time zones are ignored
 * instead of rejecting the user.
 */
const languageTag = (text: string | null): string | null => {
  const tag = text?.replaceAll('_', '-') ?? ''
  const isWellFormed = tag.length <= 35 && /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/.test(tag)
  return isWellFormed && accepted(() => Intl.getCanonicalLocales(tag)) ? tag : null
}

const zoneName = (text: string | null): string | null =>
  text !== null && /^[A-Za-z]/.test(text) && accepted(() => new Intl.DateTimeFormat('en', { timeZone: text }))
    ? text
    : null

const changedLocale = (before: Resource, after: Resource): string | null => {
  const [locale, language] = [textOf(after.core, 'locale'), textOf(after.core, 'preferredLanguage')]
  return locale === textOf(before.core, 'locale') ? language : (languageTag(locale) ?? language)
}

/** The manager's id; a client can send only the address. */
const managerIn = ({ extension }: Resource): string | null =>
  partOf(extension, 'manager', 'value') ?? partOf(extension, 'manager', '$ref')?.split('/').at(-1) ?? null

const required = (value: string | null, name: string): string => {
  if (value === null) throw badRequest('invalidValue', `${name}: is missing`)
  return value
}

const anAddress = (userName: string): string => {
  if (!userName.includes('@'))
    throw badRequest('invalidValue', 'emails: expected an address, because userName is not an email address')
  return userName
}

const fieldsOf = (
  resource: Resource,
  name: string | null,
  locale: string | null,
  email: string | null,
): ProfileFields => {
  const { core, extension } = resource
  const userName = required(textOf(core, 'userName'), 'userName')
  return {
    userName,
    email: email ?? anAddress(userName),
    name: name ?? userName,
    givenName: partOf(core, 'name', 'givenName'),
    familyName: partOf(core, 'name', 'familyName'),
    title: textOf(core, 'title'),
    locale: languageTag(locale),
    timeZone: zoneName(textOf(core, 'timezone')),
    ...phoneIn(resource),
    externalId: textOf(core, 'externalId'),
    department: textOf(extension, 'department'),
    employeeId: textOf(extension, 'employeeNumber'),
    managerId: managerIn(resource),
  }
}

const statedLocale = ({ core }: Resource): string | null =>
  languageTag(textOf(core, 'locale')) ?? textOf(core, 'preferredLanguage')

/**
 * Reads the profile from a whole resource.
 * @param current keeps its address if the resource has none; omitted for a new user
 * @throws ScimError invalidValue if userName is missing, or there is no address
 */
export const statedFields = (resource: Resource, current?: Person): ProfileFields =>
  fieldsOf(resource, wholeName(resource), statedLocale(resource), emailIn(resource) ?? current?.email ?? null)

/** The profile after a PATCH. @throws ScimError as `statedFields` does */
export const changedFields = (before: Resource, after: Resource): ProfileFields =>
  fieldsOf(after, changedName(before, after), changedLocale(before, after), emailIn(after))

/** The fields that differ from the user's own resource: unchanged fields are not written. */
export const differing = (person: Person, wanted: ProfileFields): Partial<ProfileFields> => {
  const current: ProfileFields = { ...person, userName: userNameOf(person) }
  const names = Object.keys(wanted) as (keyof ProfileFields)[]
  return Object.fromEntries(
    names.filter((name) => wanted[name] !== current[name]).map((name) => [name, wanted[name]]),
  )
}

/** The value of `active`; undefined if it was not sent. */
export const activeIn = ({ core }: Resource): boolean | undefined =>
  typeof core['active'] === 'boolean' ? core['active'] : undefined

/** Both parts of a name, never empty: Okta rejects users who lack one. */
const nameParts = ({ name, givenName, familyName }: Person) => {
  const words = name.trim().split(/\s+/)
  const first = words[0] ?? name
  const rest = words.slice(1).join(' ')
  return {
    givenName: givenName ?? (familyName !== null && words.length === 1 ? familyName : first),
    familyName: familyName ?? (rest === '' ? first : rest),
  }
}

/**
 *
 * The resource as clients see it.
 * @param base address of the SCIM server, without a trailing slash
 * @param groups omitted if not requested
 */
export const userResource = (person: Person, base: string, groups?: readonly Link[]) => {
  const { id, email, name, externalId, title, locale, timeZone } = person
  const { department, employeeId, managerId, managerName } = person
  const enterprise = assigned({
    employeeNumber: employeeId,
    department,
    manager:
      managerId === null
        ? null
        : { value: managerId, $ref: `${base}/Users/${managerId}`, displayName: managerName ?? undefined },
  })
  const isEnterprise = Object.keys(enterprise).length > 0
  return {
    schemas: isEnterprise ? [USER_URN, ENTERPRISE_URN] : [USER_URN],
    id,
    ...assigned({ externalId }),
    userName: userNameOf(person),
    name: { formatted: name, ...nameParts(person) },
    displayName: name,
    ...assigned({ title, preferredLanguage: locale, locale, timezone: timeZone }),
    active: person.status !== 'suspended',
    emails: [{ value: email, type: 'work', primary: true }],
    ...assigned({ phoneNumbers: numbersOf(person) }),
    ...(groups === undefined
      ? {}
      : {
          groups: groups.map((group) => ({
            value: group.id,
            $ref: `${base}/Groups/${group.id}`,
            display: group.name,
            type: 'direct',
          })),
        }),
    ...(isEnterprise ? { [ENTERPRISE_URN]: enterprise } : {}),
    meta: metaOf('User', id, person, base),
  }
}

/** RFC 7643 §3.1, without the version: ETags are not supported. */
export const metaOf = (
  resourceType: 'User' | 'Group',
  id: string,
  { createdAt, updatedAt }: { readonly createdAt: string; readonly updatedAt: string },
  base: string,
) => ({
  resourceType,
  created: createdAt,
  lastModified: updatedAt,
  location: `${base}/${resourceType}s/${id}`,
})
