/**
 * OpenID Connect Core §3.1.2.3, §3.1.2.6: whether the person must sign in (again) before the request may go on.
 * prompt=none never shows a page; login and select_account ask for a sign-in made for this request; max_age asks for
 * one that is recent; an id_token_hint asks for that very person; acr_values would like a strong one, and make do with
 * what they get.
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

/** Why the session that is there does not do. */
export type SignInReason = 'ERR_REAUTH_REQUIRED' | 'ERR_STRONGER_AUTH_REQUIRED'

export type SignInNeed =
  | { readonly need: 'none' }
  /** `reason` is null when nobody is signed in. */
  | { readonly need: 'sign_in'; readonly reason: SignInReason | null }
  | { readonly need: 'refuse'; readonly description: string }

interface Facts {
  readonly session: SignedIn | null
  /** When the application first asked. */
  readonly askedAt: Instant
  /** `max_age` seconds ago, when it is asked for. */
  readonly notBefore: Instant | null
  /** Whom a valid `id_token_hint` names. */
  readonly hintedUserId: string | null
}

export const signInNeed = (
  { prompts, acrValues }: Pick<AuthorizationRequest, 'prompts' | 'acrValues'>,
  { session, askedAt, notBefore, hintedUserId }: Facts,
): SignInNeed => {
  const silent = prompts.includes('none')
  const signIn = (reason: SignInReason | null): SignInNeed =>
    silent
      ? { need: 'refuse', description: 'the person has to sign in, which prompt=none forbids' }
      : { need: 'sign_in', reason }
  if (session === null) return signIn(null)
  const isForThis = session.authTime > askedAt
  if (hintedUserId !== null && hintedUserId !== session.userId)
    return isForThis
      ? { need: 'refuse', description: 'someone else than id_token_hint names signed in' }
      : signIn('ERR_REAUTH_REQUIRED')
  if (isForThis) return { need: 'none' }
  if (prompts.includes('login') || prompts.includes('select_account')) return signIn('ERR_REAUTH_REQUIRED')
  if (notBefore !== null && session.authTime < notBefore) return signIn('ERR_REAUTH_REQUIRED')
  return silent || isStrongEnough(session.strength, acrValues)
    ? { need: 'none' }
    : signIn('ERR_STRONGER_AUTH_REQUIRED')
}
