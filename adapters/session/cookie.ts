import { parseCookie, stringifySetCookie } from 'cookie'
import type pg from 'pg'
import { liveSession, type LiveSession } from '../../read-models/queries/sign-in-state.ts'
import type { Clock } from '../clock.ts'
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

export interface SessionLookup {
  /** The session in force that the Cookie header names; null for none. */
  readonly fromCookie: (header: string | undefined) => Promise<LiveSession | null>
}

export const sessionLookup = (pool: pg.Pool, clock: Clock): SessionLookup => ({
  fromCookie: async (header) => {
    const token = header === undefined ? undefined : parseCookie(header)[SESSION_COOKIE]
    if (token === undefined || token === '') return null
    return liveSession(pool, hashSecret(token), clock.now())
  },
})
