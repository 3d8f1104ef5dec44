/**
 * The service's cookies (RFC 6265bis). Over https their names begin with `__Host-` (§4.1.3.2): browsers accept such a
 * cookie only from this host, so that no sibling subdomain can set one.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { parseCookie, stringifySetCookie } from 'cookie'

/** Cookies by name. Names with two values are omitted, because it is unknown which one is ours. */
export type Cookies = ReadonlyMap<string, string>

/** Maximum number of cookies read from one request; browsers keep about 180 per site. */
const MAX_COOKIES = 200

/** @param header the Cookie header as sent */
export const readCookies = (header: string | undefined): Cookies => {
  const cookies = new Map<string, string>()
  const repeated = new Set<string>()
  for (const pair of (header ?? '').split(';', MAX_COOKIES)) {
    for (const [name, value = ''] of Object.entries(parseCookie(pair))) {
      if (cookies.has(name) && cookies.get(name) !== value) repeated.add(name)
      cookies.set(name, value)
    }
  }
  for (const name of repeated) cookies.delete(name)
  return cookies
}

const isSecure = (publicUrl: string): boolean => publicUrl.startsWith('https:')

/**
 * Returns the name of a cookie of this service.
 * @param publicUrl the public address of the service
 */
export const cookieName = (name: string, publicUrl: string): string =>
  isSecure(publicUrl) ? `__Host-${name}` : name

/** Returns the value of one of the service's cookies; undefined if it is missing, empty or sent with two values. */
export const ownCookie = (cookies: Cookies, name: string, publicUrl: string): string | undefined => {
  const value = cookies.get(cookieName(name, publicUrl))
  return value === '' ? undefined : value
}

export interface CookieToSet {
  readonly name: string
  readonly value: string
  /** Expires at a time, or after a number of seconds */
  readonly end: { readonly expires: Date } | { readonly maxAge: number }
}

/**
 * Returns `Set-Cookie` for one of the service's cookies: HttpOnly, SameSite=Lax, for every path of this host, Secure
 * over https.
 */
export const setCookie = ({ name, value, end }: CookieToSet, publicUrl: string): string =>
  stringifySetCookie({
    name: cookieName(name, publicUrl),
    value,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(publicUrl),
    ...end,
  })

export const SESSION_COOKIE = 'svc_session'

/**
 * Returns the secret of the session as sent to the JSON API. Programs may send `svc_session` with http and https.
 * Browsers may not with https, because another site could plant that name. Every browser marks its requests over https
 * with `Sec-Fetch-Site`.
 */
export const sessionSecretOf = (
  headers: Pick<IncomingHttpHeaders, 'cookie' | 'sec-fetch-site' | 'origin'>,
  publicUrl: string,
): string | undefined => {
  const cookies = readCookies(headers.cookie)
  const own = ownCookie(cookies, SESSION_COOKIE, publicUrl)
  const isBrowser = headers['sec-fetch-site'] !== undefined || headers.origin !== undefined
  return own ?? (isBrowser ? undefined : ownCookie(cookies, SESSION_COOKIE, ''))
}
