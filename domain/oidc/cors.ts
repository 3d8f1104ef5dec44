/** Fetch standard, CORS: single-page applications call the token and userinfo endpoints from their own origins. */
import type { OidcSettings } from '../application/events.ts'

const originOf = (address: string): string | null => {
  try {
    const { protocol, origin } = new URL(address)
    return protocol === 'https:' || protocol === 'http:' ? origin : null
  } catch {
    return null
  }
}

/** The origins of a single-page application: the configured ones, else those of its redirect URIs. */
export const originsOf = ({
  allowedOrigins,
  redirectUris,
}: Pick<OidcSettings, 'allowedOrigins' | 'redirectUris'>): readonly string[] =>
  allowedOrigins.length > 0
    ? allowedOrigins
    : redirectUris.map(originOf).filter((origin): origin is string => origin !== null)
