import type { IncomingMessage } from 'node:http'
import { networkOf } from '../../kernel/client-ip.ts'
import type { Handler, Params } from '../http/table.ts'
import { keptUserAgent } from '../http/user-agent.ts'
import type { Buckets } from '../http/rate-limit.ts'
import type { RefusesNetwork } from './blocked-networks.ts'
import type { BrowserAnswer, BrowserRequest } from './browser-request.ts'
import type { ProtocolPages } from './pages.ts'
import { SESSION_COOKIE } from '../http/cookies.ts'
import { isUnavailable } from '../http/errors.ts'
import { neverStored, redirect, sendHtmlPage, setHeaders } from '../http/respond.ts'
import { requestIdOf } from '../http/request-id.ts'

/** Dependencies of the endpoints for browsers. */
export interface BrowserEndpointDeps {
  readonly pages: ProtocolPages
  /** Returns the client's address, after trusted proxies */
  readonly clientIp: (request: IncomingMessage) => string
  readonly limits: Pick<Buckets, 'browser'>
  readonly refusesNetwork: RefusesNetwork
  /** Reports failures that the caller did not cause. */
  readonly onError: (error: unknown, requestId: string) => void
}

/** An endpoint for browsers, which returns a redirect or a page. */
export const browserEndpoint =
  (
    work: (request: IncomingMessage, browser: BrowserRequest, params: Params) => Promise<BrowserAnswer>,
    { onError, pages, limits, clientIp, refusesNetwork }: BrowserEndpointDeps,
  ): Handler =>
  async (request, response, params) => {
    const requestId = requestIdOf(request)
    neverStored(response, requestId)
    const ip = clientIp(request)
    const network = networkOf(ip)
    if (!limits.browser.take(network)) {
      setHeaders(response, limits.browser.headers(network))
      sendHtmlPage(response, 429, pages.error({ status: 429, code: 'ERR_RATE_LIMITED', requestId }))
      return
    }
    const browser = {
      cookie: request.headers.cookie,
      requestId,
      ip,
      userAgent: keptUserAgent(request.headers['user-agent']),
    }
    // The cookie may be wrong: then the browser is sent to the sign-in page, which refuses it.
    const mayHaveSession = browser.cookie?.includes(SESSION_COOKIE) === true
    if (!mayHaveSession && (await refusesNetwork(browser))) {
      sendHtmlPage(response, 403, pages.error({ status: 403, code: 'ERR_BLOCKED_BY_POLICY', requestId }))
      return
    }
    const answer = await work(request, browser, params).catch((error: unknown): BrowserAnswer => {
      const outage = isUnavailable(error)
      if (!outage) onError(error, requestId)
      const status = outage ? 503 : 500
      const code = outage ? 'ERR_UNAVAILABLE' : 'ERR_INTERNAL'
      return { status, page: pages.error({ status, code, requestId }) }
    })
    if ('location' in answer) {
      if (answer.cookie !== undefined) response.setHeader('Set-Cookie', answer.cookie)
      redirect(response, answer.location)
    } else sendHtmlPage(response, answer.status, answer.page)
  }
