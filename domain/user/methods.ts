/** Sign-in methods of a user, and the rules for adding and removing them. */
import { accept, refuse, type Decision } from '../decider.ts'
import type { Instant } from '../time.ts'
import type { OwnMethod, UserEvent } from './events.ts'
import type { UserState } from './state.ts'

/** The maximum number of authenticator apps per user; a code is checked against each. */
export const MAX_AUTHENTICATORS = 5

export const methodAdded = (userId: string, method: OwnMethod): UserEvent => {
  if (method.methodType !== 'authenticator_code')
    return { type: 'user.method_added', data: { userId, ...method } }
  const { methodId, name, sealedSecret } = method
  return { type: 'user.authenticator_added', data: { userId, methodId, name, sealedSecret } }
}

/** Why a method cannot be added; null if it can. */
export const methodProblem = (
  method: OwnMethod,
  { methods }: UserState,
): ReturnType<typeof refuse> | null => {
  // The encrypted ceremony contains the method's id, so a second use of the ceremony is detected here.
  if (methods.some(({ methodId }) => methodId === method.methodId)) return refuse('ERR_CEREMONY_EXPIRED')
  if (method.methodType === 'authenticator_code')
    return methods.filter(({ methodType }) => methodType === 'authenticator_code').length < MAX_AUTHENTICATORS
      ? null
      : refuse(
          'ERR_CONFLICT',
          `An account has at most ${String(MAX_AUTHENTICATORS)} authenticator apps. Remove one first.`,
        )
  return methods.some(({ credentialId }) => credentialId === method.credentialId)
    ? refuse('ERR_REGISTRATION_FAILED', 'This passkey is already registered.')
    : null
}

/**
 * Recovery codes and sign-in links open the account, but cannot be its only method. A linked account counts while its
 * provider is enabled.
 */
export const waysIn = (
  { methods, linkedAccounts }: UserState,
  enabledProviderIds: readonly string[],
): number =>
  methods.length +
  linkedAccounts.filter(({ identityProviderId }) => enabledProviderIds.includes(identityProviderId)).length

export const codesGenerated = (userId: string, hashes: readonly string[]): UserEvent => ({
  type: 'user.recovery_codes_generated',
  data: { userId, hashes },
})

/** @param recoveryCodes keyed hashes of new codes for a user who has none left */
export const addMethod = (
  userId: string,
  { method, recoveryCodes }: { readonly method: OwnMethod; readonly recoveryCodes?: readonly string[] },
  state: UserState,
): Decision<UserEvent> => {
  if (state.status === 'suspended') return refuse('ERR_ACCOUNT_SUSPENDED')
  if (state.status === 'invited') return refuse('ERR_CONFLICT', 'This user has not enrolled yet.')
  const needed = recoveryCodes !== undefined && state.recoveryCodes.length === 0
  return (
    methodProblem(method, state) ??
    accept<UserEvent>(methodAdded(userId, method), ...(needed ? [codesGenerated(userId, recoveryCodes)] : []))
  )
}

export const renameMethod = (
  userId: string,
  methodId: string,
  name: string,
  state: UserState,
): Decision<UserEvent> => {
  const method = state.methods.find((m) => m.methodId === methodId)
  if (method === undefined) return refuse('ERR_NOT_FOUND')
  if (method.name === name) return accept()
  return accept({ type: 'user.method_renamed', data: { userId, methodId, name } })
}

export const removeMethod = (
  userId: string,
  methodId: string,
  enabledProviderIds: readonly string[],
  state: UserState,
): Decision<UserEvent> => {
  const method = state.methods.find((m) => m.methodId === methodId)
  if (method === undefined) return refuse('ERR_NOT_FOUND')
  const remaining = state.methods.filter((each) => each !== method)
  if (waysIn({ ...state, methods: remaining }, enabledProviderIds) === 0) return refuse('ERR_LAST_METHOD')
  const { methodType } = method
  return accept({ type: 'user.method_removed', data: { userId, methodId, methodType } })
}

export const generateRecoveryCodes = (
  userId: string,
  hashes: readonly string[],
  state: UserState,
): Decision<UserEvent> => {
  if (state.status === 'suspended') return refuse('ERR_ACCOUNT_SUSPENDED')
  if (state.status === 'invited') return refuse('ERR_CONFLICT', 'This user has not enrolled yet.')
  return accept(codesGenerated(userId, hashes))
}

export const useRecoveryCode = (userId: string, hash: string, state: UserState): Decision<UserEvent> => {
  if (state.status !== 'active' || !state.recoveryCodes.includes(hash)) return refuse('ERR_CODE_MISMATCH')
  return accept({ type: 'user.recovery_code_used', data: { userId, hash } })
}

/** Rejected attempts do not extend a lockout in progress. */
export const lockOut = (
  userId: string,
  { now, until }: { readonly now: Instant; readonly until: Instant },
  state: UserState,
): Decision<UserEvent> => {
  if (state.lockedUntil !== null && state.lockedUntil > now) return accept()
  return accept({ type: 'user.locked_out', data: { userId, until } })
}

export const expireLockout = (
  userId: string,
  now: Instant,
  { lockedUntil }: UserState,
): Decision<UserEvent> =>
  lockedUntil === null || lockedUntil > now
    ? accept()
    : accept({ type: 'user.lockout_expired', data: { userId } })
