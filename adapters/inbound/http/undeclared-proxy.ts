/**
 * Detects requests that were forwarded by an undeclared proxy. Its forwarding headers are not trusted, so all clients
 * behind it share its address, and every limit by network.
 */
import type { IncomingMessage } from 'node:http'
import { boundedCache } from '../../kernel/bounded-cache.ts'
import { normaliseAddress, type IsTrusted } from '../../kernel/client-ip.ts'

const HOUR_MS = 3_600_000

/** Maximum number of peers reported per hour: anyone can send the headers, and must not be able to flood the log. */
const MAX_PEERS = 100

export const undeclaredProxies = (
  isTrusted: IsTrusted,
  { warn, count }: { readonly warn: (fields: object, message: string) => void; readonly count: () => void },
) => {
  const warnedPeers = boundedCache<true>(MAX_PEERS, { ttl: HOUR_MS })
  return (request: Pick<IncomingMessage, 'headers' | 'socket'>): void => {
    const { forwarded, 'x-forwarded-for': forwardedFor } = request.headers
    if (forwarded === undefined && forwardedFor === undefined) return
    const peer = normaliseAddress(request.socket.remoteAddress ?? '')
    if (peer === undefined || isTrusted(peer)) return
    count()
    warnedPeers.purgeStale()
    if (warnedPeers.has(peer) || warnedPeers.size >= MAX_PEERS) return
    warnedPeers.set(peer, true)
    warn(
      { peer, setting: 'SVC_TRUSTED_PROXIES' },
      'requests arrive through an undeclared proxy: until SVC_TRUSTED_PROXIES contains its address, all clients behind it count as one',
    )
  }
}
