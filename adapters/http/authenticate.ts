import type pg from 'pg'
import { isId } from '../../domain/ids.ts'
import type { Clock } from '../clock.ts'
import { sessionsBySecret } from '../session/cookie.ts'
import type { Authenticate } from './identify.ts'

/** Checks the credentials that this service accepts on its JSON API: today the session cookie. @param seen told of each session used */
export const authenticator = (
  pool: pg.Pool,
  clock: Clock,
  seen: (sessionId: string) => void,
): Authenticate => {
  const find = sessionsBySecret(pool, clock)
  return async ({ kind, secret }) => {
    if (kind !== 'session') return undefined
    const session = await find(secret)
    if (session === null || !isId('user', session.userId) || !isId('session', session.sessionId))
      return undefined
    seen(session.sessionId)
    return {
      kind: 'session',
      userId: session.userId,
      sessionId: session.sessionId,
      name: session.name,
      email: session.email,
      roles: session.roles,
      authTime: session.authTime,
      strength: session.strength,
    }
  }
}
