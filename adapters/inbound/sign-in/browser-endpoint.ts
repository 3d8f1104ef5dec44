import type { IncomingMessage } from 'node:http'
import { networkOf } from '../../kernel/client-ip.ts'
import type { Handler } from '../http/dispatch.ts'
import { keptUserAgent } from '../http/user-agent.ts'
import type { Buckets } from '../http/rate-limit.ts'
import type { BrowserAnswer, BrowserRequest } from './browser-request.ts'
import type { OidcPages } from './pages.ts'
import { isUnavailable } from '../http/errors.ts'
import { neverStored } from '../http/send-json.ts'

/** What endpoints that answer browsers need from the server. */
export interface BrowserEndpointDeps {
  readonly pages: OidcPages
  /** The client's address, past trusted proxies. */
  readonly clientIp: (request: IncomingMessage) => string
  readonly newRequestId: () => string
  readonly limits: Pick<Buckets, 'browser'>
  /** Reports failures that the caller did not cause. */
  readonly onError: (error: unknown, requestId: string) => void
}

/** An endpoint that answers browsers: with a redirect or a page. */
export const browserEndpoint =
  (
    work: (request: IncomingMessage, browser: BrowserRequest) => Promise<BrowserAnswer>,
    { newRequestId, onError, pages, limits, clientIp }: BrowserEndpointDeps,
  ): Handler =>
  async (request, response) => {
    const requestId = newRequestId()
    neverStored(response, requestId)
    const ip = clientIp(request)
    const network = networkOf(ip)
    if (!limits.browser.take(network)) {
      const { html, headers } = pages.error({ status: 429, code: 'ERR_RATE_LIMITED', requestId })
      response
        .writeHead(429, {
          ...headers,
          ...limits.browser.headers(network),
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Length': Buffer.byteLength(html),
        })
        .end(html)
      return
    }
    const browser = {
      cookie: request.headers.cookie,
      requestId,
      ip,
      userAgent: keptUserAgent(request.headers['user-agent']),
    }
    const answer = await work(request, browser).catch((error: unknown): BrowserAnswer => {
      const outage = isUnavailable(error)
      if (!outage) onError(error, requestId)
      const status = outage ? 503 : 500
      const code = outage ? 'ERR_UNAVAILABLE' : 'ERR_INTERNAL'
      return { status, page: pages.error({ status, code, requestId }) }
    })
    if ('location' in answer) {
      if (answer.cookie !== undefined) response.setHeader('Set-Cookie', answer.cookie)
      response.writeHead(303, { Location: answer.location, 'Referrer-Policy': 'no-referrer' }).end()
      return
    }
    const { html, headers } = answer.page
    response
      .writeHead(answer.status, {
        ...headers,
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Length': Buffer.byteLength(html),
      })
      .end(html)
  }
