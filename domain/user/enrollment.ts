/** Enrolment links, with which users set up their first sign-in method, and the other emails to them. */
import { accept, refuse, type Decision } from '../decider.ts'
import type { Instant } from '../time.ts'
import type { LinkKind, OwnMethod, OwnProfile, UserEvent } from './events.ts'
import { codesGenerated, methodAdded, methodProblem } from './methods.ts'
import { isPlaceholderAddress } from './placeholder.ts'
import { updateProfile } from './profile.ts'
import type { UserState } from './state.ts'

export interface NewLink {
  readonly tokenHash: string
  /** Hash of the token that is sent by email; null if none is sent */
  readonly mailedTokenHash: string | null
  readonly expiresAt: Instant
}

/** Redeems a link with a first sign-in method. */
export interface EnrollCommand {
  readonly type: 'enroll'
  readonly userId: string
  readonly tokenHash: string
  readonly now: Instant
  readonly method: OwnMethod
  /** Keyed hashes of the recovery codes created with the method. */
  readonly recoveryCodes?: readonly string[]
  /** The profile, if the account was created without one. */
  readonly profile?: OwnProfile
}

/** Only a link for an address that may receive it is emailed. */
export const linkIssued = (
  userId: string,
  { kind, resent = false }: { readonly kind: LinkKind; readonly resent?: boolean },
  link: NewLink,
  { email = '', verified }: { readonly email: string | undefined; readonly verified: boolean },
): UserEvent => {
  // An invitation verifies an address; a reset opens an account that is in use.
  const isMailed = !isPlaceholderAddress(email) && (kind === 'invite' || verified)
  const { tokenHash, expiresAt } = link
  const mailedTokenHash = isMailed ? link.mailedTokenHash : null
  return {
    type: 'user.enrollment_link_issued',
    data: { userId, kind, tokenHash, mailedTokenHash, expiresAt, resent },
  }
}

/** Whether an email was sent after roles were last added to the user, and to the current address. */
export const isProofInForce = (
  { email, raises }: { readonly email: string; readonly raises: number },
  state: UserState,
): boolean => state.profile.email === email && state.raises === raises

/**
 * The enrolment of an account with a placeholder address requires a profile; any other enrolment rejects one.
 * @param email of the account
 */
export const introductionProblem = (
  email: string | undefined,
  profile: OwnProfile | undefined,
): ReturnType<typeof refuse> | null => {
  const needsProfile = isPlaceholderAddress(email ?? '')
  if (needsProfile === (profile !== undefined)) return null
  return needsProfile
    ? refuse('ERR_INVALID', 'profile: expected the name and email address of the administrator', '/profile')
    : refuse('ERR_INVALID', 'profile: this account already has a name and an email address', '/profile')
}

const introduce = (userId: string, profile: OwnProfile | undefined, state: UserState): Decision<UserEvent> =>
  introductionProblem(state.profile.email, profile) ??
  (profile === undefined ? accept() : updateProfile({ ...profile }, userId, state))

export const enroll = (
  { userId, tokenHash, now, method, recoveryCodes, profile }: EnrollCommand,
  state: UserState,
): Decision<UserEvent> => {
  const { link } = state
  if (link === null || now >= link.expiresAt) return refuse('ERR_LINK_EXPIRED')
  const mailed = tokenHash === link.mailedTokenHash
  if (!mailed && tokenHash !== link.tokenHash) return refuse('ERR_LINK_EXPIRED')
  if (state.status === 'suspended') return refuse('ERR_ACCOUNT_SUSPENDED')
  const problem = methodProblem(method, state)
  if (problem !== null) return problem
  const introduced = introduce(userId, profile, state)
  if ('refusal' in introduced) return introduced
  return accept<UserEvent>(
    ...introduced.events,
    { type: 'user.enrollment_link_redeemed', data: { userId, tokenHash } },
    methodAdded(userId, method),
    ...(recoveryCodes === undefined ? [] : [codesGenerated(userId, recoveryCodes)]),
    // Only a reader of the user's mailbox has that token.
    ...(mailed && !state.emailVerified && profile === undefined
      ? [{ type: 'user.email_verified' as const, data: { userId } }]
      : []),
    ...(state.status === 'invited' ? [{ type: 'user.enrolled' as const, data: { userId } }] : []),
  )
}
