/**
 * SAML 2.0 Profiles §4.1, the web browser SSO profile, on the same sessions, waiting requests, assignments and sign-in
 * events as OpenID Connect. Nothing is sent to an address that is not registered: what cannot be answered ends on a page
 * of ours.
 */
import {
  acceptAuthnRequest,
  type AuthnRequest,
  type AuthnRequestProblem,
} from '../../../domain/saml/authn-request.ts'
import type { SamlApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import type { LiveSession } from '../../../read-models/queries/sign-in-state.ts'
import type { Configuration } from '../../application/services/configuration.ts'
import type { BrowserAnswer, BrowserRequest } from '../sign-in/browser-request.ts'
import type { AuthRequests } from '../sign-in/auth-requests.ts'
import type { OidcContext } from '../oidc/context.ts'
import type { ErrorPageModel } from '../sign-in/pages.ts'
import { authorizationAttempts } from '../sign-in/sign-in-attempts.ts'
import { canBeNamed } from '../../../domain/saml/subject.ts'
import { samlAnswers, type SignedOn } from './answer.ts'
import type { BoundMessage } from './binding.ts'
import { ssoUrl } from './metadata.ts'
import type { Pending, PendingSignOn } from '../sign-in/pending-sign-on.ts'
import { isSignOn } from '../sign-in/pending-sign-on.ts'
import { SamlRequestError } from './request-error.ts'
import { readAuthnRequest } from './request.ts'

export const RESUME_PATH = '/saml/sso/resume'

export interface SamlContext extends Pick<
  OidcContext,
  'services' | 'sessions' | 'check' | 'pages' | 'seen' | 'onError'
> {
  readonly requests: AuthRequests<Pending>
}

type Problem = Omit<AuthnRequestProblem, 'code'> & Pick<ErrorPageModel, 'code'>

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,189}$/

export const samlSignOn = (context: SamlContext) => {
  const { services, sessions, requests, check, pages, seen, onError } = context
  const { clock, configuration: cache, publicUrl } = services
  const attempts = authorizationAttempts(services, onError, seen)
  const answers = samlAnswers(context)

  const errorPage = (model: ErrorPageModel): BrowserAnswer => ({
    status: model.status,
    page: pages.error(model),
  })
  const badRequest = (
    { code, description }: Problem,
    { requestId }: BrowserRequest,
    application?: SamlApplicationConfiguration,
  ): BrowserAnswer =>
    errorPage({
      status: 400,
      code,
      requestId,
      detail: description,
      ...(application === undefined ? {} : { applicationName: application.name }),
    })

  /** For an application that is not known here, or not any more. */
  const noApplication = async (
    application: { readonly id: string; readonly status: string } | undefined,
    browser: BrowserRequest,
  ): Promise<BrowserAnswer> => {
    const session = application?.status === 'disabled' ? await sessions.fromCookie(browser.cookie) : null
    if (application !== undefined && session !== null)
      await attempts.refused(
        { session, applicationId: application.id, silent: false },
        browser,
        'app_disabled',
      )
    return errorPage({ status: 400, code: 'ERR_INVALID_CLIENT', requestId: browser.requestId })
  }

  /** Whether what was accepted when it came is so still. */
  const stillRegistered = ({ saml }: SamlApplicationConfiguration, pending: PendingSignOn): boolean =>
    saml.entityId === pending.entityId && saml.acsUrls.includes(pending.acsUrl)

  const notRegistered = (application: SamlApplicationConfiguration, browser: BrowserRequest): BrowserAnswer =>
    badRequest(
      { code: 'ERR_INVALID_REDIRECT_URI', description: 'the address is not registered any more' },
      browser,
      application,
    )

  const toSignIn = async (
    applicationId: string,
    pending: PendingSignOn,
    { ip }: BrowserRequest,
  ): Promise<BrowserAnswer> => {
    const { id } = await requests.create(applicationId, pending, ip)
    return { location: `${publicUrl}/sign-in?authRequest=${id}` }
  }

  const subjectIn = ({ userId, sessionId }: LiveSession, applicationId: string) => ({
    applicationId,
    userId,
    sessionId,
    grantId: null,
    authorizedAt: null,
    offline: false,
  })

  const enter = async (
    application: SamlApplicationConfiguration,
    configuration: Configuration,
    pending: PendingSignOn,
    signedOn: SignedOn,
    browser: BrowserRequest,
    signedIn: string | null,
  ): Promise<BrowserAnswer> => {
    const { session } = signedOn
    if (!canBeNamed(application.saml.nameIdFormat, signedOn.state))
      return answers.denial(application, configuration, pending, 'requestDenied')
    const answer = await answers.assertion(application, configuration, pending, signedOn, browser)
    if (answer === null)
      return errorPage({
        status: 400,
        code: 'ERR_AUTH_REQUEST_EXPIRED',
        applicationName: application.name,
        requestId: browser.requestId,
      })
    const entrance = { session, applicationId: application.id, silent: false }
    attempts.entered(entrance, browser, signedIn === session.sessionId)
    return answer
  }

  /** @param signedIn the session that the person has just signed in with for it; null when it was there */
  const proceed = async (
    { id: applicationId }: SamlApplicationConfiguration,
    pending: PendingSignOn,
    browser: BrowserRequest,
    signedIn: string | null,
  ): Promise<BrowserAnswer> => {
    const { cookie, requestId } = browser
    const session = await sessions.fromCookie(cookie)
    if (session === null) return toSignIn(applicationId, pending, browser)
    const { outcome, application, configuration } = await check(subjectIn(session, applicationId), true)
    if (application?.status !== 'active' || application.protocol !== 'saml')
      return noApplication(application ?? undefined, browser)
    if (!stillRegistered(application, pending)) return notRegistered(application, browser)
    if (outcome.verdict === 'void') return toSignIn(applicationId, pending, browser)
    if (outcome.verdict === 'good')
      return enter(application, configuration, pending, { session, state: outcome.state }, browser, signedIn)
    await attempts.refused({ session, applicationId, silent: false }, browser, 'not_assigned')
    const model = {
      status: 403,
      code: 'ERR_NOT_ASSIGNED',
      applicationName: application.name,
      requestId,
    } as const
    if (pending.requestId === null) return errorPage(model)
    const { id } = await requests.create(applicationId, { ...pending, refused: true }, browser.ip)
    return errorPage({ ...model, back: { authRequest: id, target: pending.acsUrl } })
  }

  /** The waiting sign-in and its application, which may have changed since; a page where that is the end of it. */
  const taken = async (
    id: string | undefined,
    browser: BrowserRequest,
  ): Promise<
    | { readonly end: BrowserAnswer }
    | {
        readonly pending: PendingSignOn
        readonly application: SamlApplicationConfiguration
        readonly configuration: Configuration
        readonly signedIn: string | null
      }
  > => {
    const { requestId } = browser
    const waiting = id === undefined ? null : await requests.take(id)
    if (waiting === null || !isSignOn(waiting.parameters))
      return { end: errorPage({ status: 404, code: 'ERR_AUTH_REQUEST_EXPIRED', requestId }) }
    const configuration = await cache.fresh()
    const application = configuration.applicationById.get(waiting.applicationId)
    if (application?.status !== 'active' || application.protocol !== 'saml')
      return { end: await noApplication(application, browser) }
    const { parameters: pending, signedIn } = waiting
    return stillRegistered(application, pending)
      ? { pending, application, configuration, signedIn }
      : { end: notRegistered(application, browser) }
  }

  /** What a request comes to by this configuration. */
  const asked = (
    { samlByEntityId }: Configuration,
    { request, relayState }: { readonly request: AuthnRequest; readonly relayState: string | null },
  ) => {
    const application = samlByEntityId.get(request.issuer)
    if (application?.status !== 'active') return { unknown: application }
    const { saml } = application
    const nowMs = Date.parse(clock.now())
    const accepted = acceptAuthnRequest(request, { ...saml, ssoUrl: ssoUrl(publicUrl), nowMs })
    if ('problem' in accepted) return { application, problem: accepted.problem }
    const { subject } = request
    const pending: PendingSignOn = {
      protocol: 'saml',
      entityId: saml.entityId,
      requestId: request.id,
      acsUrl: accepted.acsUrl,
      relayState,
      loginHint: subject !== null && EMAIL.test(subject) ? subject : null,
    }
    return { application, pending }
  }

  /**
   * The common case in two look-ups: the one that tells whether the person may use the application also tells whether
   * the configuration that the request was read by is in force. Null when there is more to it.
   */
  const atOnce = async (
    message: Parameters<typeof asked>[1],
    browser: BrowserRequest,
  ): Promise<BrowserAnswer | null> => {
    const configuration = cache.now()
    const { application, pending } = asked(configuration, message)
    if (browser.cookie === undefined || pending === undefined) return null
    const session = await sessions.fromCookie(browser.cookie)
    if (session === null) return null
    const { outcome, configuration: inForce } = await check(subjectIn(session, application.id), true)
    if (inForce !== configuration || outcome.verdict !== 'good') return null
    return enter(application, configuration, pending, { session, state: outcome.state }, browser, null)
  }

  return {
    /**
     * An application asks.
     * @param read gives the message, or throws SamlRequestError
     * @param posted a form from another site comes without the session's cookie, so it goes on as a GET of ours
     */
    begin: async (
      read: () => Promise<BoundMessage>,
      browser: BrowserRequest,
      posted: boolean,
    ): Promise<BrowserAnswer> => {
      try {
        const { xml, relayState } = await read()
        const message = { request: readAuthnRequest(xml), relayState }
        const common = posted ? null : await atOnce(message, browser)
        if (common !== null) return common
        const { unknown, application, problem, pending } = asked(await cache.fresh(), message)
        if (application === undefined) return await noApplication(unknown, browser)
        if (problem !== undefined) return badRequest(problem, browser, application)
        if (!posted) return await proceed(application, pending, browser, null)
        const { id } = await requests.create(application.id, pending, browser.ip)
        return { location: `${publicUrl}${RESUME_PATH}?authRequest=${id}` }
      } catch (error) {
        if (!(error instanceof SamlRequestError)) throw error
        return badRequest({ code: 'ERR_INVALID_SAML_REQUEST', description: error.message }, browser)
      }
    },

    /** A person opens an application from here (Profiles §4.1.5, unsolicited responses). */
    launch: async (applicationId: string, browser: BrowserRequest): Promise<BrowserAnswer> => {
      const application = (await cache.fresh()).applicationById.get(applicationId)
      if (application?.status !== 'active' || application.protocol !== 'saml')
        return noApplication(application, browser)
      const { entityId, acsUrls, defaultRelayState } = application.saml
      const [acsUrl] = acsUrls
      if (acsUrl === undefined) return notRegistered(application, browser)
      const pending: PendingSignOn = {
        protocol: 'saml',
        entityId,
        requestId: null,
        acsUrl,
        relayState: defaultRelayState ?? null,
        loginHint: null,
      }
      return proceed(application, pending, browser, null)
    },

    /** After a sign-in. */
    resume: async (id: string | undefined, browser: BrowserRequest): Promise<BrowserAnswer> => {
      const found = await taken(id, browser)
      if ('end' in found) return found.end
      return proceed(found.application, found.pending, browser, found.signedIn)
    },

    /** The person goes back without an assertion; to the service's own pages where no application asked. */
    cancel: async (id: string, browser: BrowserRequest): Promise<BrowserAnswer> => {
      const found = await taken(id, browser)
      if ('end' in found) return found.end
      const { application, configuration, pending } = found
      if (pending.refused !== true)
        await attempts.cancelled(application.id, await sessions.fromCookie(browser.cookie), browser)
      if (pending.requestId === null) return { location: `${publicUrl}/` }
      const denial = pending.refused === true ? 'requestDenied' : 'authnFailed'
      return answers.denial(application, configuration, pending, denial)
    },
  }
}

export type SamlSignOn = ReturnType<typeof samlSignOn>
