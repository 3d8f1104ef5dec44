/** The console for administrators: one HTML document for all its pages, drawn in the browser from the JSON API. */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { LiveSession } from '../../../../read-models/queries/sign-in-state.ts'
import { BASE_PATH } from '../../http/route.ts'
import { pageSecurityHeaders } from '../../http/security-headers.ts'
import { redirect, sendHtmlPage } from '../../http/respond.ts'
import type { Endpoint } from '../../http/table.ts'
import type { ConsoleFiles } from '../assets.ts'
import type { WebPages } from '../pages.ts'
import { consoleDocument } from './console-document.ts'
import { consolePages } from './page-list.ts'
import { KIT_PATH } from './page.ts'

const NONCE_BYTES = 16

export const consoleEndpoints = (deps: {
  readonly publicUrl: string
  readonly files: ConsoleFiles
  readonly pages: Pick<WebPages, 'model'>
  readonly sessionOf: (request: IncomingMessage) => Promise<LiveSession | null>
}): readonly Endpoint[] => {
  const { publicUrl, files, pages, sessionOf } = deps
  const frames = [`${publicUrl}${BASE_PATH}/branding/preview`]
  const paths = Object.values(consolePages).map(({ path }): string => path)
  return [...paths, ...(files.hasKitPage ? [KIT_PATH] : [])].map((path) => ({
    path,
    handlers: {
      GET: async (request, response) => {
        if ((await sessionOf(request)) === null)
          return redirect(response, `/sign-in?return=${encodeURIComponent(request.url ?? path)}`)
        const styleNonce = randomBytes(NONCE_BYTES).toString('base64url')
        return sendHtmlPage(response, 200, {
          html: consoleDocument(pages.model('en'), files, styleNonce),
          headers: pageSecurityHeaders(publicUrl, { styleNonce, frames }),
        })
      },
    },
  }))
}
