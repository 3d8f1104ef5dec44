import { webhookUrlProblem } from '../webhook/url.ts'

/** Why people cannot be pushed to an address; null when they can. */
export const baseUrlProblem = (text: string): string | null => {
  if (webhookUrlProblem(text) !== null)
    return 'expected an https address such as https://app.example.com/scim/v2, without a user name or fragment; plain http is for localhost only'
  return text.includes('?') ? 'expected an address without a query (?)' : null
}

/** Addresses that differ in their trailing slashes are one. */
export const withoutTrailingSlash = (url: string): string => url.replace(/\/+$/, '')

/** Whether two addresses are of the same server, which a token may be sent to again. */
export const sameOrigin = (one: string, other: string): boolean => {
  const origin = (url: string): string => (/^https?:\/\/[^/]*/i.exec(url)?.[0] ?? url).toLowerCase()
  return origin(one) === origin(other)
}
