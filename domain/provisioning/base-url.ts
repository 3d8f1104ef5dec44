import { webhookUrlProblem } from '../webhook/url.ts'

/** Why an address cannot be used for provisioning; null if it can. */
export const baseUrlProblem = (text: string): string | null => {
  if (webhookUrlProblem(text) !== null)
    return 'expected an https address such as https://app.example.com/scim/v2, without a user name or fragment; http only for localhost'
  return text.includes('?') ? 'expected an address without a query (?)' : null
}

/** Addresses that differ only in trailing slashes are equal. */
export const withoutTrailingSlash = (url: string): string => url.replace(/\/+$/, '')

/** Whether two addresses are on the same server, which may receive the same token. */
export const sameOrigin = (one: string, other: string): boolean => {
  const origin = (url: string): string => (/^https?:\/\/[^/]*/i.exec(url)?.[0] ?? url).toLowerCase()
  return origin(one) === origin(other)
}
