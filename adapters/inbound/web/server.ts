/** The pages for users: sign-in, enrolment, account, and error pages. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { DomainError } from '../../../domain/errors.ts'
import type { LiveSession } from '../../../read-models/queries/sign-in-state.ts'
import type { Services } from '../../application/services/services.ts'
import { sessionCommands } from '../../application/commands/sessions.ts'
import { prefersHtml } from '../http/accept.ts'
import { refusalAnswer } from '../http/answer.ts'
import { toRefusal } from '../http/errors.ts'
import type { Buckets } from '../http/rate-limit.ts'
import { redirect, sendAnswer, sendEmpty, sendHtmlPage, setHeaders } from '../http/respond.ts'
import { isFormFromElsewhere } from '../http/same-origin.ts'
import { apiSecurityHeaders } from '../http/security-headers.ts'
import type { Area, Endpoint, Handler } from '../http/table.ts'
import { keptUserAgent } from '../http/user-agent.ts'
import {
  accessPolicies,
  PolicyRefusal,
  refusalReasons,
  riskReasons,
} from '../../application/sign-in/access-policies.ts'
import type { RefusesNetwork } from '../sign-in/blocked-networks.ts'
import { authorizationAttempts } from '../sign-in/sign-in-attempts.ts'
import { noSessionCookie, sessionLookup } from '../sign-in/cookie.ts'
import type { UserServices } from '../../application/commands/users.ts'
import type { NoteSeen } from '../../application/services/device-use.ts'
import { accountPages } from './account/account-routes.ts'
import type { Assets } from './assets.ts'
import { consoleEndpoints } from './console/console-routes.ts'
import { deviceAuthorizationPages } from './device-authorization/routes.ts'
import { pageLimit } from './page-limit.ts'
import type { WebPages } from './pages.ts'
import { signedOutPage } from './sign-in/leaving-pages.ts'
import { signInPages } from './sign-in/sign-in-routes.ts'
import { requestIdOf } from '../http/request-id.ts'

export interface WebDeps {
  readonly assets: Assets
  readonly pages: WebPages
  readonly limits: Pick<Buckets, 'browser'>
  /** Returns the client address of a request, after trusted proxies */
  readonly clientIp: (request: IncomingMessage) => string
  /** Redirects requests for other addresses to the public address */
  readonly atPublicUrl: (handler: Handler) => Handler
  readonly refusesNetwork: RefusesNetwork
  /** Called for each use of a session */
  readonly seen: NoteSeen
  /** Called with failures that the client did not cause */
  readonly onError: (error: unknown, requestId: string) => void
}

/** Returns the areas for browsers, and the endpoints of our own pages. */
export const webPart = (
  services: UserServices & Pick<Services, 'lookups' | 'development' | 'tally' | 'locate'>,
  deps: WebDeps,
): { readonly areas: readonly Area[]; readonly endpoints: readonly Endpoint[] } => {
  const { publicUrl } = services
  const { assets, pages, clientIp, seen, onError } = deps
  const lookup = sessionLookup(services)
  const sessions = sessionCommands(services)
  const securityHeaders = apiSecurityHeaders(publicUrl)
  const policies = accessPolicies(services)
  const riskReason = riskReasons(services)
  const attempts = authorizationAttempts(services, onError, seen)
  const limited = pageLimit(deps.limits.browser, deps)

  const sendProblem = (response: ServerResponse, code: string, requestId?: string): void => {
    const { status, page } = pages.problem(code, requestId, true)
    sendHtmlPage(response, status, page)
  }
  const sessionOf = async (request: IncomingMessage): Promise<LiveSession | null> => {
    const session = await lookup.fromCookie(request.headers.cookie)
    if (session !== null) seen(session, clientIp(request))
    return session
  }

  /**
   * Returns the session that opens a page of the account or the console.
   * @throws PolicyRefusal
   */
  const ownSession = async (request: IncomingMessage): Promise<LiveSession | null> => {
    const session = await sessionOf(request)
    if (session === null) return null
    const origin = { ip: clientIp(request), userAgent: keptUserAgent(request.headers['user-agent']) }
    const configuration = services.configuration.now()
    const decision = policies.decide(configuration, session, null, origin)
    if (decision.outcome !== 'allow') {
      // Pages are opened again and again: an outcome is recorded once per session.
      const entrance = { session, applicationId: null, silent: true }
      const at = { ...origin, requestId: requestIdOf(request) }
      if (decision.outcome === 'block') await attempts.refused(entrance, at, 'blocked_by_policy', decision)
      else await attempts.interrupted(entrance, at, refusalReasons[decision.outcome], decision)
      throw new PolicyRefusal(
        decision.outcome,
        decision,
        await riskReason(configuration, decision, session.userId),
      )
    }
    return session
  }

  const home: Handler = async (request, response) => {
    redirect(response, (await sessionOf(request)) === null ? '/sign-in' : '/account')
  }
  const signOut: Handler = async (request, response) => {
    if (isFormFromElsewhere(request, publicUrl)) return sendProblem(response, 'ERR_CROSS_SITE')
    const session = await lookup.fromCookie(request.headers.cookie)
    if (session !== null)
      await sessions.end(session.sessionId, 'sign_out', {
        actorId: session.userId,
        actorType: 'user',
        credential: { type: 'session', id: session.sessionId },
        ip: clientIp(request),
        userAgent: keptUserAgent(request.headers['user-agent']),
        correlationId: requestIdOf(request),
      })
    response.setHeader('Set-Cookie', noSessionCookie(publicUrl))
    redirect(response, '/signed-out')
  }

  const shown: readonly Endpoint[] = [
    { path: '/', handlers: { GET: home } },
    {
      path: '/favicon.ico',
      handlers: { GET: (_, response) => redirect(response, assets.url('favicon.svg'), 302) },
    },
    {
      path: '/signed-out',
      handlers: {
        GET: (_, response) => sendHtmlPage(response, 200, pages.page(signedOutPage)),
      },
    },
    { path: '/sign-out', handlers: { POST: signOut } },
    ...signInPages(services, { pages, sessionOf, sendProblem }),
    ...accountPages(services, { pages, sessionOf: ownSession }),
    ...consoleEndpoints({ publicUrl, files: assets.console, pages, sessionOf: ownSession }),
    ...deviceAuthorizationPages(services, { pages, sessionOf: ownSession }),
  ]

  /** A browser gets a page with links; other clients get JSON. */
  const refuse = (
    request: IncomingMessage,
    response: ServerResponse,
    allowed: readonly string[] | null,
  ): Promise<void> | void => {
    if (allowed !== null) response.setHeader('Allow', allowed.join(', '))
    if (allowed !== null && request.method === 'OPTIONS') return sendEmpty(response, 204)
    const status = allowed === null ? 404 : 405
    if (prefersHtml(request.headers.accept))
      return sendHtmlPage(response, status, pages.problem('ERR_NO_ROUTE', undefined, true).page)
    const requestId = requestIdOf(request)
    setHeaders(response, securityHeaders)
    return sendAnswer(
      response,
      { ...refusalAnswer(new DomainError('ERR_NO_ROUTE'), requestId), status },
      requestId,
    )
  }

  const area = (kind: Area['kind'], under: string): Area => ({
    kind,
    under: [under],
    refuse: (request, response, allowed) =>
      limited(() => refuse(request, response, allowed))(request, response, {}),
    failed: (error, request, response) => {
      const requestId = requestIdOf(request)
      const { code } = toRefusal(error)
      if (error instanceof PolicyRefusal && error.outcome !== 'block' && !response.headersSent) {
        const query = new URLSearchParams({ again: '1', error: code, return: request.url ?? '/account' })
        if (error.risk !== null) query.set('risk', error.risk)
        redirect(response, `/sign-in?${query.toString()}`)
        return
      }
      if (code === 'ERR_INTERNAL') onError(error, requestId)
      if (response.headersSent) response.destroy()
      else sendProblem(response, code, requestId)
    },
  })

  return {
    areas: [area('page', '/'), area('saml', '/saml'), area('asset', '/assets')],
    endpoints: [
      ...assets.endpoints,
      ...shown.map(({ path, handlers }) => ({
        path,
        handlers: Object.fromEntries(
          Object.entries(handlers).map(([method, handler]) => [method, deps.atPublicUrl(limited(handler))]),
        ),
      })),
    ],
  }
}
