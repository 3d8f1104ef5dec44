/**
 * Notices requests that were forwarded by a peer that is not declared as a proxy. What such a peer says of where requests
 * come from is not believed, so that everybody behind it shares its address, and with it every limit by network.
 */
import type { IncomingMessage } from 'node:http'
import { boundedCache } from '../../kernel/bounded-cache.ts'
import { normaliseAddress, type IsTrusted } from '../../kernel/client-ip.ts'

const HOUR_MS = 3_600_000

/** Peers told of within an hour: anybody can send the headers, and nobody may fill the log with it. */
const MAX_PEERS = 100

export const undeclaredProxies = (
  isTrusted: IsTrusted,
  { warn, count }: { readonly warn: (fields: object, message: string) => void; readonly count: () => void },
) => {
  const told = boundedCache<true>(MAX_PEERS, { ttl: HOUR_MS })
  return (request: Pick<IncomingMessage, 'headers' | 'socket'>): void => {
    const { forwarded, 'x-forwarded-for': forwardedFor } = request.headers
    if (forwarded === undefined && forwardedFor === undefined) return
    const peer = normaliseAddress(request.socket.remoteAddress ?? '')
    if (peer === undefined || isTrusted(peer)) return
    count()
    told.purgeStale()
    if (told.has(peer) || told.size >= MAX_PEERS) return
    told.set(peer, true)
    warn(
      { peer, setting: 'SVC_TRUSTED_PROXIES' },
      'requests arrive through a proxy that is not declared: until its address is in SVC_TRUSTED_PROXIES, everyone behind it counts as one client',
    )
  }
}
