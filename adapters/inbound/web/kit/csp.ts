/**
 * Returns the source of a URL for `form-action`: the origin for http(s), otherwise only the scheme of a native
 * application's redirect URI.
 */
export const formSource = (url: string): string => {
  const { protocol, origin } = new URL(url)
  return protocol === 'http:' || protocol === 'https:' ? origin : protocol
}

/**
 * Returns the Content-Security-Policy of a page. `formTargets` are absolute URLs that a form on the page may be sent
 * to: an action on another origin (form_post, SAML POST), or a redirect after the post, because browsers also apply
 * `form-action` to redirects.
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
