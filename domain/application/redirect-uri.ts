import type { OidcApplicationType } from './events.ts'

const LOOPBACK_IP = new Set(['127.0.0.1', '[::1]'])

const parse = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/** A private-use scheme under a domain name read backwards, such as `com.example.app` (RFC 8252 §7.1). */
const isReverseDnsScheme = (protocol: string): boolean => /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(protocol)

/**
 * Why an address may not be registered as a redirect URI; null when it may.
 * https, or http on localhost and 127.0.0.1; native applications also [::1] and reverse-DNS schemes (RFC 8252 §7).
 * No fragment (RFC 6749 §3.1.2), no wildcard, no user information, no characters that a URL parser would rewrite.
 */
export const redirectUriProblem = (uri: string, type: OidcApplicationType): string | null => {
  const url = parse(uri)
  if (url === null || !/^[\x21-\x7e]+$/.test(uri)) return 'expected an absolute URL'
  if (uri.includes('#')) return 'expected an address without a fragment (#)'
  if (uri.includes('*')) return 'expected an address without wildcards (*)'
  if (uri.includes('\\')) return 'expected an address without backslashes'
  if (url.username !== '' || url.password !== '') return 'expected an address without a user name or password'
  if (url.protocol === 'https:') return null
  if (url.protocol === 'http:') {
    const host = url.hostname
    if (host === 'localhost' || host === '127.0.0.1') return null
    if (type === 'native' && LOOPBACK_IP.has(host)) return null
    return 'expected https, or http on localhost or 127.0.0.1'
  }
  if (type === 'native' && isReverseDnsScheme(url.protocol)) return null
  return 'expected https, or http on localhost or 127.0.0.1'
}

const withoutPort = (uri: string): string | null => {
  const match = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::\d{1,5})?(\/[^#]*)?$/.exec(uri)
  return match === null ? null : `http://${match[1] ?? ''}${match[2] ?? ''}`
}

/**
 * Whether the address asked for is one of those registered: the very same string (RFC 9700 §2.1). For native
 * applications the port of a loopback IP address is left out of the comparison (RFC 8252 §7.3).
 */
export const isRegisteredRedirectUri = (
  asked: string,
  registered: readonly string[],
  type: OidcApplicationType,
): boolean => {
  if (registered.includes(asked)) return true
  if (type !== 'native') return false
  const bare = withoutPort(asked)
  return (
    bare !== null &&
    redirectUriProblem(asked, type) === null &&
    registered.some((uri) => withoutPort(uri) === bare)
  )
}
