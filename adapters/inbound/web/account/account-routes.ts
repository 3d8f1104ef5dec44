/** The account pages of users. They only display data; changes go through the JSON API. */
import type { IncomingMessage } from 'node:http'
import type { LiveSession } from '../../../../read-models/queries/sign-in-state.ts'
import type { Services } from '../../../application/services/services.ts'
import { redirect, sendHtmlPage } from '../../http/respond.ts'
import type { Endpoint } from '../../http/table.ts'
import type { WebPages } from '../pages.ts'
import { accountModels } from './account-model.ts'
import { activityPage } from './activity-page.ts'
import { accountPaths } from './frame.ts'
import { overviewPage } from './overview-page.ts'
import { securityPage } from './security-page.ts'

export interface AccountRouteDeps {
  readonly pages: Pick<WebPages, 'model' | 'page'>
  readonly sessionOf: (request: IncomingMessage) => Promise<LiveSession | null>
}

export const accountPages = (
  services: Pick<
    Services,
    'pool' | 'vault' | 'clock' | 'configuration' | 'locate' | 'mail' | 'development' | 'publicUrl'
  >,
  { pages, sessionOf }: AccountRouteDeps,
): readonly Endpoint[] => {
  const models = accountModels(services)

  type Show = (session: LiveSession) => Promise<string>

  const show = (path: string, draw: Show): Endpoint => {
    // The sign-in page leads to the account by default.
    const signIn = path === accountPaths.overview ? '/sign-in' : `/sign-in?return=${path}`
    return {
      path,
      handlers: {
        GET: async (request, response) => {
          const session = await sessionOf(request)
          if (session === null) redirect(response, signIn)
          else sendHtmlPage(response, 200, pages.page(await draw(session)))
        },
      },
    }
  }

  return [
    show(accountPaths.overview, async (session) =>
      overviewPage(await models.overview(pages.model(), session)),
    ),
    show(accountPaths.security, async (session) =>
      securityPage(await models.security(pages.model(), session)),
    ),
    show(accountPaths.activity, async (session) =>
      activityPage(await models.activity(pages.model(), session)),
    ),
  ]
}
