const ABSOLUTE = /^[a-z][a-z0-9+.-]*:(?:[\w.~:/?[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+$/

/** Schemes that a browser executes or opens. */
const NO_NAMES = /^(?:javascript|data|vbscript|blob|file):/

const parse = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/**
 * Returns why a text cannot identify an API; null if it can. An identifier is an absolute URI (RFC 3986 §4.3) without
 * a fragment (RFC 8707 §2), compared as a string. Rejects a web address that URL parsers would rewrite.
 */
export const identifierProblem = (identifier: string): string | null => {
  if (identifier.includes('#')) return 'expected an address without a fragment (#)'
  const url = parse(identifier)
  if (!ABSOLUTE.test(identifier) || url === null || NO_NAMES.test(identifier))
    return 'expected an absolute URI such as https://api.example.com or urn:example:api'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null
  if (url.username !== '' || url.password !== '') return 'expected an address without a user name or password'
  const bareHost = `${url.protocol}//${url.host}`
  return identifier === url.href || (identifier === bareHost && url.href === `${bareHost}/`)
    ? null
    : `expected the address in normalized form, ${url.href}`
}
