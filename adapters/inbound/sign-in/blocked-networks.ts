/**
 * Refuses requests of users from blocked network zones before anything else is done for them. Costs one small query,
 * shared by concurrent requests. Requests with a session are decided with the data of the session instead.
 */
import { boundedCache } from '../../kernel/bounded-cache.ts'
import { networkOf } from '../../kernel/client-ip.ts'
import { signInRecorder } from '../../application/commands/sign-ins.ts'
import type { Configuration } from '../../application/services/configuration.ts'
import type { Services } from '../../application/services/services.ts'
import type { RequestOrigin } from '../http/request-origin.ts'

/** Each network is recorded once in this time, so that anonymous requests cannot fill the log. */
const RECORDED_MS = 60_000

/** Returns whether a request is refused, which is recorded. */
export type RefusesNetwork = (origin: RequestOrigin) => Promise<boolean>

export const blockedNetworks = (
  services: Pick<Services, 'configuration' | 'handle' | 'locate'>,
  onError: (error: unknown, requestId: string) => void,
): RefusesNetwork => {
  const record = signInRecorder(services)
  const recorded = boundedCache<true>(10_000, { ttl: RECORDED_MS })
  const isBlocked = ({ hasBlockedZones, zonesAt }: Configuration, ip: string): boolean =>
    hasBlockedZones && zonesAt(ip).some(({ blocked }) => blocked)
  return async ({ ip, userAgent, requestId }) => {
    const { configuration: cache } = services
    // During an outage, the request itself fails where it needs the database.
    if (!isBlocked(await cache.fresh().catch(() => cache.now()), ip)) return false
    const network = networkOf(ip)
    if (!recorded.has(network)) {
      recorded.set(network, true)
      const nobody = { userId: null, email: null, appId: null, method: null }
      record(
        { ...nobody, result: 'failure', reason: 'blocked_by_policy' },
        { ip, userAgent, correlationId: requestId },
      ).catch((error: unknown) => {
        onError(error, requestId)
      })
    }
    return true
  }
}
