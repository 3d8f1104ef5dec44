import { Router, type Request, type Response } from 'express'
import { readUserCode } from '../../../../domain/device-login/user-code.ts'
import { DomainError } from '../../../../domain/errors.ts'
import type { LiveSession } from '../../../../read-models/queries/sign-in-state.ts'
import type { Services } from '../../../application/services/services.ts'
import { ApiError, statusOf } from '../../http/errors.ts'
import { deviceApprovals } from '../../sign-in/device-approvals.ts'
import type { WebPages } from '../pages.ts'
import { deviceApprovedPage, deviceCodePage, deviceConfirmPage, deviceDeniedPage } from './device-page.ts'

/** Value of the sign-in page's parameter `device` without a code. */
const NO_CODE = 'ask'

/** Where a sign-in for another device continues. Built from the valid characters of a code, never from raw input. */
export const devicePath = (typed: string): string => {
  const code = readUserCode(typed)
  return code === null ? '/device' : `/device?code=${code}`
}

export interface DeviceRouteDeps {
  readonly pages: Pick<WebPages, 'model' | 'page'>
  readonly sessionOf: (request: Request) => Promise<LiveSession | null>
}

/** The page that a device sends its person to (RFC 8628 §3.3). It shows; only the JSON API approves. */
export const deviceRouter = (
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
    | 'development'
    | 'tally'
  >,
  { pages, sessionOf }: DeviceRouteDeps,
): Router => {
  const approvals = deviceApprovals(services)
  const router = Router()

  const send = (response: Response, html: string, status = 200): void => {
    const page = pages.page(html)
    response.status(status).set(page.headers).type('html').send(page.html)
  }

  router.get('/device', async (request, response) => {
    const { code } = request.query
    const typed = typeof code === 'string' && code !== '' ? code : undefined
    const session = await sessionOf(request)
    if (session === null) {
      const asked = typed === undefined ? null : readUserCode(typed)
      response
        .status(303)
        .set({ Location: `/sign-in?device=${asked ?? NO_CODE}`, 'Cache-Control': 'no-store' })
        .end()
      return
    }
    const model = { ...pages.model(), signedInAs: session }
    if (typed === undefined) return send(response, deviceCodePage(model))
    try {
      const waiting = await approvals.waiting(typed, session.userId)
      send(response, deviceConfirmPage({ ...model, ...waiting }))
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      if (error instanceof ApiError) response.set(error.headers)
      send(response, deviceCodePage({ ...model, error }), statusOf(error.code))
    }
  })

  router.get('/device/approved', (_, response) => send(response, deviceApprovedPage(pages.model())))
  router.get('/device/denied', (_, response) => send(response, deviceDeniedPage(pages.model())))

  return router
}
