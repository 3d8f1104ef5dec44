/** The account pages of users. They only display data; changes go through the JSON API. */
import { Router, type Request, type Response } from 'express'
import type { LiveSession } from '../../../../read-models/queries/sign-in-state.ts'
import type { Services } from '../../../application/services/services.ts'
import type { WebPages } from '../pages.ts'
import { accountModels } from './account-model.ts'
import { activityPage } from './activity-page.ts'
import { accountPaths } from './frame.ts'
import { overviewPage } from './overview-page.ts'
import { securityPage } from './security-page.ts'

export interface AccountRouteDeps {
  readonly pages: Pick<WebPages, 'model' | 'page'>
  readonly sessionOf: (request: Request) => Promise<LiveSession | null>
}

export const accountRouter = (
  services: Pick<
    Services,
    'pool' | 'vault' | 'clock' | 'configuration' | 'locate' | 'mail' | 'development' | 'publicUrl'
  >,
  { pages, sessionOf }: AccountRouteDeps,
): Router => {
  const models = accountModels(services)
  const router = Router()

  type Show = (session: LiveSession) => Promise<string>

  const show = (path: string, draw: Show): void => {
    // The sign-in page leads to the account by itself.
    const signIn = path === accountPaths.overview ? '/sign-in' : `/sign-in?return=${path}`
    router.get(path, async (request: Request, response: Response) => {
      const session = await sessionOf(request)
      if (session === null) {
        response.status(303).set({ Location: signIn, 'Cache-Control': 'no-store' }).end()
        return
      }
      const { html, headers } = pages.page(await draw(session))
      response.status(200).set(headers).type('html').send(html)
    })
  }

  show(accountPaths.overview, async (session) => overviewPage(await models.overview(pages.model(), session)))
  show(accountPaths.security, async (session) => securityPage(await models.security(pages.model(), session)))
  show(accountPaths.activity, async (session) => activityPage(await models.activity(pages.model(), session)))

  return router
}
