import { networkOf } from '../../kernel/client-ip.ts'
import type { Bucket } from '../http/rate-limit.ts'
import { sendHtmlPage, setHeaders } from '../http/respond.ts'
import type { Handler } from '../http/table.ts'
import type { OidcDeps } from '../oidc/context.ts'
import type { WebPages } from './pages.ts'

/** Limits how many requests of a network a page handler handles. */
export const pageLimit =
  (
    bucket: Bucket,
    {
      pages,
      clientIp,
      newRequestId,
    }: { readonly pages: Pick<WebPages, 'problem'> } & Pick<OidcDeps, 'clientIp' | 'newRequestId'>,
  ) =>
  (handler: Handler): Handler =>
  (request, response, params) => {
    const network = networkOf(clientIp(request))
    if (bucket.take(network)) return handler(request, response, params)
    const { status, page } = pages.problem('ERR_RATE_LIMITED', newRequestId())
    setHeaders(response, bucket.headers(network))
    sendHtmlPage(response, status, page)
  }
