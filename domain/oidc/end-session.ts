/**
 * OpenID Connect RP-Initiated Logout 1.0 §2–§4: what a request to sign out asks for, and whether the person must be
 * asked. A mistake never leads to an address of the application.
 */
import { isRegisteredRedirectUri } from '../application/redirect-uri.ts'
import type { OidcApplicationType } from '../application/events.ts'
import { responseLocation } from './authorization-response.ts'
import { parametersProblem, type Parameters } from './parameters.ts'

/** What an ID token of ours tells, whether or not it has run out. */
export interface IdTokenHint {
  readonly clientId: string
  readonly userId: string
  readonly sessionId: string
}

export interface EndSessionClient {
  readonly type: OidcApplicationType
  readonly postLogoutRedirectUris: readonly string[]
}

/** In words for the application's developer. */
export interface EndSessionProblem {
  readonly code: 'ERR_INVALID_CLIENT' | 'ERR_INVALID_LOGOUT'
  readonly description: string
}

export interface EndSessionRequest {
  readonly hint: IdTokenHint | null
  /** Where the browser goes afterwards, `state` included; null for a page of ours. */
  readonly target: string | null
}

const problem = (description: string, code: EndSessionProblem['code'] = 'ERR_INVALID_LOGOUT') => ({
  problem: { code, description },
})

/** The client that a request speaks for. Undefined when it names none. */
export const clientOfRequest = (parameters: Parameters, hint: IdTokenHint | null): string | undefined =>
  parameters.get('client_id') ?? hint?.clientId

/**
 * @param hint what `id_token_hint` comes to; null when it was not sent, or is no ID token of ours
 * @param client whom {@link clientOfRequest} names; null when it is not registered
 */
export const parseEndSessionRequest = (
  parameters: Parameters,
  hint: IdTokenHint | null,
  client: EndSessionClient | null,
): { readonly problem: EndSessionProblem } | { readonly request: EndSessionRequest } => {
  const wrong = parametersProblem(parameters)
  if (wrong !== null) return problem(wrong)
  if (parameters.get('id_token_hint') !== undefined && hint === null)
    return problem('id_token_hint is not an ID token of this service, or its key is not known any more')
  const clientId = clientOfRequest(parameters, hint)
  if (clientId !== undefined && client === null)
    return problem('client_id or id_token_hint names no application', 'ERR_INVALID_CLIENT')
  if (hint !== null && clientId !== hint.clientId)
    return problem('id_token_hint was issued to another client than client_id names')
  const uri = parameters.get('post_logout_redirect_uri')
  if (uri === undefined) return { request: { hint, target: null } }
  if (client === null) return problem('post_logout_redirect_uri needs client_id or id_token_hint beside it')
  if (!isRegisteredRedirectUri(uri, client.postLogoutRedirectUris, client.type))
    return problem('post_logout_redirect_uri is not registered')
  const state = parameters.get('state')
  return { request: { hint, target: state === undefined ? uri : responseLocation(uri, { state }) } }
}

/**
 * Whether the person is asked before this browser's session ends or stays. A token names the session that ends by
 * itself; without one, and for whoever else is signed in here, only their own click counts (§2, §6).
 * @param here the session of this browser
 */
export const mustAsk = (
  { hint, target }: EndSessionRequest,
  here: { readonly userId: string; readonly sessionId: string } | null,
): boolean => {
  if (here === null || here.sessionId === hint?.sessionId) return false
  return here.userId !== hint?.userId || target === null
}
