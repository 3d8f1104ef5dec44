/**
 * OpenID Connect RP-Initiated Logout 1.0 §2–§4: parses a sign-out request and decides whether the user must
 * confirm. An invalid request never leads to an address of the application.
 */
import { isRegisteredRedirectUri } from '../application/redirect-uri.ts'
import type { OidcApplicationType } from '../application/events.ts'
import { responseLocation } from './authorization-response.ts'
import { parametersProblem, type Parameters } from './parameters.ts'

/** The contents of an ID token that this service issued, expired or not. */
export interface IdTokenHint {
  readonly clientId: string
  readonly userId: string
  readonly sessionId: string
}

export interface EndSessionClient {
  readonly type: OidcApplicationType
  readonly postLogoutRedirectUris: readonly string[]
}

/** For the application's developer. */
export interface EndSessionProblem {
  readonly code: 'ERR_INVALID_CLIENT' | 'ERR_INVALID_LOGOUT'
  readonly description: string
}

export interface EndSessionRequest {
  readonly hint: IdTokenHint | null
  /** The address to redirect to afterwards, including `state`; null for our own page */
  readonly target: string | null
}

const problem = (description: string, code: EndSessionProblem['code'] = 'ERR_INVALID_LOGOUT') => ({
  problem: { code, description },
})

/** Returns the client of a request. Undefined if the request does not name one. */
export const clientOfRequest = (parameters: Parameters, hint: IdTokenHint | null): string | undefined =>
  parameters.get('client_id') ?? hint?.clientId

/**
 * @param hint the parsed `id_token_hint`; null if it is missing or was not issued by this service
 * @param client the client from {@link clientOfRequest}; null if it is not registered
 */
export const parseEndSessionRequest = (
  parameters: Parameters,
  hint: IdTokenHint | null,
  client: EndSessionClient | null,
): { readonly problem: EndSessionProblem } | { readonly request: EndSessionRequest } => {
  const wrong = parametersProblem(parameters)
  if (wrong !== null) return problem(wrong)
  if (parameters.get('id_token_hint') !== undefined && hint === null)
    return problem('id_token_hint is not an ID token of this service, or its key is no longer known')
  const clientId = clientOfRequest(parameters, hint)
  if (clientId !== undefined && client === null)
    return problem('client_id or id_token_hint does not identify an application', 'ERR_INVALID_CLIENT')
  if (hint !== null && clientId !== hint.clientId)
    return problem('id_token_hint was not issued to the client in client_id')
  const uri = parameters.get('post_logout_redirect_uri')
  if (uri === undefined) return { request: { hint, target: null } }
  if (client === null) return problem('post_logout_redirect_uri requires client_id or id_token_hint')
  if (!isRegisteredRedirectUri(uri, client.postLogoutRedirectUris, client.type))
    return problem('post_logout_redirect_uri is not registered')
  const state = parameters.get('state')
  return { request: { hint, target: state === undefined ? uri : responseLocation(uri, { state }) } }
}

/**
 * Whether the user must confirm before this browser's session ends. A token identifies the session that ends without
 * confirmation; without one, or if another user is signed in here, only a confirmation by that user counts (§2, §6).
 * @param here the session of this browser
 */
export const mustAsk = (
  { hint, target }: EndSessionRequest,
  here: { readonly userId: string; readonly sessionId: string } | null,
): boolean => {
  if (here === null || here.sessionId === hint?.sessionId) return false
  return here.userId !== hint?.userId || target === null
}
