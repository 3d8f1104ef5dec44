import type { OidcApplicationType } from './events.ts'

export type AccessTokenFormat = 'opaque' | 'jwt'

/** Services, the command line and applications with API grants get signed tokens, which APIs verify themselves. */
export const accessTokenFormatOf = (
  type: OidcApplicationType,
  apiGrants: readonly unknown[],
): AccessTokenFormat => (type === 'service' || type === 'cli' || apiGrants.length > 0 ? 'jwt' : 'opaque')
