/**
 * RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1–2: the authorization request. Only a request with a known
 * client and a registered redirect URI is answered by a redirect. response_type `code` only; PKCE S256;
 * request objects are not read.
 */
import { grantTypesOf } from '../application/grant-types.ts'
import { isRegisteredRedirectUri } from '../application/redirect-uri.ts'
import { knownAcrValues } from './acr.ts'
import type { AuthorizationClient } from './authorization-client.ts'
import type { ErrorTarget, ResponseMode } from './authorization-response.ts'
import { parametersProblem, type Parameters } from './parameters.ts'
import { challengeProblem } from './pkce.ts'
import { responseModeIn } from './request-object.ts'
import { decideScopes, type GrantedScopes } from './scopes.ts'

export const prompts = ['none', 'login', 'select_account', 'consent'] as const
export type Prompt = (typeof prompts)[number]

/** A valid request. */
export interface AuthorizationRequest extends ErrorTarget, GrantedScopes {
  readonly nonce: string | null
  readonly codeChallenge: string | null
  readonly prompts: readonly Prompt[]
  /** Seconds */
  readonly maxAge: number | null
  /** The supported values; any of them suffices. */
  readonly acrValues: readonly string[]
  readonly loginHint: string | null
  /** `domain_hint`, not of OpenID Connect but widely used: the email domain of the user */
  readonly domainHint: string | null
  readonly idTokenHint: string | null
}

export type AuthorizationErrorCode =
  | 'invalid_request'
  | 'unauthorized_client'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'access_denied'
  | 'login_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'registration_not_supported'
  | 'server_error'
  | 'temporarily_unavailable'

/** Why a request is rejected. `redirectable` says whether the application can be notified, and `to` where. */
export type AuthorizationProblem =
  | { readonly redirectable: false; readonly code: 'ERR_INVALID_CLIENT' | 'ERR_INVALID_REDIRECT_URI' }
  | {
      readonly redirectable: true
      readonly to: ErrorTarget
      readonly error: AuthorizationErrorCode
      readonly description: string
    }

export type ParsedAuthorization =
  | { readonly request: AuthorizationRequest }
  | { readonly problem: AuthorizationProblem }

/** Characters that `state` must not contain (RFC 6749 appendix A.5), and that forms would not return unchanged. */
const CONTROL = /\p{Cc}/u

const isPrompt = (value: string): value is Prompt => (prompts as readonly string[]).includes(value)

const promptsOf = (text: string | undefined): readonly Prompt[] | null => {
  const values = (text ?? '').split(' ').filter((value) => value !== '')
  if (!values.every(isPrompt)) return null
  return values.includes('none') && values.length > 1 ? null : values
}

const modeOf = (sent: string | undefined, redirectUri: string): ResponseMode | null => {
  if (sent === undefined || sent === 'query') return 'query'
  return sent === 'form_post' && /^https?:/.test(redirectUri) ? 'form_post' : null
}

/** @param client the application of `client_id`; null if there is no active one */
export const parseAuthorizationRequest = (
  parameters: Parameters,
  client: AuthorizationClient | null,
): ParsedAuthorization => {
  const { get } = parameters
  if (client === null) return { problem: { redirectable: false, code: 'ERR_INVALID_CLIENT' } }
  const redirectUri = get('redirect_uri')
  if (redirectUri === undefined || !isRegisteredRedirectUri(redirectUri, client.redirectUris, client.type))
    return { problem: { redirectable: false, code: 'ERR_INVALID_REDIRECT_URI' } }

  const responseMode = modeOf(get('response_mode') ?? responseModeIn(get('request')), redirectUri)
  const state = parameters.echo('state') ?? null
  const isEchoable = state === null || !CONTROL.test(state)
  const to: ErrorTarget = {
    redirectUri,
    responseMode: responseMode ?? 'query',
    state: isEchoable ? state : null,
  }
  const refuse = (error: AuthorizationErrorCode, description: string): ParsedAuthorization => ({
    problem: { redirectable: true, to, error, description },
  })

  const problem = parametersProblem(parameters)
  if (problem !== null) return refuse('invalid_request', problem)
  if (!isEchoable) return refuse('invalid_request', 'state must not contain control characters')
  if (get('request') !== undefined)
    return refuse('request_not_supported', 'request objects are not supported')
  if (get('request_uri') !== undefined)
    return refuse('request_uri_not_supported', 'request objects are not supported')
  if (get('registration') !== undefined)
    return refuse('registration_not_supported', 'clients are registered by an administrator')
  if (!grantTypesOf(client.type).includes('authorization_code'))
    return refuse('unauthorized_client', 'this type of application cannot sign users in with a redirect')
  const responseType = get('response_type')
  if (responseType === undefined) return refuse('invalid_request', 'response_type is required')
  if (responseType !== 'code') return refuse('unsupported_response_type', 'response_type must be code')
  if (responseMode === null)
    return refuse('invalid_request', 'response_mode must be query, or form_post to an http(s) address')
  const challenge = get('code_challenge')
  const pkce = challengeProblem(
    { challenge, method: get('code_challenge_method') },
    client.requirePkce || client.type !== 'web',
  )
  if (pkce !== null) return refuse('invalid_request', pkce)
  const decided = decideScopes(get('scope'), parameters.all('resource'), client.scopes)
  if ('error' in decided) return refuse(decided.error, decided.description)
  if (decided.granted.scopes.length === 0) return refuse('invalid_scope', 'scope contains no supported scope')
  const requestedPrompts = promptsOf(get('prompt'))
  if (requestedPrompts === null)
    return refuse('invalid_request', 'prompt must be none, or any of login, select_account, consent')
  const maxAge = get('max_age')
  if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge))
    return refuse('invalid_request', 'max_age must be a whole number of seconds')

  return {
    request: {
      ...to,
      ...decided.granted,
      nonce: get('nonce') ?? null,
      codeChallenge: challenge ?? null,
      prompts: requestedPrompts,
      maxAge: maxAge === undefined ? null : Number(maxAge),
      acrValues: knownAcrValues(get('acr_values')),
      loginHint: get('login_hint') ?? null,
      domainHint: get('domain_hint') ?? null,
      idTokenHint: get('id_token_hint') ?? null,
    },
  }
}
