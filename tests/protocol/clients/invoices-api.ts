/**
 * An API as application developers would write it: with jose, the service's key set, and its own check of the scope.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import { API, READ } from './support.ts'

export interface InvoicesApi {
  /**
   * Returns the response to a caller with this token.
   * @param secondsFromNow how far the API's clock is ahead of ours
   */
  readonly call: (token: string, secondsFromNow?: number) => Promise<{ status: number; reason: string }>
  readonly stop: () => Promise<void>
}

/**
 * Responds to GET with 200 for tokens with the scope, 403 for other tokens of this audience, and 401 for everything
 * else.
 */
export const invoicesApi = async (issuer: string): Promise<InvoicesApi> => {
  const keys = createRemoteJWKSet(new URL(`${issuer}/oauth2/keys`))
  let ahead = 0

  const verdict = async (header: string): Promise<{ status: number; reason: string }> => {
    try {
      const { payload } = await jwtVerify(header.replace(/^Bearer /, ''), keys, {
        issuer,
        audience: API,
        typ: 'at+jwt',
        algorithms: ['RS256'],
        clockTolerance: 60,
        requiredClaims: ['sub', 'exp', 'iat', 'jti', 'client_id'],
        currentDate: new Date(Date.now() + ahead * 1000),
      })
      const scope = typeof payload['scope'] === 'string' ? payload['scope'] : ''
      return scope.split(' ').includes(READ)
        ? { status: 200, reason: payload.sub ?? '' }
        : { status: 403, reason: 'insufficient_scope' }
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error
      return { status: 401, reason: error.code }
    }
  }

  const answer = async ({ headers }: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, reason } = await verdict(headers.authorization ?? '')
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify({ reason }))
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(JSON.stringify({ reason: String(error) }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    call: async (token, secondsFromNow = 0) => {
      ahead = secondsFromNow
      const headers = { Authorization: `Bearer ${token}` }
      const response = await fetch(`http://127.0.0.1:${String(port)}/invoices`, { headers })
      return { status: response.status, ...((await response.json()) as { reason: string }) }
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
