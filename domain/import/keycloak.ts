/**
 * A realm export of Keycloak (`kc.sh export`, RealmRepresentation, or one file of users of an export to a directory).
 * Passwords, roles and clients are not read.
 */
import { customOf, isObject, profileOf, textOf, type ImportedRecord } from './records.ts'

type Json = Readonly<Record<string, unknown>>

const objects = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** Attributes that administrators of realms use for fields of a profile. */
const attributeFields: Readonly<
  Record<string, 'department' | 'title' | 'phone' | 'locale' | 'location' | 'employeeId' | 'timeZone'>
> = {
  department: 'department',
  title: 'title',
  jobTitle: 'title',
  phone: 'phone',
  phoneNumber: 'phone',
  mobile: 'phone',
  locale: 'locale',
  location: 'location',
  employeeId: 'employeeId',
  employeeNumber: 'employeeId',
  zoneinfo: 'timeZone',
}

/** A group of a hierarchy is called by its path, so that two with the same name stay two. */
const pathOf = (path: string): string => path.replace(/^\//, '')

const groupsOf = (
  groups: readonly Json[],
  parent: string,
): readonly { name: string; description?: string }[] =>
  groups.flatMap((group) => {
    const name = textOf(group['name'])
    if (name === undefined) return []
    const path = parent === '' ? name : `${parent}/${name}`
    const description = textOf(group['description'])
    return [
      { name: path, ...(description === undefined ? {} : { description }) },
      ...groupsOf(objects(group['subGroups']), path),
    ]
  })

const userOf = (user: Json, line: number): ImportedRecord => {
  const { username, email, firstName, lastName, enabled, serviceAccountClientId } = user
  const attributes = Object.entries(isObject(user['attributes']) ? user['attributes'] : {}).map(
    ([name, values]) => [name, Array.isArray(values) ? (values as readonly unknown[])[0] : values] as const,
  )
  const fields = attributes.flatMap(([name, value]) => {
    const field = attributeFields[name]
    return field === undefined ? [] : [[field, value] as const]
  })
  const groups = Array.isArray(user['groups']) ? (user['groups'] as readonly unknown[]) : []
  const skipped =
    textOf(serviceAccountClientId) !== undefined
      ? 'a service account'
      : enabled === false
        ? 'disabled in the source'
        : undefined
  return {
    kind: 'user',
    line,
    profile: {
      ...profileOf({
        ...Object.fromEntries(fields),
        email,
        givenName: firstName,
        familyName: lastName,
        userName: username,
      }),
      ...customOf(attributes.filter(([name]) => attributeFields[name] === undefined)),
    },
    groups: groups.flatMap((path) => textOf(path) ?? []).map(pathOf),
    ...(skipped === undefined ? {} : { skipped }),
  }
}

/** @returns the records, or a message if it is no such export */
export const fromKeycloak = (exported: unknown): readonly ImportedRecord[] | string => {
  if (!isObject(exported) || (!Array.isArray(exported['users']) && !Array.isArray(exported['groups'])))
    return 'expected a realm export of Keycloak: an object with users or groups'
  const groups = groupsOf(objects(exported['groups']), '').map((group, index): ImportedRecord => ({
    kind: 'group',
    line: index + 1,
    ...group,
  }))
  return [...groups, ...objects(exported['users']).map((user, index) => userOf(user, index + 1))]
}
