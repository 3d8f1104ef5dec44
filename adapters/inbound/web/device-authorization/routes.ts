import type { IncomingMessage, ServerResponse } from 'node:http'
import { readUserCode } from '../../../../domain/device-authorization/user-code.ts'
import { DomainError } from '../../../../domain/errors.ts'
import type { LiveSession } from '../../../../read-models/queries/sign-in-state.ts'
import { ApiError, statusOf } from '../../http/errors.ts'
import { queryOf } from '../../http/form-body.ts'
import { redirect, sendHtmlPage, setHeaders } from '../../http/respond.ts'
import type { Endpoint, Handler } from '../../http/table.ts'
import { deviceApprovals, type DeviceApprovalServices } from '../../sign-in/device-approvals.ts'
import type { WebPages } from '../pages.ts'
import { deviceApprovedPage, deviceCodePage, deviceConfirmPage, deviceDeniedPage } from './pages.ts'

/** Value of the sign-in page's parameter `device` without a code. */
const NO_CODE = 'ask'

/**
 * Returns where a sign-in for another device continues. Built from the valid characters of a code, never from raw
 * input.
 */
export const deviceAuthorizationPath = (typed: string): string => {
  const code = readUserCode(typed)
  return code === null ? '/device' : `/device?code=${code}`
}

export interface DeviceAuthorizationDeps {
  readonly pages: Pick<WebPages, 'model' | 'page'>
  readonly sessionOf: (request: IncomingMessage) => Promise<LiveSession | null>
}

/** The page that a device refers its user to (RFC 8628 §3.3). It only displays; the JSON API approves. */
export const deviceAuthorizationPages = (
  services: DeviceApprovalServices,
  { pages, sessionOf }: DeviceAuthorizationDeps,
): readonly Endpoint[] => {
  const approvals = deviceApprovals(services)

  const send = (response: ServerResponse, html: string, status = 200): void => {
    sendHtmlPage(response, status, pages.page(html))
  }

  const ask: Handler = async (request, response) => {
    const typed = queryOf(request).get('code')
    const session = await sessionOf(request)
    if (session === null) {
      const userCode = typed === undefined ? null : readUserCode(typed)
      return redirect(response, `/sign-in?device=${userCode ?? NO_CODE}`)
    }
    const model = { ...pages.model(), signedInAs: session }
    if (typed === undefined) return send(response, deviceCodePage(model))
    try {
      const waiting = await approvals.waiting(typed, session.userId)
      send(response, deviceConfirmPage({ ...model, ...waiting }))
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      if (error instanceof ApiError) setHeaders(response, error.headers)
      send(response, deviceCodePage({ ...model, error }), statusOf(error.code))
    }
  }

  return [
    { path: '/device', handlers: { GET: ask } },
    {
      path: '/device/approved',
      handlers: { GET: (_, response) => send(response, deviceApprovedPage(pages.model())) },
    },
    {
      path: '/device/denied',
      handlers: { GET: (_, response) => send(response, deviceDeniedPage(pages.model())) },
    },
  ]
}
