/**
 * Users of Okta, as `GET /api/v1/users` lists them: an array of objects with a status and a profile. The groups of a user
 * are read from `groups` (names), if a script has added them.
 */
import { customOf, isObject, profileOf, textOf, type ImportedRecord } from './records.ts'

/** Statuses of users who cannot sign in. */
const gone: ReadonlySet<unknown> = new Set(['SUSPENDED', 'DEPROVISIONED'])

/** Fields of Okta's own user profile; the others were added by an administrator. */
const standard: ReadonlySet<string> = new Set(
  `login email secondEmail firstName lastName middleName honorificPrefix honorificSuffix displayName nickName profileUrl
  title userType employeeNumber costCenter organization division department manager managerId primaryPhone mobilePhone
  streetAddress city state zipCode countryCode postalAddress preferredLanguage locale timezone`
    .trim()
    .split(/\s+/),
)

const userOf = (user: Readonly<Record<string, unknown>>, line: number): ImportedRecord => {
  const profile = isObject(user['profile']) ? user['profile'] : {}
  const { email, login, firstName, lastName, displayName, department, title, employeeNumber } = profile
  const { mobilePhone, primaryPhone, preferredLanguage, locale, timezone, city } = profile
  const manager = [profile['managerId'], profile['manager']].map(textOf).find((each) => each?.includes('@'))
  const groups = Array.isArray(user['groups']) ? (user['groups'] as readonly unknown[]) : []
  return {
    kind: 'user',
    line,
    profile: {
      ...profileOf({
        email,
        userName: login,
        name: displayName,
        givenName: firstName,
        familyName: lastName,
        department,
        title,
        employeeId: employeeNumber,
        phone: textOf(mobilePhone) ?? primaryPhone,
        locale: (textOf(preferredLanguage) ?? textOf(locale))?.replaceAll('_', '-'),
        timeZone: timezone,
        location: city,
      }),
      ...customOf(Object.entries(profile).filter(([name]) => !standard.has(name))),
    },
    groups: groups.flatMap((name) => textOf(name) ?? []),
    ...(manager === undefined ? {} : { manager }),
    ...(gone.has(user['status']) ? { skipped: 'suspended or deactivated in the source' } : {}),
  }
}

/** @returns the records, or a message if it is no such list */
export const fromOkta = (exported: unknown): readonly ImportedRecord[] | string =>
  Array.isArray(exported) && exported.every((user) => isObject(user) && isObject(user['profile']))
    ? exported.map((user, index) => userOf(user as Readonly<Record<string, unknown>>, index + 1))
    : 'expected users of Okta: an array of objects with a profile, as GET /api/v1/users returns it'
