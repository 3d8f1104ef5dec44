/** The pages for users: sign-in, enrolment, account, and error pages. */
import { Router, type NextFunction, type Request, type Response } from 'express'
import type { IncomingMessage } from 'node:http'
import { DomainError } from '../../../domain/errors.ts'
import type { LiveSession } from '../../../read-models/queries/sign-in-state.ts'
import type { Services } from '../../application/services/services.ts'
import { sessionCommands } from '../../application/commands/sessions.ts'
import { toRefusal } from '../http/errors.ts'
import { refusalAnswer, send as sendAnswer } from '../http/respond.ts'
import { BASE_PATH } from '../http/route.ts'
import { isFormFromElsewhere } from '../http/same-origin.ts'
import { apiSecurityHeaders } from '../http/security-headers.ts'
import { keptUserAgent } from '../http/user-agent.ts'
import type { Page } from '../sign-in/pages.ts'
import { noSessionCookie, sessionLookup } from '../sign-in/cookie.ts'
import type { NoteSeen } from '../../application/services/device-use.ts'
import { accountRouter } from './account/account-routes.ts'
import type { Assets } from './assets.ts'
import { deviceRouter } from './device/device-routes.ts'
import { toAccount, type WebPages } from './pages.ts'
import { signedOutPage } from './sign-in/leaving-pages.ts'
import { signInRouter } from './sign-in/sign-in-routes.ts'

export interface WebDeps {
  readonly assets: Assets
  readonly pages: WebPages
  /** The client address of a request, past trusted proxies. */
  readonly clientIp: (request: IncomingMessage) => string
  readonly newRequestId: () => string
  /** Called for each use of a session. */
  readonly seen: NoteSeen
  /** Called with failures that the client did not cause. */
  readonly onError: (error: unknown, requestId: string) => void
}

/** Mount it last: whatever no other router has taken and is not the API's gets the page for nothing found. */
export const webRouter = (
  services: Pick<
    Services,
    | 'handle'
    | 'pool'
    | 'lookups'
    | 'vault'
    | 'clock'
    | 'random'
    | 'configuration'
    | 'locate'
    | 'mail'
    | 'development'
    | 'tally'
    | 'publicUrl'
  >,
  deps: WebDeps,
): Router => {
  const { publicUrl } = services
  const { assets, pages, clientIp, newRequestId, seen, onError } = deps
  const lookup = sessionLookup(services)
  const sessions = sessionCommands(services)
  const securityHeaders = apiSecurityHeaders(publicUrl)
  const router = Router()

  const send = (response: Response, page: Page, status = 200): void => {
    response.status(status).set(page.headers).type('html').send(page.html)
  }
  const sendProblem = (response: Response, code: string, requestId?: string): void => {
    const { status, page } = pages.problem(code, requestId, [toAccount])
    send(response, page, status)
  }
  const go = (response: Response, to: string): void => {
    response.status(303).set({ Location: to, 'Cache-Control': 'no-store' }).end()
  }
  const sessionOf = async (request: Request): Promise<LiveSession | null> => {
    const session = await lookup.fromCookie(request.headers.cookie)
    if (session !== null) seen(session, clientIp(request))
    return session
  }

  router.use(assets.router)
  router.get('/favicon.ico', (_, response) => response.redirect(302, assets.url('favicon.svg')))

  router.get('/', async (request, response) => {
    go(response, (await sessionOf(request)) === null ? '/sign-in' : '/account')
  })

  router.use(signInRouter(services, { pages, sessionOf, sendProblem }))

  router.use(accountRouter(services, { pages, sessionOf }))
  router.use(deviceRouter(services, { pages, sessionOf }))

  router.get('/signed-out', (_, response) => {
    send(response, pages.page(signedOutPage(pages.model())))
  })

  router.post('/sign-out', async (request, response) => {
    if (isFormFromElsewhere(request, publicUrl)) return sendProblem(response, 'ERR_CROSS_SITE')
    const session = await lookup.fromCookie(request.headers.cookie)
    if (session !== null)
      await sessions.end(session.sessionId, 'sign_out', {
        actorId: session.userId,
        actorType: 'user',
        credential: { type: 'session', id: session.sessionId },
        ip: clientIp(request),
        userAgent: keptUserAgent(request.headers['user-agent']),
        correlationId: newRequestId(),
      })
    response.set('Set-Cookie', noSessionCookie(publicUrl))
    go(response, '/signed-out')
  })

  router.use((request: Request, response: Response, next: NextFunction) => {
    if (request.path === BASE_PATH || request.path.startsWith(`${BASE_PATH}/`)) return next()
    if (request.accepts(['json', 'html']) === 'html') return sendProblem(response, 'ERR_NO_ROUTE')
    const requestId = newRequestId()
    const answer = refusalAnswer(new DomainError('ERR_NO_ROUTE'), requestId)
    securityHeaders(request, response, () => {
      sendAnswer(response, answer, requestId, request.method === 'HEAD').catch(next)
    })
  })

  router.use((error: unknown, _: Request, response: Response, next: NextFunction) => {
    if (response.headersSent) return next(error)
    const requestId = newRequestId()
    const { code } = toRefusal(error)
    if (code === 'ERR_INTERNAL') onError(error, requestId)
    sendProblem(response, code, requestId)
  })

  return router
}
