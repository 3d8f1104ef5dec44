/** The user data of an assertion (SAML 2.0 Core §2.2.3, §2.7.3), as the application's settings define it. */
import type { AttributeNames, NameIdFormat } from '../application/events.ts'
import { isUnreadableAddress } from '../user/unreadable.ts'
import { nameIdFormats } from './names.ts'

export interface SamlPerson {
  readonly userId: string
  readonly email: string
  readonly name: string
  readonly givenName: string | null
  readonly familyName: string | null
  /** Names of all groups of the user, from any source. */
  readonly groups: readonly string[]
}

export interface NameId {
  readonly format: string
  readonly value: string
}

export interface Attribute {
  readonly name: string
  readonly values: readonly string[]
}

/** Whether the user can be identified in this format: an unreadable address cannot be used. */
export const canBeNamed = (format: NameIdFormat, { email }: Pick<SamlPerson, 'email'>): boolean =>
  format === 'persistent' || !isUnreadableAddress(email)

/** The user's id stays when the address changes; only `persistent` requires that. */
export const nameIdOf = (format: NameIdFormat, { userId, email }: SamlPerson): NameId => ({
  format: nameIdFormats[format],
  value: format === 'persistent' ? userId : email,
})

/** The last word is the family name; a name of one word is a given name. */
const split = (name: string): { readonly givenName: string; readonly family: string } => {
  const words = name.split(/\s+/u).filter((word) => word !== '')
  return words.length < 2
    ? { givenName: words.join(' '), family: '' }
    : { givenName: words.slice(0, -1).join(' '), family: words.at(-1) ?? '' }
}

/** Names in code point order, so that equal groups give equal assertions. */
const sorted = (names: readonly string[]): readonly string[] =>
  [...new Set(names)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))

/** Empty values are omitted, and so are an unreadable name and address. */
export const attributesOf = (names: AttributeNames, person: SamlPerson): readonly Attribute[] => {
  const readable = !isUnreadableAddress(person.email)
  const { givenName: given, family } = split(readable ? person.name : '')
  const values: Readonly<Record<keyof AttributeNames, readonly string[]>> = {
    email: readable ? [person.email] : [],
    name: readable ? [person.name] : [],
    given_name: [person.givenName ?? given],
    family_name: [person.familyName ?? family],
    groups: sorted(person.groups),
  }
  return (Object.keys(values) as (keyof AttributeNames)[])
    .map((key) => ({ name: names[key], values: values[key].filter((value) => value !== '') }))
    .filter((attribute) => attribute.values.length > 0)
}
