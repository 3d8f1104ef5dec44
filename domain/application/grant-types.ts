import type { OidcApplicationType } from './events.ts'

export const grantTypes = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'urn:ietf:params:oauth:grant-type:device_code',
] as const

export type GrantType = (typeof grantTypes)[number]

export const isGrantType = (name: string): name is GrantType =>
  (grantTypes as readonly string[]).includes(name)

const byType: Record<OidcApplicationType, readonly GrantType[]> = {
  web: ['authorization_code', 'refresh_token'],
  spa: ['authorization_code', 'refresh_token'],
  native: ['authorization_code', 'refresh_token'],
  service: ['client_credentials'],
  cli: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
}

/** Returns the grants that an application of this type can use. */
export const grantTypesOf = (type: OidcApplicationType): readonly GrantType[] => byType[type]

/** Web applications and services keep a secret; the rest are public clients (RFC 6749 §2.1). */
export const isConfidential = (type: OidcApplicationType): boolean => type === 'web' || type === 'service'
