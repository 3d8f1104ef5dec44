/** OpenID Connect Core §5.1, §5.4: the claims of each scope. ID tokens and userinfo have the same claims. */

import { isUnreadableAddress } from '../user/unreadable.ts'

/** The user and session data for claims. */
export interface ClaimFacts {
  readonly email: string
  readonly emailVerified: boolean
  readonly name: string
  readonly givenName: string | null
  readonly familyName: string | null
  readonly phone: string | null
  /** BCP 47. */
  readonly locale: string | null
  /** IANA. */
  readonly timeZone: string | null
  /** When the profile last changed; null if it is not known. */
  readonly updatedAt: string | null
  /** RFC 8176 values of the session. */
  readonly amr: readonly string[]
  /** Names of all groups of the user, from any source; needed only with scope `groups` */
  readonly groups: readonly string[]
}

export interface PersonClaims {
  readonly sub: string
  readonly amr: readonly string[]
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
  readonly preferred_username?: string
  readonly given_name?: string
  readonly family_name?: string
  readonly locale?: string
  readonly zoneinfo?: string
  /** Seconds since 1970. */
  readonly updated_at?: number
  readonly phone_number?: string
  readonly phone_number_verified?: false
  readonly groups?: readonly string[]
}

/** Names in code point order, so that equal groups give equal claims. */
const sorted = (names: readonly string[]): readonly string[] =>
  [...new Set(names)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))

const textClaims = (facts: ClaimFacts): Partial<PersonClaims> => ({
  ...(facts.givenName === null ? {} : { given_name: facts.givenName }),
  ...(facts.familyName === null ? {} : { family_name: facts.familyName }),
  ...(facts.locale === null ? {} : { locale: facts.locale }),
  ...(facts.timeZone === null ? {} : { zoneinfo: facts.timeZone }),
  ...(facts.updatedAt === null ? {} : { updated_at: Math.floor(Date.parse(facts.updatedAt) / 1000) }),
})

/** Name and address, unless they are unreadable: an application must not store a placeholder address. */
const profileClaims = (scopes: readonly string[], facts: ClaimFacts): Partial<PersonClaims> =>
  isUnreadableAddress(facts.email)
    ? {}
    : {
        ...(scopes.includes('email') ? { email: facts.email, email_verified: facts.emailVerified } : {}),
        ...(scopes.includes('profile')
          ? { name: facts.name, preferred_username: facts.email, ...textClaims(facts) }
          : {}),
        ...(scopes.includes('phone') && facts.phone !== null
          ? { phone_number: facts.phone, phone_number_verified: false as const }
          : {}),
      }

export const claimsFor = (scopes: readonly string[], userId: string, facts: ClaimFacts): PersonClaims => ({
  sub: userId,
  amr: facts.amr,
  ...profileClaims(scopes, facts),
  ...(scopes.includes('groups') ? { groups: sorted(facts.groups) } : {}),
})

/** Every claim that an ID token or userinfo can have. */
export const claimNames: readonly string[] = [
  'iss',
  'sub',
  'aud',
  'azp',
  'exp',
  'iat',
  'auth_time',
  'nonce',
  'acr',
  'amr',
  'sid',
  'at_hash',
  'email',
  'email_verified',
  'name',
  'preferred_username',
  'given_name',
  'family_name',
  'locale',
  'zoneinfo',
  'updated_at',
  'phone_number',
  'phone_number_verified',
  'groups',
]
