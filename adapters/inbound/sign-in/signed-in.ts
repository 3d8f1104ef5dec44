import type { StartedSession } from '../../application/commands/sessions.ts'
import type { Reply } from '../http/route.ts'
import { sessionCookie } from './cookie.ts'

export interface SignedInBody {
  readonly status: 'signed_in'
  readonly user: { readonly id: string; readonly name: string; readonly email: string }
  readonly redirectTo: string
}

/**
 * Returns the response to a completed sign-in: the session's cookie, and where to continue.
 * @param cookies `Set-Cookie` values besides the session's
 */
export const signedIn = (
  publicUrl: string,
  { id, name, email }: SignedInBody['user'],
  { token, expiresAt }: Pick<StartedSession, 'token' | 'expiresAt'>,
  redirectTo: string,
  cookies: readonly string[] = [],
): Reply<SignedInBody> => ({
  body: { status: 'signed_in', user: { id, name, email }, redirectTo },
  headers: { 'Set-Cookie': [sessionCookie(token, expiresAt, publicUrl), ...cookies] },
})
