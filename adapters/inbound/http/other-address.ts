/**
 * The service has one address for browsers, SVC_PUBLIC_URL: cookies, passkeys and the origin rule work only there. A
 * page that is opened at another address of the service (127.0.0.1 for localhost, an internal name) redirects there.
 */
import type { IncomingMessage } from 'node:http'
import { normaliseAddress, type IsTrusted } from '../../kernel/client-ip.ts'
import { readCookies, setCookie } from './cookies.ts'
import { redirect } from './respond.ts'
import type { Handler } from './table.ts'

/**
 * A browser that sends this cookie was already redirected from this host and came back: a proxy rewrites `Host`, and
 * another redirect would be a loop.
 */
const REDIRECTED = 'svc_redirected'
const REDIRECTED_SECONDS = 10

// Uses the plain name: the other address may use http although the public one uses https.
const redirectedCookie = setCookie({ name: REDIRECTED, value: '1', end: { maxAge: REDIRECTED_SECONDS } }, '')

/** Returns the host that the browser opened; undefined if a proxy may have replaced it. */
const openedHost = ({ headers, socket }: IncomingMessage, isTrusted: IsTrusted): string | undefined => {
  const { host, forwarded, 'x-forwarded-for': forwardedFor, 'x-forwarded-host': forwardedHost } = headers
  const peer = normaliseAddress(socket.remoteAddress ?? '')
  if (peer !== undefined && isTrusted(peer))
    return [forwardedHost ?? []].flat().join(',').split(',').at(-1)?.trim()
  return [forwarded, forwardedFor, forwardedHost].every((header) => header === undefined) ? host : undefined
}

const isAnotherHost = (host: string, { protocol, host: publicHost }: URL): boolean => {
  const opened = `${protocol}//${host}`
  return URL.canParse(opened) && new URL(opened).host !== publicHost
}

/**
 * Redirects GET requests for another host to the same path at the public address (307), and passes on all others.
 * @param isTrusted whether to use the `X-Forwarded-Host` of a proxy; requests from such proxies without that header
 * are never redirected
 */
export const atPublicUrl = (publicUrl: string, isTrusted: IsTrusted): ((handler: Handler) => Handler) => {
  const home = new URL(publicUrl)

  const elsewhere = (request: IncomingMessage): boolean => {
    if (request.method !== 'GET' || request.url?.startsWith('/') !== true) return false
    const host = openedHost(request, isTrusted)
    return (
      host !== undefined &&
      host !== '' &&
      isAnotherHost(host, home) &&
      !readCookies(request.headers.cookie).has(REDIRECTED)
    )
  }

  return (handler) => (request, response, params) => {
    if (!elsewhere(request)) return handler(request, response, params)
    redirect(response, publicUrl + (request.url ?? ''), 307, {
      'Set-Cookie': redirectedCookie,
    })
  }
}
