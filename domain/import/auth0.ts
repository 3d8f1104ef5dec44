/** A bulk user export of Auth0 (`POST /api/v2/jobs/users-exports`): one object for each user. */
import { customOf, isObject, profileOf, type ImportedRecord } from './records.ts'

const userOf = (user: Readonly<Record<string, unknown>>, line: number): ImportedRecord => {
  const { email, username, name, given_name, family_name, phone_number, locale, zoneinfo, blocked } = user
  const metadata = isObject(user['user_metadata']) ? user['user_metadata'] : {}
  return {
    kind: 'user',
    line,
    profile: {
      ...profileOf({
        email,
        userName: username,
        // Without a name, Auth0 writes the address instead.
        name: name === email ? undefined : name,
        givenName: given_name,
        familyName: family_name,
        phone: phone_number,
        locale,
        timeZone: zoneinfo,
      }),
      ...customOf(Object.entries(metadata)),
    },
    groups: [],
    ...(blocked === true ? { skipped: 'blocked in the source' } : {}),
  }
}

/** @returns the records, or a message if they are no such users */
export const fromAuth0 = (users: readonly unknown[]): readonly ImportedRecord[] | string =>
  users.every((user) => isObject(user) && ('email' in user || 'user_id' in user))
    ? users.map((user, index) => userOf(user as Readonly<Record<string, unknown>>, index + 1))
    : 'expected a user export of Auth0: one JSON object with user_id and email on each line'
