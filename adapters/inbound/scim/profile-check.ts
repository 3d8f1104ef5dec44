/** User data from a directory follows the same rules as data from administrators. */
import { Type, type TSchema } from 'typebox'
import { badRequest } from '../../../domain/scim/errors.ts'
import type { ProfileFields } from '../../../domain/scim/user-resource.ts'
import { line } from '../http/schemas.ts'
import { checkProfile, writableProfile } from '../api/user-schemas.ts'
import { strictly, type Check } from '../http/validate.ts'

/** SCIM names of our fields. */
const scimNames: ReadonlyMap<string, string> = new Map([
  ['email', 'emails'],
  ['name', 'displayName'],
  ['givenName', 'name.givenName'],
  ['familyName', 'name.familyName'],
  ['timeZone', 'timezone'],
  ['phone', 'phoneNumbers'],
  ['employeeId', 'employeeNumber'],
  ['managerId', 'manager'],
])

const schemaOf = (properties: Readonly<Record<string, TSchema>>): TSchema =>
  Type.Object(
    Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)])),
  )

const person: Check = strictly(schemaOf(writableProfile))
const group: Check = strictly(
  schemaOf({ displayName: line(100, 'Engineering'), externalId: line(200, 'g-42') }),
)

const hold = (check: Check, fields: Readonly<Record<string, unknown>>): void => {
  const problem = check(fields)
  if (problem === undefined) return
  const [name = ''] = problem.field.split('/').slice(1)
  const known = scimNames.get(name)
  throw badRequest(
    'invalidValue',
    known === undefined ? problem.message : problem.message.replace(name, known),
  )
}

const withoutNulls = (fields: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined))

/** @throws ScimError invalidValue, DomainError ERR_INVALID */
export const checkPerson = ({ phonePrimary: _, ...fields }: Partial<ProfileFields>): void => {
  const written = withoutNulls(fields)
  hold(person, written)
  checkProfile(written)
}

/** @throws ScimError invalidValue */
export const checkGroup = ({ name, externalId }: { name?: string; externalId?: string | null }): void => {
  hold(group, withoutNulls({ displayName: name, externalId }))
}
