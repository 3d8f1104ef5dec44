/**
 * Limits on connections. The server has a maximum; once half of it is in use, no network may have more than
 * an eighth, so that a client that opens many connections only affects itself. Trusted proxies carry many
 * clients and are exempt.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { sendText } from './respond.ts'
import { networkOf, normaliseAddress, type IsTrusted } from '../../kernel/client-ip.ts'

const SECOND = 1000

/** Maximum bytes of the request line and all headers. Node returns 431 for more. */
export const MAX_HEADER_BYTES = 16 * 1024
const MAX_HEADERS = 100

/** Options for `createServer`: the header limit, and how often Node checks for timeouts. */
export const serverOptions = {
  maxHeaderSize: MAX_HEADER_BYTES,
  connectionsCheckingInterval: SECOND,
} as const

export interface ConnectionLimits {
  /** Maximum number of concurrent connections */
  readonly max: number
  readonly isTrusted: IsTrusted
  /** Whether requests come through proxies, which keep connections open */
  readonly behindProxy: boolean
}

/** Sets the limits of a server before it listens. */
export const limitConnections = (server: Server, { max, isTrusted, behindProxy }: ConnectionLimits): void => {
  server.maxConnections = max
  // Until the last byte of the headers; also the time that a connection may stay open without a first request.
  server.headersTimeout = 10 * SECOND
  // Until the last byte of the body; the body reader has a lower limit.
  server.requestTimeout = 60 * SECOND
  // If the service closed a connection just as a proxy sends a request, the proxy would return 502. So the service
  // keeps it open for longer than proxies do.
  server.keepAliveTimeout = (behindProxy ? 75 : 5) * SECOND
  // One more than allowed: Node drops headers above the limit, and a request without its last headers would
  // be a different one.
  server.maxHeadersCount = MAX_HEADERS + 1

  const held = new Map<string, number>()
  let all = 0
  server.on('connection', (socket: Socket) => {
    const address = normaliseAddress(socket.remoteAddress ?? '')
    if (address === undefined || isTrusted(address)) return
    const network = networkOf(address)
    const its = held.get(network) ?? 0
    if (all >= max / 2 && its >= max / 8) {
      socket.destroy()
      return
    }
    all++
    held.set(network, its + 1)
    socket.once('close', () => {
      all--
      const left = (held.get(network) ?? 1) - 1
      if (left === 0) held.delete(network)
      else held.set(network, left)
    })
  })
}

/** Rejects a request with too many headers: returns 431 and closes its connection. */
export const refusesHeaders = (request: IncomingMessage, response: ServerResponse): boolean => {
  if (request.rawHeaders.length <= 2 * MAX_HEADERS) return false
  sendText(response, 431, 'too many headers', { Connection: 'close' })
  return true
}
