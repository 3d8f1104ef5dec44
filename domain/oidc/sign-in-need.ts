/**
 * OpenID Connect Core §3.1.2.3, §3.1.2.6: whether the user must sign in (again) before the request can
 * continue. prompt=none never shows a page; login and select_account require a sign-in for this request;
 * max_age requires a recent one; an id_token_hint requires that user; acr_values prefer a strong one, but
 * accept any.
 */
import type { Strength } from '../session/events.ts'
import type { Instant } from '../time.ts'
import { isStrongEnough } from './acr.ts'
import type { AuthorizationRequest } from './authorization-request.ts'

export interface SignedIn {
  readonly userId: string
  readonly authTime: Instant
  readonly strength: Strength
}

/** Why the existing session is not sufficient. */
export type SignInReason = 'ERR_REAUTH_REQUIRED' | 'ERR_STRONGER_AUTH_REQUIRED'

export type SignInNeed =
  | { readonly need: 'none' }
  /** `reason` is null if no user is signed in. */
  | { readonly need: 'sign_in'; readonly reason: SignInReason | null }
  | { readonly need: 'refuse'; readonly description: string }

interface Facts {
  readonly session: SignedIn | null
  /** Time of the application's first request. */
  readonly requestedAt: Instant
  /** `max_age` seconds ago, if requested. */
  readonly notBefore: Instant | null
  /** The user in a valid `id_token_hint`. */
  readonly hintedUserId: string | null
}

export const signInNeed = (
  { prompts, acrValues }: Pick<AuthorizationRequest, 'prompts' | 'acrValues'>,
  { session, requestedAt, notBefore, hintedUserId }: Facts,
): SignInNeed => {
  const silent = prompts.includes('none')
  const signIn = (reason: SignInReason | null): SignInNeed =>
    silent
      ? { need: 'refuse', description: 'the user must sign in, which prompt=none forbids' }
      : { need: 'sign_in', reason }
  if (session === null) return signIn(null)
  const isForThis = session.authTime > requestedAt
  if (hintedUserId !== null && hintedUserId !== session.userId)
    return isForThis
      ? { need: 'refuse', description: 'the signed-in user is not the one in id_token_hint' }
      : signIn('ERR_REAUTH_REQUIRED')
  if (isForThis) return { need: 'none' }
  if (prompts.includes('login') || prompts.includes('select_account')) return signIn('ERR_REAUTH_REQUIRED')
  if (notBefore !== null && session.authTime < notBefore) return signIn('ERR_REAUTH_REQUIRED')
  return silent || isStrongEnough(session.strength, acrValues)
    ? { need: 'none' }
    : signIn('ERR_STRONGER_AUTH_REQUIRED')
}
