/**
 * OpenID Connect Core §3.1.2.3, §3.1.2.6: whether the person must sign in (again) before the request may go on.
 * prompt=none never shows a page; login and select_account ask for a sign-in made for this request; max_age asks for
 * one that is recent; an id_token_hint asks for that very person.
 */
import type { Instant } from '../time.ts'
import type { AuthorizationRequest } from './authorization-request.ts'

export interface SignedIn {
  readonly userId: string
  readonly authTime: Instant
}

export type SignInNeed =
  | { readonly need: 'none' }
  /** `again`: someone is signed in, but that does not do. */
  | { readonly need: 'sign_in'; readonly again: boolean }
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
  { prompts }: Pick<AuthorizationRequest, 'prompts'>,
  { session, askedAt, notBefore, hintedUserId }: Facts,
): SignInNeed => {
  const silent = prompts.includes('none')
  const signIn = (again: boolean): SignInNeed =>
    silent
      ? { need: 'refuse', description: 'the person has to sign in, which prompt=none forbids' }
      : { need: 'sign_in', again }
  if (session === null) return signIn(false)
  const isForThis = session.authTime > askedAt
  if (hintedUserId !== null && hintedUserId !== session.userId)
    return isForThis
      ? { need: 'refuse', description: 'someone else than id_token_hint names signed in' }
      : signIn(true)
  if (isForThis) return { need: 'none' }
  if (prompts.includes('login') || prompts.includes('select_account')) return signIn(true)
  return notBefore !== null && session.authTime < notBefore ? signIn(true) : { need: 'none' }
}
