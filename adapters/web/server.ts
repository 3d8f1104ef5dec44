/** The pages that people see: sign-in, enrolment, their account, and what is shown where nothing is. */
import { Router, type NextFunction, type Request, type Response } from 'express'
import type { IncomingMessage } from 'node:http'
import { DomainError, errors, type ErrorCode } from '../../domain/errors.ts'
import type { LiveSession } from '../../read-models/queries/sign-in-state.ts'
import type { Services } from '../commands/deps.ts'
import { sessionCommands } from '../commands/sessions.ts'
import { toRefusal } from '../http/errors.ts'
import { BASE_PATH } from '../http/route.ts'
import { isFormFromElsewhere } from '../http/same-origin.ts'
import type { Page } from '../oidc/pages.ts'
import { noSessionCookie, sessionLookup } from '../session/cookie.ts'
import type { NoteSeen } from '../session/device-use.ts'
import { enrollmentBehind, enrollmentMethodsOf } from '../session/enrollment.ts'
import { waitingRequests } from '../session/waiting-request.ts'
import { accountModel, ownLogo } from './account/account-model.ts'
import { accountPage } from './account/account-page.ts'
import type { Assets } from './assets.ts'
import { devicePath, deviceRouter } from './device/device-routes.ts'
import { toAccount, type WebPages } from './pages.ts'
import { errorText } from './sign-in/error-texts.ts'
import { enrollExpiredPage, enrollPage } from './sign-in/enroll-page.ts'
import { signedOutPage } from './sign-in/leaving-pages.ts'
import { signInPage } from './sign-in/sign-in-page.ts'

export interface WebDeps {
  readonly assets: Assets
  readonly pages: WebPages
  /** The address a request comes from, past trusted proxies. */
  readonly clientIp: (request: IncomingMessage) => string
  readonly newRequestId: () => string
  /** Told of each session used. */
  readonly seen: NoteSeen
  /** Told of what failed without the caller's doing. */
  readonly onError: (error: unknown, requestId: string) => void
}

const queryText = ({ query }: Request, name: string): string | undefined => {
  const value: unknown = query[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

const messageOf = (code: string | undefined) =>
  code !== undefined && Object.hasOwn(errors, code)
    ? { code, message: errors[code as ErrorCode].message }
    : undefined

/** Mount it last: whatever no other router has taken and is not the API's gets the page for nothing found. */
export const webRouter = (services: Services, deps: WebDeps): Router => {
  const { lookups, clock, publicUrl } = services
  const { assets, pages, clientIp, newRequestId, seen, onError } = deps
  const lookup = sessionLookup(lookups, clock)
  const waiting = waitingRequests(services)
  const account = accountModel(services)
  const sessions = sessionCommands(services)
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

  router.get('/sign-in', async (request, response) => {
    const authRequestId = queryText(request, 'authRequest')
    const session = await sessionOf(request)
    const again = queryText(request, 'again') !== undefined
    const device = queryText(request, 'device')
    const next = device === undefined ? undefined : devicePath(device)
    if (authRequestId === undefined && session !== null && !again) return go(response, next ?? '/account')
    const found = authRequestId === undefined ? undefined : await waiting(authRequestId)
    if (found === null) return sendProblem(response, 'ERR_AUTH_REQUEST_EXPIRED')
    const reason = session === null ? null : (found?.reason ?? null)
    const html = signInPage({
      ...pages.model(),
      authRequestId,
      next: authRequestId === undefined ? next : undefined,
      application: found && {
        name: found.application.name,
        logoUrl: ownLogo(found.application.settings.logoUrl, publicUrl),
      },
      loginHint: found?.loginHint ?? undefined,
      error:
        messageOf(queryText(request, 'error')) ??
        (reason === null
          ? undefined
          : { code: reason, message: errorText(reason, found?.application.name).message }),
      signedInAs: session !== null && (again || reason !== null) ? session : undefined,
    })
    send(response, pages.page(html, found === undefined ? [] : [found.redirectUri]))
  })

  router.get('/enroll/:token', async (request, response) => {
    const { token } = request.params
    try {
      const { userId, kind, name, email, expiresAt } = await enrollmentBehind(services, token)
      const html = enrollPage({
        ...pages.model(),
        token,
        kind,
        name,
        email,
        expiresAt,
        allowedMethods: await enrollmentMethodsOf(services, userId),
      })
      send(response, pages.page(html))
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      if (error.code === 'ERR_LINK_EXPIRED') send(response, pages.page(enrollExpiredPage(pages.model())), 404)
      else sendProblem(response, error.code)
    }
  })

  router.get('/account', async (request, response) => {
    const session = await sessionOf(request)
    if (session === null) return go(response, '/sign-in')
    send(response, pages.page(accountPage(await account(pages.model(), session))))
  })

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
        correlationId: newRequestId(),
      })
    response.set('Set-Cookie', noSessionCookie(publicUrl))
    go(response, '/signed-out')
  })

  router.use((request: Request, response: Response, next: NextFunction) => {
    if (request.path === BASE_PATH || request.path.startsWith(`${BASE_PATH}/`)) return next()
    if (request.accepts(['json', 'html']) === 'html') return sendProblem(response, 'ERR_NO_ROUTE')
    const { status, message } = errors.ERR_NO_ROUTE
    response
      .status(status)
      .set('Cache-Control', 'no-store')
      .json({ error: { code: 'ERR_NO_ROUTE', message } })
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
