import type { IncomingMessage } from 'node:http'
import { networkOf } from '../http/client-ip.ts'
import type { Handler } from '../http/dispatch.ts'
import { keptUserAgent } from '../http/user-agent.ts'
import type { BrowserAnswer, BrowserRequest } from './authorize.ts'
import type { OidcDeps } from './context.ts'
import { isUnavailable } from '../http/errors.ts'
import { neverStored } from './respond.ts'

type BrowserDeps = Pick<OidcDeps, 'newRequestId' | 'onError' | 'pages' | 'clientIp'> & {
  readonly limits: Pick<OidcDeps['limits'], 'browser'>
}

/** An endpoint that answers browsers: with a redirect or a page. */
export const browserEndpoint =
  (
    work: (request: IncomingMessage, browser: BrowserRequest) => Promise<BrowserAnswer>,
    { newRequestId, onError, pages, limits, clientIp }: BrowserDeps,
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
