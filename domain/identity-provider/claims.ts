/** Reads the claims of an identity provider, with the names that its attribute mapping gives. Claims are input. */
import { isStorable } from '../text.ts'
import type { AttributeMapping } from './events.ts'

/** What a provider says about a user. */
export interface AssertedIdentity {
  /** The user's id at the provider: `sub`, which is never reassigned (OpenID Connect Core §2) */
  readonly subject: string
  readonly email: string | null
  /** `email_verified`; null if the provider does not say */
  readonly emailVerified: boolean | null
  readonly profile: AssertedProfile
  /** Values of the groups claim; null if there is no such claim */
  readonly groups: readonly string[] | null
  /** `acr` and `amr` */
  readonly authentication: readonly string[]
}

/** The fields of a profile that a provider can supply. */
export interface AssertedProfile {
  readonly name?: string
  readonly givenName?: string
  readonly familyName?: string
  readonly department?: string
  readonly title?: string
}

export type Claims = Readonly<Record<string, unknown>>

/** As the API limits them */
const MAX_LENGTH = 200
const MAX_SUBJECT = 255
const MAX_ADDRESS = 254
const MAX_GROUPS = 1000

/** One @, no spaces or control characters, and a domain: everything else is compared with known values. */
const ADDRESS = /^[^\s@\p{C}"(),:;<>[\]\\]{1,64}@[^\s@\p{C}"(),:;<>[\]\\]{1,253}$/u

const claim = (claims: Claims, name: string | undefined): unknown =>
  name !== undefined && Object.hasOwn(claims, name) ? claims[name] : undefined

/** A line of text, or undefined: no control characters, no spaces around it, not too long. */
const line = (value: unknown): string | undefined => {
  if (typeof value !== 'string' || !isStorable(value)) return undefined
  const text = value.replaceAll(/\p{Cc}+/gu, ' ').trim()
  return text === '' || text.length > MAX_LENGTH ? undefined : text
}

const address = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= MAX_ADDRESS && ADDRESS.test(value) ? value : null

/** Some providers send booleans as text or numbers. */
const flag = (value: unknown): boolean | null => {
  if (value === true || value === 'true' || value === 1 || value === '1') return true
  return value === undefined || value === null ? null : false
}

const list = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((each): each is string => typeof each === 'string')

/** Microsoft Entra ID says with `xms_edov` whether the tenant owns the domain of an address. */
const verification = (claims: Claims): boolean | null =>
  flag(claim(claims, 'email_verified')) ?? flag(claim(claims, 'xms_edov'))

const FIELDS = ['name', 'givenName', 'familyName', 'department', 'title'] as const

/** @returns null without a usable `sub` */
export const identityIn = (claims: Claims, mapping: AttributeMapping): AssertedIdentity | null => {
  const subject = claim(claims, 'sub')
  if (typeof subject !== 'string' || subject === '' || subject.length > MAX_SUBJECT || !isStorable(subject))
    return null
  const groups = claim(claims, mapping.groups)
  const profile = FIELDS.flatMap((field) => {
    const value = line(claim(claims, mapping[field]))
    return value === undefined ? [] : [[field, value] as const]
  })
  return {
    subject,
    email: address(claim(claims, mapping.email)),
    emailVerified: verification(claims),
    profile: Object.fromEntries(profile),
    groups: groups === undefined ? null : list(groups).slice(0, MAX_GROUPS),
    authentication: [...list(claim(claims, 'acr')), ...list(claim(claims, 'amr'))],
  }
}

/** Returns the domain of an address, in lower case; '' for null. */
export const domainOf = (email: string | null): string => email?.split('@').at(-1)?.toLowerCase() ?? ''
