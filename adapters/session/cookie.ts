import { parseCookie, stringifySetCookie } from 'cookie'
import type pg from 'pg'
import { liveSessions, type LiveSession } from '../../read-models/queries/sign-in-state.ts'
import type { Clock } from '../clock.ts'
import { coalesced } from '../coalesce.ts'
import { hashSecret } from '../vault/hash.ts'

export const SESSION_COOKIE = 'svc_session'

/** `Set-Cookie` for a session: HttpOnly, Lax, Secure unless the service is on plain http (localhost only). */
export const sessionCookie = (token: string, expiresAt: string, publicUrl: string): string =>
  stringifySetCookie({
    name: SESSION_COOKIE,
    value: token,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: publicUrl.startsWith('https:'),
    expires: new Date(expiresAt),
  })

/** `Set-Cookie` that removes the session's cookie. */
export const noSessionCookie = (publicUrl: string): string =>
  sessionCookie('', new Date(0).toISOString(), publicUrl)

/** The secret of a session that the Cookie header brings; null for none. */
export const sessionSecretIn = (header: string | undefined): string | null => {
  const secret = header === undefined ? undefined : parseCookie(header)[SESSION_COOKIE]
  return secret === undefined || secret === '' ? null : secret
}

export interface SessionLookup {
  /** The session in force that the Cookie header names; null for none. */
  readonly fromCookie: (header: string | undefined) => Promise<LiveSession | null>
}

/** The session in force with this secret, as of a statement that began after the call; null for none. */
export const sessionsBySecret = (
  pool: pg.Pool,
  clock: Clock,
): ((secret: string) => Promise<LiveSession | null>) => {
  const find = coalesced((hashes: readonly string[]) => liveSessions(pool, hashes, clock.now()))
  return (secret) => find(hashSecret(secret))
}

export const sessionLookup = (pool: pg.Pool, clock: Clock): SessionLookup => {
  const find = sessionsBySecret(pool, clock)
  return {
    fromCookie: async (header) => {
      const secret = sessionSecretIn(header)
      return secret === null ? null : find(secret)
    },
  }
}
