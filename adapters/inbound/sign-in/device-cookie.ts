import { ownCookie, setCookie, type Cookies } from '../http/cookies.ts'

const DEVICE_COOKIE = 'svc_device'

const LIFETIME_SECONDS = 400 * 86_400

/** `Set-Cookie` that knows the browser again: as the session's is, for as long as browsers keep any (RFC 6265bis §5.5). */
export const deviceCookie = (token: string, publicUrl: string): string =>
  setCookie({ name: DEVICE_COOKIE, value: token, end: { maxAge: LIFETIME_SECONDS } }, publicUrl)

/** The value that the browser sent; undefined if it sent none. */
export const deviceTokenIn = (cookies: Cookies, publicUrl: string): string | undefined =>
  ownCookie(cookies, DEVICE_COOKIE, publicUrl)
