import { isLocalHost } from '../local-host.ts'
import type { IdentityProviderType } from './events.ts'

/** OpenID Connect Discovery §3 */
export const GOOGLE_ISSUER = 'https://accounts.google.com'

/**
 * Returns the issuer of one tenant of Microsoft Entra ID. Issuers of several tenants are not supported: any tenant can
 * claim any address.
 */
const microsoftIssuer = (tenantId: string): string =>
  `https://login.microsoftonline.com/${tenantId.toLowerCase()}/v2.0`

/** Returns the issuer of a preset; undefined if it must be entered, or the tenant is missing. */
export const presetIssuer = (
  type: IdentityProviderType,
  tenantId: string | undefined,
): string | undefined => {
  if (type === 'google') return GOOGLE_ISSUER
  return type === 'microsoft' && tenantId !== undefined ? microsoftIssuer(tenantId) : undefined
}

const parse = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/** Why an issuer identifier is invalid (OpenID Connect Discovery §2: https, no query, no fragment); null if it is valid. */
export const issuerProblem = (issuer: string): string | null => {
  const url = /^https?:\/\/[^\s\\]+$/i.test(issuer) ? parse(issuer) : null
  if (url === null) return 'expected an https address such as https://login.example.com'
  if (url.username !== '' || url.password !== '') return 'expected an address without a user name or password'
  if (/[?#]/.test(issuer)) return 'expected an address without a query (?) or a fragment (#)'
  return url.protocol === 'https:' || isLocalHost(url.hostname)
    ? null
    : 'expected https; http only for localhost, names under .localhost and loopback addresses'
}
