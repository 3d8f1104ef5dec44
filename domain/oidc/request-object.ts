/**
 * OpenID Connect Core §6.1: request objects are rejected. If one specifies a response mode, the rejection uses it.
 * Nothing else in it is used, so its signature does not matter.
 */
const BASE64URL = /^[A-Za-z0-9_-]+$/

/** @param object the parameter `request` as sent */
export const responseModeIn = (object: string | undefined): string | undefined => {
  const payload = object?.split('.')[1] ?? ''
  if (!BASE64URL.test(payload)) return undefined
  try {
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
    if (typeof claims !== 'object' || claims === null || !('response_mode' in claims)) return undefined
    return typeof claims.response_mode === 'string' ? claims.response_mode : undefined
  } catch {
    return undefined
  }
}
