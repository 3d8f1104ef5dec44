/** Sessions of this service that were opened by a provider, and that end when the provider says so. */
import { createHash } from 'node:crypto'
import type { ProviderSubject } from '../../../../domain/identity-provider/statements.ts'
import { sessionDecider, sessionStream } from '../../../../domain/session/decider.ts'
import { sessionsOfLink, type LinkedSession } from '../../../../read-models/queries/identity-providers.ts'
import type { Actor } from '../../services/handle.ts'
import type { Services } from '../../services/services.ts'
import { CLOCK_TOLERANCE } from './provider-protocol.ts'

/** How sessions record the session at the provider: `sid` (OpenID Connect Front-Channel Logout 1.0 §3), as a hash. */
export const providerSessionOf = (identityProviderId: string, sid: string): string =>
  createHash('sha256')
    .update(JSON.stringify([identityProviderId, sid]))
    .digest('base64url')

/** A session whose `sid` is unknown, because its provider sent none, may be the one that ended. */
const isMeant =
  (providerSession: string | null) =>
  (session: LinkedSession): boolean =>
    providerSession === null ||
    session.providerSession === providerSession ||
    session.providerSession === null

/**
 * Ends the sessions that a provider has opened and now ends.
 * @param saidAt when the provider said so, in seconds since 1970
 * @returns how many, once that is in effect everywhere
 */
export const endProviderSessions =
  ({ pool, clock, handle, inForce }: Pick<Services, 'pool' | 'clock' | 'handle' | 'inForce'>) =>
  async (
    identityProviderId: string,
    { subject, sid }: ProviderSubject,
    saidAt: number,
    actor: Actor,
  ): Promise<number> => {
    const providerSession = sid === null ? null : providerSessionOf(identityProviderId, sid)
    // A statement that is sent again ends nothing that began after it.
    const before = new Date((saidAt + CLOCK_TOLERANCE) * 1000).toISOString()
    const wanted = { identityProviderId, subject, providerSession }
    const sessions = await sessionsOfLink(pool, wanted, before, clock.now())
    const meant = sessions.filter(isMeant(providerSession))
    for (const { id: sessionId } of meant) {
      const end = { type: 'end', sessionId, reason: 'provider_logout' } as const
      const { change } = await handle(sessionDecider, sessionStream(sessionId), end, actor, {
        wait: 'left_to_caller',
      })
      await inForce(change)
    }
    return meant.length
  }
