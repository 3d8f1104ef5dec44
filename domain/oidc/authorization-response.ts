/**
 * RFC 6749 §4.1.2, RFC 9207 (`iss` in every response), OAuth 2.0 Form Post Response Mode: how an answer reaches the
 * application. The registered address is added to, never rewritten.
 */

export type ResponseMode = 'query' | 'form_post'

/** Where answers go, errors among them. */
export interface ErrorTarget {
  readonly redirectUri: string
  readonly responseMode: ResponseMode
  /** Echoed as it came. */
  readonly state: string | null
}

export type AuthorizationAnswer =
  { readonly code: string } | { readonly error: string; readonly error_description: string }

/** What is sent, by name. */
export const responseFields = (
  { state }: ErrorTarget,
  issuer: string,
  answer: AuthorizationAnswer,
): Readonly<Record<string, string>> => ({ ...answer, ...(state === null ? {} : { state }), iss: issuer })

/** The address that carries the fields in its query; a query that is part of the registered address stays. */
export const responseLocation = (redirectUri: string, fields: Readonly<Record<string, string>>): string => {
  const query = Object.entries(fields)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`)
    .join('&')
  const joint = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&'
  return `${redirectUri}${joint}${query}`
}
