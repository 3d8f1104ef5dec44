import type { OidcApplicationType } from './events.ts'

export type AccessTokenFormat = 'opaque' | 'jwt'

/** Services, the command line and whoever may call APIs get signed tokens, which APIs check by themselves. */
export const accessTokenFormatOf = (
  type: OidcApplicationType,
  apiGrants: readonly unknown[],
): AccessTokenFormat => (type === 'service' || type === 'cli' || apiGrants.length > 0 ? 'jwt' : 'opaque')
