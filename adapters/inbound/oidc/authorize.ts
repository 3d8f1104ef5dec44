/**
 * OpenID Connect Core §3.1.2, RFC 6749 §4.1, RFC 9700 §4.12 (303, never 307): the authorization endpoint. Nothing is
 * written here but the request that waits for a sign-in, and what came of a session that is there; the code itself is a
 * sealed record.
 */
import { acceptsAuthorization } from '../../../domain/oidc/authorization-client.ts'
import {
  parseAuthorizationRequest,
  type AuthorizationErrorCode,
  type AuthorizationRequest,
} from '../../../domain/oidc/authorization-request.ts'
import {
  responseFields,
  responseLocation,
  type AuthorizationAnswer,
  type ErrorTarget,
} from '../../../domain/oidc/authorization-response.ts'
import type { Parameters } from '../../../domain/oidc/parameters.ts'
import { signInNeed, type SignInReason } from '../../../domain/oidc/sign-in-need.ts'
import type { SignInInterruption } from '../../../domain/sign-in/events.ts'
import type { Instant } from '../../../domain/time.ts'
import { oidcOnly, type OidcApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import type { Configuration } from '../../application/services/configuration.ts'
import { newId } from '../../kernel/ids.ts'
import { sessionSecretIn } from '../sign-in/cookie.ts'
import { authorizationClientOf } from './clients.ts'
import type { OidcContext } from './context.ts'
import { openIdTokenHint } from './id-tokens.ts'
import type { ErrorPageModel } from '../sign-in/pages.ts'
import type { BrowserAnswer, BrowserRequest } from '../sign-in/browser-request.ts'
import type { PendingAuthorization } from '../sign-in/pending-authorization.ts'
import { isUnavailable } from '../http/errors.ts'
import { authorizationAttempts } from '../sign-in/sign-in-attempts.ts'

const interruptions = {
  ERR_REAUTH_REQUIRED: 'reauth_required',
  ERR_STRONGER_AUTH_REQUIRED: 'stronger_auth_required',
} as const satisfies Record<SignInReason, SignInInterruption>

export const authorization = (context: OidcContext) => {
  const { services, sessions, requests, codes, check, checkEntrance, pages, seen, onError } = context
  const { clock, configuration: cache, publicUrl } = services
  const attempts = authorizationAttempts(services, onError, seen)

  const errorPage = (model: ErrorPageModel): BrowserAnswer => ({
    status: model.status,
    page: pages.error(model),
  })

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
          page: pages.formPost({ action: to.redirectUri, fields, applicationName: application.name }),
        }
  }

  const refuse = (
    application: OidcApplicationConfiguration,
    to: ErrorTarget,
    error: AuthorizationErrorCode,
    description: string,
  ): BrowserAnswer => answer(application, to, { error, error_description: description })

  /**
   * A known application is told of what fails on our side: the browser may be showing it in a frame that nobody sees,
   * and the request that waited is used up.
   */
  const told = async <T>(
    application: OidcApplicationConfiguration,
    to: ErrorTarget,
    requestId: string,
    work: () => Promise<T>,
  ): Promise<T | BrowserAnswer> => {
    try {
      return await work()
    } catch (error) {
      if (isUnavailable(error)) return refuse(application, to, 'temporarily_unavailable', 'try again')
      onError(error, requestId)
      return refuse(application, to, 'server_error', 'the request could not be completed')
    }
  }

  /** In an outage what is in memory still tells where an application is told of it; nothing else comes of it. */
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

  const toSignIn = async (
    application: OidcApplicationConfiguration,
    pending: PendingAuthorization,
    { ip }: BrowserRequest,
  ): Promise<BrowserAnswer> => {
    const { id } = await requests.create(application.id, pending, ip)
    return { location: `${publicUrl}/sign-in?authRequest=${id}` }
  }

  const issueCode = (
    application: OidcApplicationConfiguration,
    request: AuthorizationRequest,
    session: { readonly userId: string; readonly sessionId: string; readonly authTime: Instant },
    authorizedAt: string,
  ): BrowserAnswer => {
    const code = codes.issue({
      grantId: newId('apiGrant'),
      applicationId: application.id,
      userId: session.userId,
      sessionId: session.sessionId,
      scopes: request.scopes,
      apiResourceIds: request.apiResourceIds,
      authTime: session.authTime,
      redirectUri: request.redirectUri,
      codeChallenge: request.codeChallenge,
      nonce: request.nonce,
      authorizedAt,
    })
    return answer(application, request, { code })
  }

  const subjectIn = (
    { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
    { id: applicationId }: OidcApplicationConfiguration,
  ) => ({ applicationId, userId, sessionId, grantId: null, authorizedAt: null, offline: false })

  const proceed = async (
    application: OidcApplicationConfiguration,
    pending: PendingAuthorization,
    configuration: Configuration,
    browser: BrowserRequest,
    signedIn: string | null,
  ): Promise<BrowserAnswer> => {
    const { cookie, requestId } = browser
    const { request, askedAt } = pending
    const { idTokenHint, maxAge, prompts } = request
    const hint = idTokenHint === null ? null : await openIdTokenHint(idTokenHint, publicUrl, configuration)
    const hintedUserId = hint?.clientId === application.clientId ? hint.userId : null
    if (idTokenHint !== null && hintedUserId === null)
      return refuse(
        application,
        request,
        'invalid_request',
        'id_token_hint is not an ID token of this client',
      )

    const session = await sessions.fromCookie(cookie)
    const notBefore = maxAge === null ? null : clock.in(-maxAge)
    const need = signInNeed(request, { session, askedAt, notBefore, hintedUserId })
    const silent = prompts.includes('none')
    const entrance = session === null ? null : { session, applicationId: application.id, silent }
    if (need.need === 'refuse') {
      if (entrance !== null) await attempts.interrupted(entrance, browser, 'reauth_required')
      return refuse(application, request, 'login_required', need.description)
    }
    if (need.need === 'sign_in' || session === null || entrance === null) {
      const reason = need.need === 'sign_in' ? need.reason : null
      if (entrance !== null && reason !== null)
        await attempts.interrupted(entrance, browser, interruptions[reason])
      return toSignIn(application, { ...pending, reason }, browser)
    }

    const checked = await check(subjectIn(session, application), false)
    const { outcome } = checked
    const current = oidcOnly(checked.application)
    if (current?.status !== 'active') {
      if (current?.status === 'disabled') await attempts.refused(entrance, browser, 'app_disabled')
      return errorPage({ status: 400, code: 'ERR_INVALID_CLIENT', requestId })
    }
    if (outcome.verdict === 'good') {
      attempts.entered(entrance, browser, signedIn === session.sessionId)
      return issueCode(current, request, session, outcome.state.position)
    }
    if (outcome.verdict === 'void')
      return silent
        ? refuse(current, request, 'login_required', 'the person has to sign in, which prompt=none forbids')
        : toSignIn(current, { ...pending, reason: null }, browser)
    await attempts.refused(entrance, browser, 'not_assigned')
    if (silent) return refuse(current, request, 'access_denied', 'the person may not use this application')
    const { id } = await requests.create(current.id, { ...pending, refused: true }, browser.ip)
    return errorPage({
      status: 403,
      code: 'ERR_NOT_ASSIGNED',
      applicationName: current.name,
      requestId,
      back: { authRequest: id, target: request.redirectUri },
    })
  }

  /**
   * The common case in one look-up: it tells whose session this is, whether they may use the application, and whether
   * the configuration that the request was read by is in force. Null when there is more to it.
   */
  const atOnce = async (parameters: Parameters, browser: BrowserRequest): Promise<BrowserAnswer | null> => {
    const { cookie, requestId } = browser
    const configuration = cache.now()
    const application = configuration.applicationByClientId.get(parameters.get('client_id') ?? '')
    const secret = sessionSecretIn(cookie, publicUrl)
    if (secret === null || application?.status !== 'active') return null
    const parsed = parseAuthorizationRequest(parameters, authorizationClientOf(application, configuration))
    if ('problem' in parsed || parsed.request.idTokenHint !== null) return null
    const { request } = parsed
    return told(application, request, requestId, async () => {
      const checked = await checkEntrance(secret, application.id)
      if (checked === null) return null
      const { session, outcome, configuration: inForce } = checked
      const notBefore = request.maxAge === null ? null : clock.in(-request.maxAge)
      const { need } = signInNeed(request, { session, askedAt: clock.now(), notBefore, hintedUserId: null })
      if (need !== 'none' || inForce !== configuration || outcome.verdict !== 'good') return null
      const silent = request.prompts.includes('none')
      attempts.entered({ session, applicationId: application.id, silent }, browser, false)
      return issueCode(application, request, session, outcome.state.position)
    })
  }

  /** Tells of someone signed in whom a disabled application keeps out. */
  const noteDisabled = async (
    application: OidcApplicationConfiguration | null | undefined,
    browser: BrowserRequest,
    silent: boolean,
  ): Promise<void> => {
    if (application?.status !== 'disabled') return
    const session = await sessions.fromCookie(browser.cookie)
    if (session !== null)
      await attempts.refused({ session, applicationId: application.id, silent }, browser, 'app_disabled')
  }

  /** The waiting request and its application, which may have changed since; a page where that is the end of it. */
  const taken = async (parameters: Parameters | null, browser: BrowserRequest) => {
    const { requestId } = browser
    const id = parameters?.get('authRequest')
    const waiting = id === undefined ? null : await requests.take(id)
    if (waiting === null)
      return { page: errorPage({ status: 404, code: 'ERR_AUTH_REQUEST_EXPIRED', requestId }) }
    const configuration = await cache.fresh()
    const application = oidcOnly(configuration.applicationById.get(waiting.applicationId))
    if (application?.status !== 'active') {
      await noteDisabled(application, browser, false)
      return { page: errorPage({ status: 400, code: 'ERR_INVALID_CLIENT', requestId }) }
    }
    const { redirectUri } = waiting.parameters.request
    if (!acceptsAuthorization({ type: application.type, ...application.settings }, redirectUri))
      return {
        page: errorPage({
          status: 400,
          code: 'ERR_INVALID_REDIRECT_URI',
          applicationName: application.name,
          requestId,
        }),
      }
    return { pending: waiting.parameters, application, configuration, signedIn: waiting.signedIn }
  }

  return {
    /** @param posted a form from another site comes without the session's cookie, so it goes on as a GET of ours */
    begin: async (
      parameters: Parameters,
      browser: BrowserRequest,
      posted: boolean,
    ): Promise<BrowserAnswer> => {
      const { requestId } = browser
      const common = posted ? null : await atOnce(parameters, browser)
      if (common !== null) return common
      const { configuration, mustBeFresh } = await known()
      const named = configuration.applicationByClientId.get(parameters.get('client_id') ?? '')
      const application = named?.status === 'active' ? named : null
      const parsed = parseAuthorizationRequest(
        parameters,
        application === null ? null : authorizationClientOf(application, configuration),
      )
      if ('problem' in parsed) {
        const { problem } = parsed
        if (problem.redirectable && application !== null)
          return refuse(application, problem.to, problem.error, problem.description)
        mustBeFresh()
        await noteDisabled(named, browser, parameters.get('prompt') === 'none')
        return errorPage({
          status: 400,
          code: problem.redirectable ? 'ERR_INVALID_CLIENT' : problem.code,
          requestId,
          ...(application === null ? {} : { applicationName: application.name }),
        })
      }
      if (application === null) return errorPage({ status: 400, code: 'ERR_INVALID_CLIENT', requestId })
      const { request } = parsed
      return told(application, request, requestId, async () => {
        mustBeFresh()
        const pending: PendingAuthorization = { request, askedAt: clock.now(), reason: null }
        if (!posted) return proceed(application, pending, configuration, browser, null)
        const { id } = await requests.create(application.id, pending, browser.ip)
        return { location: `${publicUrl}/oauth2/authorize/resume?authRequest=${id}` }
      })
    },

    /** After a sign-in. */
    resume: async (parameters: Parameters, browser: BrowserRequest): Promise<BrowserAnswer> => {
      const { requestId } = browser
      const found = await taken(parameters, browser)
      if ('page' in found) return found.page
      const { application, pending, configuration, signedIn } = found
      return told(application, pending.request, requestId, () =>
        proceed(application, pending, configuration, browser, signedIn),
      )
    },

    /** The person goes back to the application without signing in. */
    cancel: async (parameters: Parameters | null, browser: BrowserRequest): Promise<BrowserAnswer> => {
      const found = await taken(parameters, browser)
      if ('page' in found) return found.page
      const { application, pending } = found
      return told(application, pending.request, browser.requestId, async () => {
        if (pending.refused !== true)
          await attempts.cancelled(application.id, await sessions.fromCookie(browser.cookie), browser)
        return refuse(application, pending.request, 'access_denied', 'the person went back')
      })
    },
  }
}

export type Authorization = ReturnType<typeof authorization>
