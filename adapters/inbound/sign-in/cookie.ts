import { liveSessions, type LiveSession } from '../../../read-models/queries/sign-in-state.ts'
import type { Services } from '../../application/services/services.ts'
import { coalesced } from '../../kernel/coalesce.ts'
import { ownCookie, readCookies, SESSION_COOKIE, setCookie } from '../http/cookies.ts'
import { sessionMoment } from '../../application/services/moment.ts'
import { hashSecret } from '../../engines/vault/hash.ts'

/** Returns `Set-Cookie` for a session. */
export const sessionCookie = (token: string, expiresAt: string, publicUrl: string): string =>
  setCookie({ name: SESSION_COOKIE, value: token, end: { expires: new Date(expiresAt) } }, publicUrl)

/** Returns `Set-Cookie` that removes the session's cookie. */
export const noSessionCookie = (publicUrl: string): string =>
  sessionCookie('', new Date(0).toISOString(), publicUrl)

/** Returns the secret of a session in a browser's Cookie header; null for none. */
export const sessionSecretIn = (header: string | undefined, publicUrl: string): string | null =>
  ownCookie(readCookies(header), SESSION_COOKIE, publicUrl) ?? null

export interface SessionLookup {
  /** Returns the active session in the Cookie header; null if there is none */
  readonly fromCookie: (header: string | undefined) => Promise<LiveSession | null>
}

type LookupDeps = Pick<Services, 'lookups' | 'clock' | 'development' | 'configuration'>

/**
 * Returns the active session with this secret, read after the call; null if there is none. The configuration in memory
 * is then at least as recent as the session's data.
 */
export const sessionsBySecret = (services: LookupDeps): ((secret: string) => Promise<LiveSession | null>) => {
  const { lookups, configuration } = services
  const find = coalesced((hashes: readonly string[]) =>
    liveSessions(lookups, hashes, configuration.now().policyGroupIds, sessionMoment(services)),
  )
  return async (secret) => {
    const hash = hashSecret(secret)
    for (let known = configuration.now(); ;) {
      const session = await find(hash)
      const needed = session?.configurationPosition ?? ''
      const current = await configuration.atLeast(needed)
      // Policies that were not in memory may name other groups.
      if (known.position >= needed || current === known) return session
      known = current
    }
  }
}

export const sessionLookup = (services: LookupDeps & Pick<Services, 'publicUrl'>): SessionLookup => {
  const find = sessionsBySecret(services)
  return {
    fromCookie: async (header) => {
      const secret = sessionSecretIn(header, services.publicUrl)
      return secret === null ? null : find(secret)
    },
  }
}
