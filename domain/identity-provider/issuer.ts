import { isLocalHost } from '../local-host.ts'
import type { IdentityProviderType } from './events.ts'

/** OpenID Connect Discovery §3 */
export const GOOGLE_ISSUER = 'https://accounts.google.com'

/** GitHub has no issuer identifier: this is where it signs users in. GitHub Enterprise Server has its own address. */
export const GITHUB_ISSUER = 'https://github.com'

/**
 * Returns the issuer of one tenant of Microsoft Entra ID. Issuers of several tenants are not supported: any tenant can
 * claim any address.
 */
const microsoftIssuer = (tenantId: string): string =>
  `https://login.microsoftonline.com/${tenantId.toLowerCase()}/v2.0`

/** Returns the issuer of a type; undefined if it must be entered, or the tenant is missing. */
export const presetIssuer = (
  type: IdentityProviderType,
  tenantId: string | undefined,
): string | undefined => {
  if (type === 'google') return GOOGLE_ISSUER
  if (type === 'github') return GITHUB_ISSUER
  return type === 'microsoft' && tenantId !== undefined ? microsoftIssuer(tenantId) : undefined
}

const parse = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/** Why an address of a provider is invalid: https, or http on this computer; null if it is valid. */
export const addressProblem = (address: string): string | null => {
  const url = /^https?:\/\/[^\s\\]+$/i.test(address) ? parse(address) : null
  if (url === null) return 'expected an https address such as https://login.example.com'
  if (url.username !== '' || url.password !== '') return 'expected an address without a user name or password'
  if (address.includes('#')) return 'expected an address without a fragment (#)'
  return url.protocol === 'https:' || isLocalHost(url.hostname)
    ? null
    : 'expected https; http only for localhost, names under .localhost and loopback addresses'
}

/** Why an issuer identifier is invalid (OpenID Connect Discovery §2: https, no query, no fragment); null if it is valid. */
export const issuerProblem = (issuer: string): string | null =>
  addressProblem(issuer) ?? (issuer.includes('?') ? 'expected an address without a query (?)' : null)

/** SAML 2.0 Core §8.3.6 */
const MAX_ENTITY_ID = 1024

/** Why an entity id is invalid (SAML 2.0 Core §8.3.6: a URI); null if it is valid. */
export const entityIdProblem = (entityId: string): string | null =>
  /^[A-Za-z][A-Za-z\d+.-]*:[\x21-\x7e]+$/.test(entityId) && entityId.length <= MAX_ENTITY_ID
    ? null
    : 'expected a URI of at most 1024 characters, such as https://login.example.com/metadata'
