/**
 * What a file of users and groups says, in the service's own terms. The file formats map to these records; everything
 * after that is the same for all of them.
 */

export const importSources = ['users_csv', 'groups_csv', 'keycloak', 'okta', 'auth0'] as const
export type ImportSource = (typeof importSources)[number]

/** Profile fields with text values that a file can have. */
export const importedFields = [
  'email',
  'name',
  'givenName',
  'familyName',
  'department',
  'title',
  'employeeId',
  'location',
  'phone',
  'locale',
  'timeZone',
  'startDate',
  'endDate',
  'externalId',
  'userName',
] as const
export type ImportedField = (typeof importedFields)[number]

export type ImportedProfile = Readonly<Partial<Record<ImportedField, string>>> & {
  readonly custom?: Readonly<Record<string, string>>
}

export interface ImportedUser {
  readonly kind: 'user'
  /** Line of a CSV or NDJSON file; otherwise the number of the entry, from 1 */
  readonly line: number
  readonly profile: ImportedProfile
  /** Names of groups */
  readonly groups: readonly string[]
  /** Address of the manager */
  readonly manager?: string
  /** Why the user is not imported: disabled in the source, an account of a program */
  readonly skipped?: string
}

export interface ImportedGroup {
  readonly kind: 'group'
  readonly line: number
  readonly name: string
  readonly description?: string
}

export type ImportedRecord = ImportedUser | ImportedGroup

type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns text without spaces around it; undefined if there is none. */
export const textOf = (value: unknown): string | undefined => {
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
  return text === '' ? undefined : text
}

const MAX_CUSTOM = 50
const MAX_CUSTOM_LENGTH = 1000
const CUSTOM_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/** Returns custom attributes with names and values that a profile can have; the others are left out. */
export const customOf = (entries: readonly (readonly [string, unknown])[]): ImportedProfile => {
  const custom = entries
    .flatMap(([name, value]) => {
      const text = textOf(value)
      return text !== undefined && CUSTOM_NAME.test(name) && text.length <= MAX_CUSTOM_LENGTH
        ? [[name, text] as const]
        : []
    })
    .slice(0, MAX_CUSTOM)
  return custom.length === 0 ? {} : { custom: Object.fromEntries(custom) }
}

/** Returns the fields that have text. */
export const profileOf = (fields: Readonly<Partial<Record<ImportedField, unknown>>>): ImportedProfile => {
  const known = Object.entries(fields).flatMap(([field, value]) => {
    const text = textOf(value)
    return text === undefined ? [] : [[field, text] as const]
  })
  const profile = Object.fromEntries(known) as Partial<Record<ImportedField, string>>
  const { email, givenName, familyName } = profile
  const parts = [givenName, familyName].filter((part) => part !== undefined)
  const name = profile.name ?? (parts.length === 0 ? email?.split('@')[0] : parts.join(' '))
  return { ...profile, ...(name === undefined ? {} : { name }) }
}
