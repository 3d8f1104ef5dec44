import { networkOf } from '../../kernel/client-ip.ts'
import type { Bucket } from '../http/rate-limit.ts'
import { sendHtmlPage, setHeaders } from '../http/respond.ts'
import { keptUserAgent } from '../http/user-agent.ts'
import type { Handler } from '../http/table.ts'
import type { OidcDeps } from '../oidc/context.ts'
import type { WebPages } from './pages.ts'
import { requestIdOf } from '../http/request-id.ts'

/** Limits how many requests of a network a page handler handles: none from a blocked zone. */
export const pageLimit =
  (
    bucket: Bucket,
    {
      pages,
      clientIp,
      refusesNetwork,
    }: { readonly pages: Pick<WebPages, 'problem'> } & Pick<OidcDeps, 'clientIp' | 'refusesNetwork'>,
  ) =>
  (handler: Handler): Handler =>
  async (request, response, params) => {
    const ip = clientIp(request)
    const network = networkOf(ip)
    const requestId = requestIdOf(request)
    const userAgent = keptUserAgent(request.headers['user-agent'])
    const isLimited = !bucket.take(network)
    if (!isLimited && !(await refusesNetwork({ ip, userAgent, requestId })))
      return handler(request, response, params)
    if (isLimited) setHeaders(response, bucket.headers(network))
    const { status, page } = pages.problem(
      isLimited ? 'ERR_RATE_LIMITED' : 'ERR_BLOCKED_BY_POLICY',
      requestId,
    )
    sendHtmlPage(response, status, page)
  }
