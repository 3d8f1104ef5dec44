/**
 * OpenID Connect Core §3.1.2, RFC 6749 §4.1, RFC 9700 §4.12 (303, never 307): the authorization endpoint. The code is a
 * sealed record: nothing is stored for it.
 */
import { acceptsAuthorization } from '../../../domain/oidc/authorization-client.ts'
import {
  parseAuthorizationRequest,
  type AuthorizationErrorCode,
} from '../../../domain/oidc/authorization-request.ts'
import {
  responseFields,
  responseLocation,
  type AuthorizationAnswer,
  type ErrorTarget,
} from '../../../domain/oidc/authorization-response.ts'
import type { Parameters } from '../../../domain/oidc/parameters.ts'
import { signInNeed } from '../../../domain/oidc/sign-in-need.ts'
import { oidcOnly, type OidcApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import type { Configuration } from '../../application/services/configuration.ts'
import { newId } from '../../kernel/ids.ts'
import { languageOfList } from '../../kernel/language.ts'
import { isUnavailable } from '../http/errors.ts'
import { applicationSignIn } from '../sign-in/application-sign-in.ts'
import type { BrowserAnswer, BrowserRequest } from '../sign-in/browser-request.ts'
import type { PendingAuthorization } from '../sign-in/pending-authorization.ts'
import { isAuthorization, resumePaths } from '../sign-in/pending-sign-on.ts'
import type { Refusal, SignInProtocol } from '../sign-in/sign-in-protocol.ts'
import { authorizationClientOf } from './clients.ts'
import type { OidcContext } from './context.ts'
import { openIdTokenHint } from './id-tokens.ts'

const refusalOf = (refusal: Refusal): { error: AuthorizationErrorCode; error_description: string } => {
  switch (refusal.reason) {
    case 'invalid_request':
    case 'login_required':
      return { error: refusal.reason, error_description: refusal.description }
    case 'not_assigned':
      return { error: 'access_denied', error_description: 'the user has no access to this application' }
    case 'blocked_by_policy':
      return { error: 'access_denied', error_description: 'an access policy blocked the sign-in' }
    case 'cancelled':
      return { error: 'access_denied', error_description: 'the user cancelled the sign-in' }
  }
}

export const authorization = (context: OidcContext) => {
  const { services, codes, pages, onError } = context
  const { clock, configuration: cache, publicUrl } = services

  const answer = (
    application: OidcApplicationConfiguration,
    to: ErrorTarget,
    what: AuthorizationAnswer,
  ): BrowserAnswer => {
    const fields = responseFields(to, publicUrl, what)
    return to.responseMode === 'query'
      ? { location: responseLocation(to.redirectUri, fields) }
      : {
          status: 200,
          page: pages.formPost({
            action: to.redirectUri,
            fields,
            applicationName: application.name,
            leadsToApps: true,
          }),
        }
  }

  /**
   * A known application is notified of failures on our side: the request may come from an invisible frame, and the
   * pending request is used up.
   */
  const guarded = async <T>(
    application: OidcApplicationConfiguration,
    to: ErrorTarget,
    requestId: string,
    work: () => Promise<T>,
  ): Promise<T | BrowserAnswer> => {
    try {
      return await work()
    } catch (error) {
      if (isUnavailable(error))
        return answer(application, to, {
          error: 'temporarily_unavailable',
          error_description: 'try again',
        })
      onError(error, requestId)
      return answer(application, to, {
        error: 'server_error',
        error_description: 'the request could not be completed',
      })
    }
  }

  const protocol: SignInProtocol<OidcApplicationConfiguration, PendingAuthorization> = {
    resumePath: resumePaths.oidc,
    namesGroups: false,
    ownApplication: oidcOnly,
    isOwn: isAuthorization,
    isSilent: ({ request }) => request.prompts.includes('none'),
    mayInteract: ({ request }) => !request.prompts.includes('none'),
    isRecorded: true,
    registration: ({ type, settings }, { request }) =>
      acceptsAuthorization({ type, ...settings }, request.redirectUri)
        ? 'registered'
        : { code: 'ERR_INVALID_REDIRECT_URI' },
    need: async ({ application, configuration, pending: { request, askedAt: requestedAt } }, session) => {
      const { idTokenHint, maxAge } = request
      const hint = idTokenHint === null ? null : await openIdTokenHint(idTokenHint, publicUrl, configuration)
      const hintedUserId = hint?.clientId === application.clientId ? hint.userId : null
      if (idTokenHint !== null && hintedUserId === null)
        return { need: 'invalid', description: 'id_token_hint is not an ID token of this client' }
      const notBefore = maxAge === null ? null : clock.in(-maxAge)
      return signInNeed(request, { session, requestedAt, notBefore, hintedUserId })
    },
    returnTo: ({ request }) => request.redirectUri,
    refuse: ({ application, pending: { request } }, refusal) =>
      answer(application, request, refusalOf(refusal)),
    answer: ({ application, pending: { request } }, { session, state }) => {
      const code = codes.issue({
        grantId: newId('grant'),
        applicationId: application.id,
        userId: session.userId,
        sessionId: session.sessionId,
        scopes: request.scopes,
        apiResourceIds: request.apiResourceIds,
        authTime: session.authTime,
        redirectUri: request.redirectUri,
        codeChallenge: request.codeChallenge,
        nonce: request.nonce,
        authorizedAt: state.position,
      })
      return Promise.resolve({ entered: answer(application, request, { code }) })
    },
    guarded: ({ application, pending: { request } }, requestId, work) =>
      guarded(application, request, requestId, work),
  }
  const signIn = applicationSignIn(context, protocol)

  /**
   * During an outage, the configuration in memory still provides the address for reporting the error; it is used for
   * nothing else.
   */
  const known = async (): Promise<{
    readonly configuration: Configuration
    readonly mustBeFresh: () => void
  }> => {
    try {
      return { configuration: await cache.fresh(), mustBeFresh: () => undefined }
    } catch (error) {
      return {
        configuration: cache.now(),
        mustBeFresh: () => {
          throw error
        },
      }
    }
  }

  /** Parses parameters under this configuration. */
  const parsedBy = (configuration: Configuration, parameters: Parameters) => {
    const named = configuration.applicationByClientId.get(parameters.get('client_id') ?? '')
    const application = named?.status === 'active' ? named : null
    const client = application === null ? null : authorizationClientOf(application, configuration)
    return { named, application, parsed: parseAuthorizationRequest(parameters, client) }
  }

  /** The common case, with the configuration in memory. */
  const atOnce = async (parameters: Parameters, browser: BrowserRequest): Promise<BrowserAnswer | null> => {
    if (browser.cookie === undefined) return null
    const configuration = cache.now()
    const { application, parsed } = parsedBy(configuration, parameters)
    if (application === null || 'problem' in parsed) return null
    const { request } = parsed
    const pending: PendingAuthorization = { request, askedAt: clock.now(), reason: null }
    return guarded(application, request, browser.requestId, () =>
      signIn.atOnce({ application, configuration, pending }, browser),
    )
  }

  return {
    /** @param posted as in `applicationSignIn` */
    begin: async (
      parameters: Parameters,
      request: BrowserRequest,
      posted: boolean,
    ): Promise<BrowserAnswer> => {
      const browser = { ...request, language: languageOfList(parameters.get('ui_locales')) }
      const common = posted ? null : await atOnce(parameters, browser)
      if (common !== null) return common
      const { configuration, mustBeFresh } = await known()
      const { named, application, parsed } = parsedBy(configuration, parameters)
      if ('problem' in parsed) {
        const { problem } = parsed
        if (problem.redirectable && application !== null) {
          const { to, error, description } = problem
          return answer(application, to, { error, error_description: description })
        }
        mustBeFresh()
        const unknown = await signIn.noApplication(named, browser, parameters.get('prompt') === 'none')
        return problem.redirectable
          ? unknown
          : signIn.errorPage({
              status: 400,
              code: problem.code,
              requestId: browser.requestId,
              ...(application === null ? {} : { applicationName: application.name }),
            })
      }
      if (application === null) return signIn.noApplication(named, browser)
      const { request: asked } = parsed
      return guarded(application, asked, browser.requestId, () => {
        mustBeFresh()
        const pending: PendingAuthorization = { request: asked, askedAt: clock.now(), reason: null }
        return signIn.begin({ application, configuration, pending }, browser, posted)
      })
    },
    resume: signIn.resume,
    cancel: signIn.cancel,
  }
}

export type Authorization = ReturnType<typeof authorization>
