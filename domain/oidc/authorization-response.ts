/**
 * RFC 6749 §4.1.2, RFC 9207 (`iss` in every response), OAuth 2.0 Form Post Response Mode: sends the response
 * to the application. Fields are added to the registered address, which is never rewritten.
 */

export type ResponseMode = 'query' | 'form_post'

/** Where responses are sent, including errors. */
export interface ErrorTarget {
  readonly redirectUri: string
  readonly responseMode: ResponseMode
  /** Returned unchanged. */
  readonly state: string | null
}

export type AuthorizationAnswer =
  | { readonly code: string }
  | { readonly error: string; readonly error_description: string }

/** Returns the fields to send, by name. */
export const responseFields = (
  { state }: ErrorTarget,
  issuer: string,
  answer: AuthorizationAnswer,
): Readonly<Record<string, string>> => ({ ...answer, ...(state === null ? {} : { state }), iss: issuer })

/** Returns the address with the fields in its query; keeps an existing query of the registered address. */
export const responseLocation = (redirectUri: string, fields: Readonly<Record<string, string>>): string => {
  const query = Object.entries(fields)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`)
    .join('&')
  const joint = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&'
  return `${redirectUri}${joint}${query}`
}
