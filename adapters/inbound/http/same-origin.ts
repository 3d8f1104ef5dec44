/**
 * The same-origin rule of the JSON API (cross-site request forgery): rejects an unsafe request that the browser marks
 * as cross-site, or whose origin is not the public one. For `same-site`, `Origin` decides. A request without both
 * headers does not come from a browser and is allowed.
 */
import type { IncomingMessage } from 'node:http'

export interface OriginHeaders {
  readonly method: string
  readonly secFetchSite: string | undefined
  readonly origin: string | undefined
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** @param publicOrigin scheme, host and port of the public address, as browsers write an origin */
export const isCrossSite = (request: OriginHeaders, publicOrigin: string): boolean => {
  if (safeMethods.has(request.method)) return false
  if (request.secFetchSite?.trim().toLowerCase() === 'cross-site') return true
  return request.origin !== undefined && request.origin !== publicOrigin
}

const headerOf = ({ headers }: IncomingMessage, name: string): string | undefined => {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/**
 * The same rule for the forms of our own pages: our pages send no referrer, so browsers send no origin with forms, and
 * the fetch metadata decides first.
 */
export const isFormFromElsewhere = (request: IncomingMessage, publicUrl: string): boolean => {
  const secFetchSite = headerOf(request, 'sec-fetch-site')
  if (secFetchSite === 'same-origin') return false
  const { method = '' } = request
  return isCrossSite({ method, secFetchSite, origin: headerOf(request, 'origin') }, new URL(publicUrl).origin)
}
