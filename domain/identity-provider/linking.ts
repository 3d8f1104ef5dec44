/**
 * Who signs in when an identity provider vouches for somebody. An account is linked by its address only if the
 * provider verified the address, and the organization has proved that the domain is its own and the provider's. So no
 * provider can take over accounts of other domains, and nobody who controls an unverified address can.
 */
import type { ErrorCode } from '../errors.ts'
import type { UserStatus } from '../user/state.ts'
import { domainOf, type AssertedIdentity } from './claims.ts'
import type { IdentityProviderFields } from './events.ts'

/** A user of this service, as the decision sees them. */
export interface KnownAccount {
  readonly userId: string
  readonly status: UserStatus
  /** Whether another account of the same provider is linked */
  readonly hasOtherLink: boolean
  /** Whether the user has another way to confirm that the account is theirs */
  readonly canConfirm: boolean
}

export type LinkingProvider = Pick<
  IdentityProviderFields,
  'linking' | 'provisioning' | 'trustEmailVerified' | 'domains'
>

export type LinkingDecision =
  /** The account is linked. */
  | { readonly decision: 'sign_in'; readonly userId: string }
  /** The first sign-in of an invited user */
  | { readonly decision: 'enroll'; readonly userId: string }
  /** Nothing but the provider identifies the user: they are linked without a question. */
  | { readonly decision: 'link'; readonly userId: string }
  /** The user confirms with an existing sign-in method, then the account is linked. */
  | { readonly decision: 'confirm'; readonly userId: string }
  /** A new account */
  | { readonly decision: 'create'; readonly email: string }
  | {
      readonly decision: 'refuse'
      readonly code: Extract<
        ErrorCode,
        'ERR_ACCOUNT_SUSPENDED' | 'ERR_NOT_LINKED' | 'ERR_EMAIL_NOT_VERIFIED' | 'ERR_DOMAIN_NOT_ALLOWED'
      >
      readonly userId: string | null
    }

/** Whether the provider has verified the address, as far as it is trusted to. */
export const vouchesForAddress = (
  { trustEmailVerified, domains }: Pick<LinkingProvider, 'trustEmailVerified' | 'domains'>,
  { email, emailVerified }: Pick<AssertedIdentity, 'email' | 'emailVerified'>,
): boolean => {
  if (!trustEmailVerified || email === null || emailVerified === false) return false
  // A provider that never says so is authoritative only for the organization's own domains.
  return emailVerified === true || domains.includes(domainOf(email))
}

const refusal = (
  code: Extract<LinkingDecision, { decision: 'refuse' }>['code'],
  userId: string | null = null,
): LinkingDecision => ({ decision: 'refuse', code, userId })

const byAddress = (provider: LinkingProvider, account: KnownAccount): LinkingDecision => {
  const { userId, status, hasOtherLink, canConfirm } = account
  if (status === 'suspended') return refusal('ERR_ACCOUNT_SUSPENDED', userId)
  // The address has another owner at the provider now: an administrator or the user must remove the old link first.
  if (provider.linking !== 'email_verified' || hasOtherLink) return refusal('ERR_NOT_LINKED', userId)
  if (status === 'invited') return { decision: 'enroll', userId }
  return { decision: canConfirm ? 'confirm' : 'link', userId }
}

/**
 * Decides about a sign-in.
 * @param provider its `domains` are only those that are verified now
 * @param linked the user of this account at the provider; null if it is not linked
 * @param atAddress the user with the asserted address; null if there is none
 */
export const decideLinking = (
  provider: LinkingProvider,
  asserted: Pick<AssertedIdentity, 'email' | 'emailVerified'>,
  linked: Pick<KnownAccount, 'userId' | 'status'> | null,
  atAddress: KnownAccount | null,
): LinkingDecision => {
  if (linked !== null)
    return linked.status === 'suspended'
      ? refusal('ERR_ACCOUNT_SUSPENDED', linked.userId)
      : { decision: 'sign_in', userId: linked.userId }
  const creates = provider.provisioning === 'jit'
  if (!creates && provider.linking !== 'email_verified') return refusal('ERR_NOT_LINKED')
  // From here, refusals do not depend on whether the address has an account.
  if (asserted.email === null || !vouchesForAddress(provider, asserted))
    return refusal('ERR_EMAIL_NOT_VERIFIED')
  if (!provider.domains.includes(domainOf(asserted.email))) return refusal('ERR_DOMAIN_NOT_ALLOWED')
  // The provider has proved that the address is the user's: an answer about it tells them nothing new.
  if (atAddress !== null) return byAddress(provider, atAddress)
  return creates ? { decision: 'create', email: asserted.email } : refusal('ERR_NOT_LINKED')
}
