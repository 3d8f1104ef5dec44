/**
 * Signing in to an application, the same way for every protocol: start, resume after a sign-in, cancel. This stores
 * only the pending request, and records only the outcome for an existing session.
 */
import type { SignInReason } from '../../../domain/oidc/sign-in-need.ts'
import type { RiskType } from '../../../domain/risk/events.ts'
import type { SignInDecision, SignInInterruption } from '../../../domain/sign-in/events.ts'
import type { ApplicationConfiguration } from '../../../read-models/queries/configuration.ts'
import type { LiveSession } from '../../../read-models/queries/sign-in-state.ts'
import { refusalReasons, riskReasons } from '../../application/sign-in/access-policies.ts'
import type { CheckSubject } from '../../application/sign-in/token-check.ts'
import type { BrowserAnswer, BrowserRequest } from './browser-request.ts'
import { sessionSecretIn } from './cookie.ts'
import type { ErrorPageModel } from './pages.ts'
import type { Pending } from './pending-sign-on.ts'
import { authorizationAttempts, unrecordedAttempts } from './sign-in-attempts.ts'
import type { SignInContext } from './sign-in-context.ts'
import type { Accepted, Entrance, SignInProtocol } from './sign-in-protocol.ts'

const interruptions = {
  ERR_REAUTH_REQUIRED: 'reauth_required',
  ERR_STRONGER_AUTH_REQUIRED: 'stronger_auth_required',
} as const satisfies Record<SignInReason, SignInInterruption>

/** The parameter for the language that the application asks for */
const languageWish = (language: BrowserRequest['language']): string =>
  language === null || language === undefined ? '' : `&language=${language}`

const policyReasons = {
  require_strong: 'ERR_STRONGER_AUTH_REQUIRED',
  require_reauth: 'ERR_REAUTH_REQUIRED',
} as const

const subjectIn = ({ userId, sessionId }: LiveSession, applicationId: string): CheckSubject => ({
  applicationId,
  userId,
  sessionId,
  grantId: null,
  authorizedAt: null,
  offline: false,
})

export const applicationSignIn = <Application extends ApplicationConfiguration, P extends Pending>(
  context: SignInContext,
  protocol: SignInProtocol<Application, P>,
) => {
  const { services, sessions, requests, check, checkEntrance, policies, pages, seen, onError } = context
  const { configuration: cache, publicUrl } = services
  const riskReason = riskReasons(services)
  const attempts = protocol.isRecorded
    ? authorizationAttempts(services, onError, seen)
    : unrecordedAttempts(seen)
  type Request = Accepted<Application, P>

  const errorPage = (model: ErrorPageModel): BrowserAnswer => ({
    status: model.status,
    page: pages.error(model),
  })

  /** Handles an unknown or disabled application. Records the user who was rejected by a disabled one. */
  const noApplication = async (
    application: ApplicationConfiguration | null | undefined,
    browser: BrowserRequest,
    silent = false,
  ): Promise<BrowserAnswer> => {
    const session = application?.status === 'disabled' ? await sessions.fromCookie(browser.cookie) : null
    if (application && session !== null)
      await attempts.refused({ session, applicationId: application.id, silent }, browser, 'app_disabled')
    return errorPage({ status: 400, code: 'ERR_INVALID_CLIENT', requestId: browser.requestId })
  }

  const toSignIn = async (
    { application, pending }: Request,
    reason: SignInReason | null,
    { ip, language }: BrowserRequest,
    risk: RiskType | null = null,
  ): Promise<BrowserAnswer> => {
    const { id } = await requests.create(application.id, { ...pending, reason, risk }, ip)
    return { location: `${publicUrl}/sign-in?authRequest=${id}${languageWish(language)}` }
  }

  /** Returns the error page for an address that is no longer registered; null if it still is. */
  const notRegistered = ({ application, pending }: Request, { requestId }: BrowserRequest) => {
    const registration = protocol.registration(application, pending)
    return registration === 'registered'
      ? null
      : errorPage({ status: 400, ...registration, applicationName: application.name, requestId })
  }

  /** The user may not use the application. */
  const denied = async (
    request: Request,
    session: LiveSession,
    browser: BrowserRequest,
    reason: 'not_assigned' | 'blocked_by_policy',
  ): Promise<BrowserAnswer> => {
    const { application, pending } = request
    if (protocol.isSilent(pending)) return protocol.refuse(request, { reason, session })
    const target = protocol.returnTo(pending)
    const model = {
      status: 403,
      code: reason === 'not_assigned' ? 'ERR_NOT_ASSIGNED' : 'ERR_BLOCKED_BY_POLICY',
      applicationName: application.name,
      requestId: browser.requestId,
    } as const
    if (target === null) return errorPage(model)
    const { id } = await requests.create(application.id, { ...pending, refused: true }, browser.ip)
    return errorPage({ ...model, back: { authRequest: id, target } })
  }

  /** Access policies do not allow it, or not before another sign-in. */
  const stopped = async (
    request: Request,
    session: LiveSession,
    browser: BrowserRequest,
    decision: SignInDecision,
    outcome: Exclude<SignInDecision['outcome'], 'allow'>,
  ): Promise<BrowserAnswer> => {
    const { application, pending } = request
    const attempt = { session, applicationId: application.id, silent: protocol.isSilent(pending) }
    if (outcome === 'block') {
      await attempts.refused(attempt, browser, 'blocked_by_policy', decision)
      return denied(request, session, browser, 'blocked_by_policy')
    }
    await attempts.interrupted(attempt, browser, refusalReasons[outcome], decision)
    if (!protocol.mayInteract(pending))
      return protocol.refuse(request, {
        reason: 'login_required',
        description: 'an access policy requires another sign-in, which prompt=none forbids',
      })
    const risk = await riskReason(request.configuration, decision, session.userId)
    return toSignIn(request, policyReasons[outcome], browser, risk)
  }

  /** @param signedIn the session that the user has just started for this request, which is already recorded */
  const enter = async (
    request: Request,
    entrance: Entrance,
    browser: BrowserRequest,
    signedIn: string | null,
    decision: SignInDecision,
  ): Promise<BrowserAnswer> => {
    const { session } = entrance
    const answer = await protocol.answer(request, entrance, browser)
    if ('denied' in answer) return answer.denied
    const silent = protocol.isSilent(request.pending)
    const opened = { session, applicationId: request.application.id, silent }
    attempts.entered(opened, browser, signedIn === session.sessionId, decision)
    return answer.entered
  }

  /**
   * Runs every check of a request, in this order.
   * @param signedIn as in {@link enter}
   */
  const proceed = async (
    request: Request,
    browser: BrowserRequest,
    signedIn: string | null,
  ): Promise<BrowserAnswer> => {
    const { application, pending } = request
    const session = await sessions.fromCookie(browser.cookie)
    const silent = protocol.isSilent(pending)
    const attempt = session === null ? null : { session, applicationId: application.id, silent }

    const need = await protocol.need(request, session)
    if (need.need === 'invalid')
      return protocol.refuse(request, { reason: 'invalid_request', description: need.description })
    if (need.need === 'refuse') {
      if (attempt !== null) await attempts.interrupted(attempt, browser, 'reauth_required')
      return protocol.refuse(request, { reason: 'login_required', description: need.description })
    }
    if (need.need === 'sign_in' || session === null || attempt === null) {
      const reason = need.need === 'sign_in' ? need.reason : null
      if (attempt !== null && reason !== null)
        await attempts.interrupted(attempt, browser, interruptions[reason])
      return toSignIn(request, reason, browser)
    }

    const checked = await check(subjectIn(session, application.id), protocol.namesGroups)
    const { outcome, configuration } = checked
    const current = protocol.ownApplication(checked.application)
    if (current?.status !== 'active') return noApplication(checked.application, browser, silent)
    const now: Request = { application: current, configuration, pending }
    const misdirected = notRegistered(now, browser)
    if (misdirected !== null) return misdirected

    if (outcome.verdict === 'void')
      return silent
        ? protocol.refuse(now, {
            reason: 'login_required',
            description: 'the user must sign in, which prompt=none forbids',
          })
        : toSignIn(now, null, browser)
    if (outcome.verdict === 'not_assigned') {
      await attempts.refused(attempt, browser, 'not_assigned')
      return denied(now, session, browser, 'not_assigned')
    }
    const decision = policies.decide(configuration, outcome.state, current.id, browser)
    if (decision.outcome !== 'allow') return stopped(now, session, browser, decision, decision.outcome)
    return enter(now, { session, state: outcome.state }, browser, signedIn, decision)
  }

  /**
   * Returns the session of a cookie and whether it may use the application, with one query, or two if the response
   * contains groups.
   */
  const lookUp = async (cookie: string | undefined, applicationId: string) => {
    if (!protocol.namesGroups) {
      const secret = sessionSecretIn(cookie, publicUrl)
      return secret === null ? null : checkEntrance(secret, applicationId)
    }
    const session = cookie === undefined ? null : await sessions.fromCookie(cookie)
    return session === null ? null : { session, ...(await check(subjectIn(session, applicationId), true)) }
  }

  /** Returns the pending request and its application, which may have changed since; a page if it cannot continue. */
  const taken = async (id: string | undefined, browser: BrowserRequest) => {
    const waiting = id === undefined ? null : await requests.take(id)
    if (waiting === null || !protocol.isOwn(waiting.parameters))
      return {
        page: errorPage({ status: 404, code: 'ERR_AUTH_REQUEST_EXPIRED', requestId: browser.requestId }),
      }
    const configuration = await cache.fresh()
    const named = configuration.applicationById.get(waiting.applicationId)
    const application = protocol.ownApplication(named)
    if (application?.status !== 'active') return { page: await noApplication(named, browser) }
    const request: Request = { application, configuration, pending: waiting.parameters }
    const misdirected = notRegistered(request, browser)
    return misdirected === null ? { request, signedIn: waiting.signedIn } : { page: misdirected }
  }

  return {
    errorPage,
    noApplication,

    /**
     * The common case: one query checks whether the user may use the application and whether the configuration in
     * memory is current. Returns null in all other cases.
     */
    atOnce: async (request: Request, browser: BrowserRequest): Promise<BrowserAnswer | null> => {
      const checked = await lookUp(browser.cookie, request.application.id)
      if (checked?.configuration !== request.configuration || checked.outcome.verdict !== 'good') return null
      const { session, outcome } = checked
      if ((await protocol.need(request, session)).need !== 'none') return null
      const { configuration, application } = request
      const decision = policies.decide(configuration, outcome.state, application.id, browser)
      if (decision.outcome !== 'allow') return null
      return enter(request, { session, state: outcome.state }, browser, null, decision)
    },

    /**
     * Handles a sign-in request from an application.
     * @param posted a form from another site arrives without the session's cookie, so it continues with a GET from
     * this service
     */
    begin: async (request: Request, browser: BrowserRequest, posted: boolean): Promise<BrowserAnswer> => {
      if (!posted) return proceed(request, browser, null)
      const { id } = await requests.create(request.application.id, request.pending, browser.ip)
      return {
        location: `${publicUrl}${protocol.resumePath}?authRequest=${id}${languageWish(browser.language)}`,
      }
    },

    /** Continues after a sign-in. */
    resume: async (id: string | undefined, browser: BrowserRequest): Promise<BrowserAnswer> => {
      const waiting = await taken(id, browser)
      if ('page' in waiting) return waiting.page
      const { request, signedIn } = waiting
      return protocol.guarded(request, browser.requestId, () => proceed(request, browser, signedIn))
    },

    /** Returns the user to the application without a sign-in. */
    cancel: async (id: string | undefined, browser: BrowserRequest): Promise<BrowserAnswer> => {
      const waiting = await taken(id, browser)
      if ('page' in waiting) return waiting.page
      const { request } = waiting
      return protocol.guarded(request, browser.requestId, async () => {
        if (request.pending.refused !== true) {
          const session = await sessions.fromCookie(browser.cookie)
          await attempts.cancelled(request.application.id, session, browser)
        }
        return protocol.refuse(request, { reason: 'cancelled' })
      })
    },
  }
}
