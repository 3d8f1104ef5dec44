import type { OidcApplicationType } from './events.ts'

const HTTPS_OR_LOOPBACK = 'expected https, or http on localhost or 127.0.0.1'

const parse = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/**
 * Returns the forms of a web address that every URL parser reads the same way: root path and default port can be
 * omitted.
 */
const plainForms = ({ protocol, host, port, pathname, search }: URL): readonly string[] => {
  const ports = port === '' ? ['', protocol === 'https:' ? ':443' : ':80'] : ['']
  const paths = pathname === '/' ? ['/', ''] : [pathname]
  return ports.flatMap((p) => paths.map((path) => `${protocol}//${host}${p}${path}${search}`))
}

/** A private-use scheme based on a reversed domain name, such as `com.example.app` (RFC 8252 §7.1). */
const isReverseDnsScheme = (protocol: string): boolean => /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol)

/**
 * Returns why an address cannot be registered as a redirect URI; null if it can. Allowed are https, and http on
 * localhost and 127.0.0.1; for native applications also [::1] and reverse-DNS schemes (RFC 8252 §7). Fragments (RFC
 * 6749 §3.1.2), wildcards and user information are not allowed. The registered string must be what a browser opens, so
 * this rejects an address that a URL parser would rewrite (`https:host`, `http://127.1`, `/a/../b`, `HTTPS://Host`).
 */
export const redirectUriProblem = (uri: string, type: OidcApplicationType): string | null => {
  const url = parse(uri)
  if (url === null || !/^[\x21-\x7e]+$/.test(uri)) return 'expected an absolute URL'
  if (uri.includes('#')) return 'expected an address without a fragment (#)'
  if (uri.includes('*')) return 'expected an address without wildcards (*)'
  if (uri.includes('\\')) return 'expected an address without backslashes'
  if (url.username !== '' || url.password !== '') return 'expected an address without a user name or password'
  if (url.protocol === 'https:' || url.protocol === 'http:') {
    const host = url.hostname
    const loopback = host === 'localhost' || host === '127.0.0.1' || (type === 'native' && host === '[::1]')
    if (url.protocol === 'http:' && !loopback) return HTTPS_OR_LOOPBACK
    if (host.endsWith('.')) return 'expected a host name without a trailing dot'
    return plainForms(url).includes(uri) ? null : `expected the address in normalized form, ${url.href}`
  }
  if (type !== 'native' || !isReverseDnsScheme(url.protocol)) return HTTPS_OR_LOOPBACK
  return uri.startsWith(url.protocol) ? null : 'expected the scheme in lower case'
}

const withoutPort = (uri: string): string | null => {
  const match = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::\d{1,5})?(\/[^#]*)?$/.exec(uri)
  return match === null ? null : `http://${match[1] ?? ''}${match[2] ?? ''}`
}

/**
 * Whether the requested address is registered, by exact string comparison (RFC 9700 §2.1). For native
 * applications the comparison ignores the port of a loopback IP address (RFC 8252 §7.3).
 */
export const isRegisteredRedirectUri = (
  requested: string,
  registered: readonly string[],
  type: OidcApplicationType,
): boolean => {
  if (registered.includes(requested)) return true
  if (type !== 'native') return false
  const bare = withoutPort(requested)
  return (
    bare !== null &&
    redirectUriProblem(requested, type) === null &&
    registered.some((uri) => withoutPort(uri) === bare)
  )
}
