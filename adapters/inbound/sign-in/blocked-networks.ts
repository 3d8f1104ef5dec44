/**
 * Refuses requests of users from blocked network zones before anything else is done for them. Other requests cost no
 * query: the configuration in memory decides, and a sign-in checks the current one again.
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
    const { configuration } = services
    // A zone that is no longer blocked must not refuse anyone.
    if (!isBlocked(configuration.now(), ip) || !isBlocked(await configuration.fresh(), ip)) return false
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
