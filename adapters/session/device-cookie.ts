import { stringifySetCookie } from 'cookie'

export const DEVICE_COOKIE = 'svc_device'

const LIFETIME_SECONDS = 400 * 86_400

/** `Set-Cookie` that knows the browser again: as the session's is, for as long as browsers keep any (RFC 6265bis §5.5). */
export const deviceCookie = (token: string, publicUrl: string): string =>
  stringifySetCookie({
    name: DEVICE_COOKIE,
    value: token,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: publicUrl.startsWith('https:'),
    maxAge: LIFETIME_SECONDS,
  })
