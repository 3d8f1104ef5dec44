/** Accounts at identity providers that a user signs in with. */
import { accept, refuse, type Decision } from '../decider.ts'
import type { LinkedAccount, Profile, UserEvent } from './events.ts'
import { waysIn } from './methods.ts'
import type { UserState } from './state.ts'

/** Creates an account at the first sign-in of a user whom only the provider knows. */
export interface CreateFederatedCommand {
  readonly type: 'create_federated'
  readonly userId: string
  readonly profile: Profile
  readonly account: LinkedAccount
}

/** The first sign-in of an invited user, with the address that the provider verified. */
export interface EnrollFederatedCommand {
  readonly type: 'enroll_federated'
  readonly userId: string
  readonly email: string
  readonly account: LinkedAccount
}

const linked = (userId: string, account: LinkedAccount): UserEvent => ({
  type: 'user.linked_account_added',
  data: { userId, ...account },
})

const isSame = (a: LinkedAccount, b: LinkedAccount): boolean =>
  a.identityProviderId === b.identityProviderId && a.subject === b.subject

const verified = (userId: string): UserEvent => ({ type: 'user.email_verified', data: { userId } })
const enrolled = (userId: string): UserEvent => ({ type: 'user.enrolled', data: { userId } })

export const createFederated = (
  { userId, profile, account }: CreateFederatedCommand,
  state: UserState,
): Decision<UserEvent> => {
  if (state.status !== 'none') return refuse('ERR_CONFLICT', 'This user already exists.')
  return accept<UserEvent>(
    { type: 'user.invited', data: { userId, profile, source: 'identity_provider' } },
    verified(userId),
    linked(userId, account),
    enrolled(userId),
  )
}

export const enrollFederated = (
  { userId, email, account }: EnrollFederatedCommand,
  state: UserState,
): Decision<UserEvent> => {
  if (state.status === 'suspended') return refuse('ERR_ACCOUNT_SUSPENDED')
  // Decided from a read model: the user may have enrolled, or got another address, meanwhile.
  if (state.status !== 'invited' || state.profile.email?.toLowerCase() !== email.toLowerCase())
    return refuse('ERR_NOT_LINKED')
  return accept<UserEvent>(
    // Whoever has a copy of the invitation must not be able to add a sign-in method.
    ...(state.link === null
      ? []
      : [
          {
            type: 'user.enrollment_link_redeemed' as const,
            data: { userId, tokenHash: state.link.tokenHash },
          },
        ]),
    ...(state.emailVerified ? [] : [verified(userId)]),
    linked(userId, account),
    enrolled(userId),
  )
}

export const linkAccount = (
  userId: string,
  account: LinkedAccount,
  state: UserState,
): Decision<UserEvent> => {
  if (state.status === 'suspended') return refuse('ERR_ACCOUNT_SUSPENDED')
  if (state.status === 'invited') return refuse('ERR_CONFLICT', 'This user has not enrolled yet.')
  return state.linkedAccounts.some((other) => isSame(other, account))
    ? accept()
    : accept(linked(userId, account))
}

export const unlinkAccount = (
  userId: string,
  linkId: string,
  enabledProviderIds: readonly string[],
  state: UserState,
): Decision<UserEvent> => {
  const remaining = state.linkedAccounts.filter((each) => each.linkId !== linkId)
  if (remaining.length === state.linkedAccounts.length) return refuse('ERR_NOT_FOUND')
  if (waysIn({ ...state, linkedAccounts: remaining }, enabledProviderIds) === 0)
    return refuse('ERR_LAST_METHOD')
  return accept({ type: 'user.linked_account_removed', data: { userId, linkId } })
}
