import type { IncomingMessage, ServerResponse } from 'node:http'
import { readUserCode } from '../../../../domain/device-authorization/user-code.ts'
import { DomainError } from '../../../../domain/errors.ts'
import { isAdminGrant } from '../../../../domain/oidc/scopes.ts'
import type { LiveSession } from '../../../../read-models/queries/sign-in-state.ts'
import { ApiError, statusOf } from '../../http/errors.ts'
import { queryOf } from '../../http/form-body.ts'
import { redirect, sendHtmlPage, setHeaders } from '../../http/respond.ts'
import type { Endpoint, Handler } from '../../http/table.ts'
import { deviceApprovals, type DeviceApprovalServices } from '../../sign-in/device-approvals.ts'
import type { PageModel } from '../kit/layout.ts'
import type { WebPages } from '../pages.ts'
import { messageOf } from '../sign-in/message-of.ts'
import { userLanguage } from '../user-language.ts'
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
  readonly pages: Pick<WebPages, 'page'>
  readonly sessionOf: (request: IncomingMessage) => Promise<LiveSession | null>
}

/** The page that a device refers its user to (RFC 8628 §3.3). It only displays; the JSON API approves. */
export const deviceAuthorizationPages = (
  services: DeviceApprovalServices,
  { pages, sessionOf }: DeviceAuthorizationDeps,
): readonly Endpoint[] => {
  const approvals = deviceApprovals(services)

  /** Sends a page in the language of the user who is signed in. */
  const send = async (
    response: ServerResponse,
    session: LiveSession | null,
    draw: (base: PageModel) => string,
    status = 200,
  ): Promise<void> => {
    const language = await userLanguage(services, session?.userId)
    sendHtmlPage(response, status, pages.page(draw, { language }))
  }

  const ask: Handler = async (request, response) => {
    const typed = queryOf(request).get('code')
    const session = await sessionOf(request)
    if (session === null) {
      const userCode = typed === undefined ? null : readUserCode(typed)
      return redirect(response, `/sign-in?device=${userCode ?? NO_CODE}`)
    }
    if (typed === undefined)
      return send(response, session, (base) => deviceCodePage({ ...base, signedInAs: session }))
    try {
      const waiting = await approvals.waiting(typed, session.userId)
      const { roles, newRoles } = session
      const administers = isAdminGrant(waiting) ? roles.length + newRoles.length > 0 : null
      await send(response, session, (base) =>
        deviceConfirmPage({ ...base, signedInAs: session, administers, ...waiting }),
      )
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      const { code, message } = error
      if (error instanceof ApiError) setHeaders(response, error.headers)
      const draw = (base: PageModel): string => {
        const shown = { code, message: base.language === 'en' ? message : messageOf(code, base.language) }
        return deviceCodePage({ ...base, signedInAs: session, error: shown })
      }
      await send(response, session, draw, statusOf(code))
    }
  }

  return [
    { path: '/device', handlers: { GET: ask } },
    {
      path: '/device/approved',
      handlers: {
        GET: async (request, response) => send(response, await sessionOf(request), deviceApprovedPage),
      },
    },
    {
      path: '/device/denied',
      handlers: {
        GET: async (request, response) => send(response, await sessionOf(request), deviceDeniedPage),
      },
    },
  ]
}
