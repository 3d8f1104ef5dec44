/**
 * RFC 6749 §2.3.1, OpenID Connect Core §9: client authentication at the token endpoint. HTTP Basic, or
 * client_id and client_secret in the body, or client_id alone (public clients); never two methods at once.
 */
import type { Parameters } from './parameters.ts'

export type ClientAuthMethod = 'client_secret_basic' | 'client_secret_post' | 'none'

/** How confidential clients authenticate. */
export const secretAuthMethods: readonly ClientAuthMethod[] = ['client_secret_basic', 'client_secret_post']

export const clientAuthMethods: readonly ClientAuthMethod[] = [...secretAuthMethods, 'none']

export interface PresentedClient {
  readonly method: ClientAuthMethod
  readonly clientId: string
  readonly secret: string | null
}

export type ClientCredentials =
  | { readonly client: PresentedClient }
  | { readonly error: 'invalid_request' | 'invalid_client'; readonly description: string }

const formDecoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}

const fromBasic = (encoded: string): PresentedClient | null => {
  let text: string
  try {
    text = atob(encoded)
  } catch {
    return null
  }
  const colon = text.indexOf(':')
  if (colon < 1) return null
  const clientId = formDecoded(text.slice(0, colon))
  const secret = formDecoded(text.slice(colon + 1))
  return clientId === null || secret === null ? null : { method: 'client_secret_basic', clientId, secret }
}

/** @param authorization the Authorization header */
export const clientCredentials = (authorization: string | undefined, body: Parameters): ClientCredentials => {
  const clientId = body.get('client_id')
  const secret = body.get('client_secret')
  if (authorization === undefined) {
    if (clientId === undefined) return { error: 'invalid_client', description: 'client_id is missing' }
    return {
      client:
        secret === undefined
          ? { method: 'none', clientId, secret: null }
          : { method: 'client_secret_post', clientId, secret },
    }
  }
  if (secret !== undefined)
    return { error: 'invalid_request', description: 'the client used more than one authentication method' }
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization)?.[1]
  const client = encoded === undefined ? null : fromBasic(encoded)
  if (client === null)
    return { error: 'invalid_client', description: 'the Authorization header is not valid Basic' }
  if (clientId !== undefined && clientId !== client.clientId)
    return { error: 'invalid_request', description: 'client_id does not match the authenticated client' }
  return { client }
}
