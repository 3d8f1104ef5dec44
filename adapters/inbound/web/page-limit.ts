import { Router } from 'express'
import { networkOf } from '../../kernel/client-ip.ts'
import type { Bucket } from '../http/rate-limit.ts'
import { BASE_PATH } from '../http/route.ts'
import type { OidcDeps } from '../oidc/context.ts'
import type { WebPages } from './pages.ts'

/** Counts requests for pages by network. Files of pages are cached for good, and the API counts for itself. */
export const pageLimit = (
  bucket: Bucket,
  {
    pages,
    clientIp,
    newRequestId,
  }: { readonly pages: WebPages } & Pick<OidcDeps, 'clientIp' | 'newRequestId'>,
): Router => {
  const router = Router()
  router.use((request, response, next) => {
    const { path } = request
    if (path.startsWith(`${BASE_PATH}/`) || path.startsWith('/assets/')) {
      next()
      return
    }
    const network = networkOf(clientIp(request))
    if (bucket.take(network)) {
      next()
      return
    }
    const { status, page } = pages.problem('ERR_RATE_LIMITED', newRequestId())
    response
      .status(status)
      .set({ ...page.headers, ...bucket.headers(network), 'Cache-Control': 'no-store' })
      .type('html')
      .send(page.html)
  })
  return router
}
