/** Reads an access policy back as a sentence. */
import { REAUTH_MINUTES } from '../../../../../domain/policy/evaluate.ts'
import { isOwnApplication, type PolicyConditions } from '../../../../../domain/policy/events.ts'
import type { SentenceTexts } from './policy-sentence-texts.ts'
import type { PolicyRecord } from './records.ts'

/** Returns the name of a group, an application or a network zone. */
export type NameOf = (id: string) => string

type Described = Pick<PolicyRecord, 'conditions' | 'action' | 'sessionMaxAgeMinutes'>

const listed = (names: readonly string[], last: string): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1) ?? ''}`

/** Returns the words about a list of names; none for an empty one. */
const about = (names: readonly string[], last: string, words: (names: string) => string): string =>
  names.length === 0 ? '' : words(listed(names, last))

const people = (
  { include, exclude, roles }: PolicyConditions['users'],
  nameOf: NameOf,
  text: SentenceTexts,
): string =>
  (include === 'all' ? text.everyone : text.membersOf(listed(include.map(nameOf), text.or))) +
  about(
    roles.map((role) => text.roleNames[role]),
    text.or,
    text.withRole,
  ) +
  about(exclude.map(nameOf), text.or, text.except)

const opened = (
  { include, exclude }: PolicyConditions['applications'],
  nameOf: NameOf,
  text: SentenceTexts,
): string => {
  const name = (id: string): string => (isOwnApplication(id) ? text.own[id] : nameOf(id))
  const excluded = exclude.map(name)
  return include === 'all'
    ? text.toAll + about(excluded, text.and, text.toAllExcept)
    : text.to(listed(include.map(name), text.or)) + about(excluded, text.and, text.toExcept)
}

const places = (
  { include, exclude }: PolicyConditions['zones'],
  nameOf: NameOf,
  text: SentenceTexts,
): string =>
  include === 'any'
    ? about(exclude.map(nameOf), text.or, text.fromOutside)
    : text.from(listed(include.map(nameOf), text.or)) + about(exclude.map(nameOf), text.or, text.outside)

/** Such as “Block sign-ins of everyone to Payroll from outside Office.” */
export const policySentence = (
  { conditions, action, sessionMaxAgeMinutes }: Described,
  nameOf: NameOf,
  text: SentenceTexts,
): string => {
  const { users, applications, zones, devices, platforms, riskAtLeast, methods } = conditions
  const signIns = [
    text.of(people(users, nameOf, text)),
    opened(applications, nameOf, text),
    places(zones, nameOf, text),
    text.devices[devices],
    about(
      platforms.map((platform) => text.platformNames[platform]),
      text.or,
      text.platforms,
    ),
    riskAtLeast === null ? '' : text.risk[riskAtLeast],
    about(
      methods.map((method) => text.methodNames[method]),
      text.or,
      text.methods,
    ),
  ].join('')
  const age = text.minutes(sessionMaxAgeMinutes ?? REAUTH_MINUTES)
  // A blocked sign-in has no age, and the action of require_reauth names it.
  const limitsAge = sessionMaxAgeMinutes !== null && (action === 'allow' || action === 'require_strong')
  return `${text.actions[action](signIns, age)}${limitsAge ? text.maxAge(age) : ''}.`
}
