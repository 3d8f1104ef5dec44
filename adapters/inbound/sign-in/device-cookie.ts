import { ownCookie, setCookie, type Cookies } from '../http/cookies.ts'

const DEVICE_COOKIE = 'svc_device'

const LIFETIME_SECONDS = 400 * 86_400

/**
 * Returns `Set-Cookie` for recognizing the browser: like the session's, with the maximum lifetime that browsers allow
 * (RFC 6265bis §5.5).
 */
export const deviceCookie = (token: string, publicUrl: string): string =>
  setCookie({ name: DEVICE_COOKIE, value: token, end: { maxAge: LIFETIME_SECONDS } }, publicUrl)

/** Returns the value that the browser sent; undefined if it sent none. */
export const deviceTokenIn = (cookies: Cookies, publicUrl: string): string | undefined =>
  ownCookie(cookies, DEVICE_COOKIE, publicUrl)
