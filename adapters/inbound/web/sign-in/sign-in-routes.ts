import { Router, type Request, type Response } from 'express'
import { DomainError, errors, type ErrorCode } from '../../../../domain/errors.ts'
import { isPlaceholderAddress } from '../../../../domain/user/placeholder.ts'
import type { LiveSession } from '../../../../read-models/queries/sign-in-state.ts'
import type { Services } from '../../../application/services/services.ts'
import type { Page } from '../../sign-in/pages.ts'
import { enrollmentBehind, enrollmentMethodsOf } from '../../../application/sign-in/enrollment.ts'
import { magicLinksOffered } from '../../../application/sign-in/magic-links.ts'
import { waitingRequests, type WaitingRequest } from '../../sign-in/waiting-request.ts'
import { ownLogo } from '../account/account-model.ts'
import { devicePath } from '../device/device-routes.ts'
import type { WebPages } from '../pages.ts'
import { enrollExpiredPage, enrollPage } from './enroll-page.ts'
import { errorText, hasErrorText } from './error-texts.ts'
import { emailVerifiedPage, mailedLinkExpiredPage, mailedLinkPage, type MailedLink } from './link-pages.ts'
import { ownPath } from './own-path.ts'
import { signInPage, type SignInModel } from './sign-in-page.ts'
import { waysOf } from './ways.ts'

export interface SignInRouteDeps {
  readonly pages: Pick<WebPages, 'model' | 'page'>
  readonly sessionOf: (request: Request) => Promise<LiveSession | null>
  readonly sendProblem: (response: Response, code: string) => void
}

const queryText = ({ query }: Request, name: string): string | undefined => {
  const value: unknown = query[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

const messageOf = (code: string | undefined): SignInModel['error'] => {
  if (code === undefined || !Object.hasOwn(errors, code)) return undefined
  const message = hasErrorText(code) ? errorText(code).message : errors[code as ErrorCode].message
  return { code, message }
}

const STRONGER = 'ERR_STRONGER_AUTH_REQUIRED'

/** The pages by which people sign in and enrol. They show; only the JSON API signs anyone in. */
export const signInRouter = (
  services: Pick<Services, 'pool' | 'vault' | 'clock' | 'random' | 'configuration' | 'mail' | 'publicUrl'>,
  deps: SignInRouteDeps,
): Router => {
  const { publicUrl, configuration } = services
  const { pages, sessionOf, sendProblem } = deps
  const waiting = waitingRequests(services)
  const router = Router()

  const send = (response: Response, page: Page, status = 200): void => {
    response.status(status).set(page.headers).type('html').send(page.html)
  }
  const go = (response: Response, to: string): void => {
    response.status(303).set({ Location: to, 'Cache-Control': 'no-store' }).end()
  }

  /** Where a user without an application continues, and why. */
  const ownPurpose = (request: Request): Pick<SignInModel, 'next' | 'purpose'> => {
    const device = queryText(request, 'device')
    if (device !== undefined)
      return { next: devicePath(device), purpose: 'to approve a sign-in on another device' }
    return { next: ownPath(queryText(request, 'return'), publicUrl) }
  }

  const problemWith = (
    request: Request,
    session: LiveSession | null,
    found: WaitingRequest | undefined,
  ): SignInModel['error'] => {
    const reason = session === null ? null : (found?.reason ?? null)
    return (
      messageOf(queryText(request, 'error')) ??
      (reason === null
        ? undefined
        : { code: reason, message: errorText(reason, found?.application.name).message })
    )
  }

  router.get('/sign-in', async (request, response) => {
    const authRequestId = queryText(request, 'authRequest')
    const session = await sessionOf(request)
    const again = queryText(request, 'again') !== undefined
    const own = authRequestId === undefined ? ownPurpose(request) : {}
    if (authRequestId === undefined && session !== null && !again) return go(response, own.next ?? '/account')
    const found = authRequestId === undefined ? undefined : await waiting(authRequestId)
    if (found === null) return sendProblem(response, 'ERR_AUTH_REQUEST_EXPIRED')
    const error = problemWith(request, session, found)
    const asksAgain = again || (found !== undefined && found.reason !== null)
    const { methods, settings } = await configuration.fresh()
    const html = signInPage({
      ...pages.model(),
      ...own,
      authRequestId,
      application: found && {
        name: found.application.name,
        logoUrl: ownLogo(found.application.settings.logoUrl, publicUrl),
      },
      loginHint: found?.loginHint ?? undefined,
      error,
      signedInAs: session !== null && asksAgain ? session : undefined,
      ways: waysOf(methods, await magicLinksOffered(services), error?.code === STRONGER),
      linkMinutes: settings.magicLinkMinutes,
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
        asksProfile: isPlaceholderAddress(email),
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

  router.get('/verify-email/done', (_, response) => {
    send(response, pages.page(emailVerifiedPage(pages.model())))
  })

  for (const link of ['magic-link', 'verify-email'] as const satisfies readonly MailedLink[]) {
    // The script leads here, so that no address with a token stays behind.
    router.get(`/${link}/expired`, (_, response) => {
      send(response, pages.page(mailedLinkExpiredPage({ ...pages.model(), link })), 404)
    })
    router.get(`/${link}/:token`, (request, response) => {
      const { token } = request.params
      send(response, pages.page(mailedLinkPage({ ...pages.model(), link, token })))
    })
  }

  return router
}
