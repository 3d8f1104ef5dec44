/** What `form-action` names a URL by: the origin of http(s), else the bare scheme of a native application's redirect URI. */
export const formSource = (url: string): string => {
  const { protocol, origin } = new URL(url)
  return protocol === 'http:' || protocol === 'https:' ? origin : protocol
}

/**
 * Content-Security-Policy of every page. `formTargets` are absolute URLs that a form on this page may end up at:
 * the page's own action elsewhere (form_post, SAML POST), or the redirect that answers its post, since browsers
 * apply `form-action` to redirects as well.
 */
export const contentSecurityPolicy = (formTargets: readonly string[] = []): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    ['form-action', "'self'", ...new Set(formTargets.map(formSource))].join(' '),
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
